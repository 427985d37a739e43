import { createReadStream } from 'node:fs';
import { isFecha } from '@acuse/contract';
import { calendarDay } from '@acuse/core';
import { AUTOR, type OperatorDeps, textArgument } from '@acuse/roles/operator';
import { type Command, InvalidArgumentError } from 'commander';
import { createCargaListado, createCargaListas, createListados, createListaEdos } from './db/index.ts';
import { readRfcs } from './db/rfcs-csv.ts';
import { DIRECCIONES_LISTADOS, openLista69b, openListado } from './lectura/listado.ts';
import { CLAVES_LISTADO, type ClaveListado, isClaveListado, LISTADOS } from './listados.ts';
import type { ResultadoCarga } from './listas.ts';

type Deps = () => OperatorDeps;

/** Adds the commands of the published lists and of EDOS. */
export function addListas(program: Command, deps: Deps): void {
  addEfos(program, deps);
  addPublicadas(program, deps);
  addEdos(program, deps);
}

const cargaOf = ({ database }: OperatorDeps, clave: ClaveListado) =>
  clave === '69-b' ? createCargaListas(database) : createCargaListado(database, clave);

function addEfos(program: Command, deps: Deps): void {
  const efos = program.command('efos').description('Lista del artículo 69-B (EFOS) que publica el SAT.');

  efos
    .command('estado')
    .description('La versión que responde y los últimos intentos de actualizarla, con el motivo de los que fallaron.')
    .action(async () => {
      deps().show(await estadoDe(deps(), '69-b'));
    });

  efos
    .command('cargar')
    .description('Pide a los workers (rol listas) que la busquen ahora; el resultado se ve con: efos estado')
    .option('--forzar', 'acepta una lista con muchos menos renglones que la vigente, o de un corte anterior', false)
    .action(async ({ forzar }: { forzar: boolean }) => {
      await cargaOf(deps(), '69-b').askFor({ forzar, ...AUTOR });
      deps().show({ pedida: true, forzar });
    });
}

/** State of one list with its last attempts. */
async function estadoDe(deps: OperatorDeps, clave: ClaveListado) {
  const { vigente, cargas, pedidaEn } = await cargaOf(deps, clave).estado();
  return {
    vigente: vigente && {
      fecha_corte: vigente.fechaCorte,
      filas: vigente.filas,
      fuente: vigente.fuente,
      sha256: vigente.sha256,
      cargada_en: vigente.cargadaEn,
      revisada_en: vigente.revisadaEn,
    },
    pedida_en: pedidaEn,
    intentos: cargas.map(({ iniciadaEn, terminadaEn, resultado, motivo }) => ({
      iniciado_en: iniciadaEn,
      terminado_en: terminadaEn,
      resultado,
      motivo,
    })),
  };
}

function claveArgument(value: string): ClaveListado {
  if (!isClaveListado(value)) throw new InvalidArgumentError(`debe ser una de: ${CLAVES_LISTADO.join(', ')}`);
  return value;
}

function fechaArgument(value: string): string {
  if (!isFecha(value) || value > calendarDay(new Date()))
    throw new InvalidArgumentError('debe ser un día pasado, AAAA-MM-DD');
  return value;
}

interface OpcionesImportar {
  readonly fecha?: string;
  readonly forzar: boolean;
}

/** Loads a list from a file, as the workers load the published one. */
async function importar(
  { database }: OperatorDeps,
  clave: ClaveListado,
  archivo: string,
  { fecha, forzar }: OpcionesImportar,
): Promise<ResultadoCarga> {
  if (LISTADOS[clave].lista.startsWith('69-B') !== (fecha === undefined))
    throw new Error(
      fecha === undefined
        ? 'El archivo de esta lista no dice de qué día es: dígalo con --fecha, con el día en que el SAT lo publicó.'
        : 'El archivo de esta lista dice de qué día es: quite --fecha.',
    );
  const peticion = { minFilas: LISTADOS[clave].minFilas, forzar, autor: AUTOR };
  const { signal } = new AbortController();
  return clave === '69-b'
    ? createCargaListas(database).loadList({ ...peticion, abrir: openLista69b(archivo) }, signal)
    : createCargaListado(database, clave).loadList(
        { ...peticion, abrir: openListado(clave, archivo, fecha ?? null) },
        signal,
      );
}

/** Text about a list without an address. */
const SIN_DIRECCION =
  'No se busca: no se conoce su dirección de hoy. Diga dónde está en SAT_LISTAS_URLS de los workers, o cárguela de un archivo con «listas importar».';

function addPublicadas(program: Command, deps: Deps): void {
  const listas = program
    .command('listas')
    .description('Las listas que publica el SAT: 69, 69-B, 69-B Bis y CSD sin efectos. Sola, dice cómo está cada una.')
    .action(async () => {
      for (const { clave, vigente, ultima, pedidaEn } of await createListados(deps().database).estados()) {
        deps().show({
          lista: clave,
          nombre: LISTADOS[clave].nombre,
          fecha_corte: vigente?.fechaCorte ?? null,
          filas: vigente?.filas ?? null,
          fuente: vigente?.fuente ?? null,
          revisada_en: vigente?.revisadaEn ?? null,
          resultado: ultima?.resultado ?? null,
          motivo: ultima?.motivo ?? null,
          pedida_en: pedidaEn,
          ...(vigente === null && ultima === null && DIRECCIONES_LISTADOS[clave] === undefined
            ? { nota: SIN_DIRECCION }
            : {}),
        });
      }
    });

  listas
    .command('estado')
    .description('De una lista, la versión que responde y los últimos intentos de actualizarla.')
    .argument('<lista>', 'su nombre, como lo dice «listas»', claveArgument)
    .action(async (clave: ClaveListado) => deps().show(await estadoDe(deps(), clave)));

  listas
    .command('cargar')
    .description('Pide a los workers (rol listas) que la busquen ahora; el resultado se ve con: listas estado')
    .argument('<lista>', 'su nombre, como lo dice «listas»', claveArgument)
    .option('--forzar', 'acepta una lista con muchos menos renglones que la vigente, o de un corte anterior', false)
    .action(async (clave: ClaveListado, { forzar }: { forzar: boolean }) => {
      await cargaOf(deps(), clave).askFor({ forzar, ...AUTOR });
      deps().show({ lista: clave, pedida: true, forzar });
    });

  listas
    .command('importar')
    .description('La carga de un archivo de esta máquina, tal como lo publica el SAT, con las mismas pruebas.')
    .argument('<lista>', 'su nombre, como lo dice «listas»', claveArgument)
    .argument('<archivo>', 'el CSV del SAT, sin abrirlo ni guardarlo con otro programa')
    .option(
      '--fecha <AAAA-MM-DD>',
      'de qué día es, si el archivo no lo dice: los del artículo 69 y el de CSD',
      fechaArgument,
    )
    .option('--forzar', 'acepta una lista con muchos menos renglones que la vigente, o de un corte anterior', false)
    .action(async (clave: ClaveListado, archivo: string, opciones: OpcionesImportar) => {
      const cargada = await importar(deps(), clave, archivo, opciones);
      if (cargada.resultado === 'OTRA_EN_CURSO') return deps().show({ lista: clave, resultado: cargada.resultado });
      const { fechaCorte, filas, sha256 } = cargada.version;
      deps().show({ lista: clave, resultado: cargada.resultado, fecha_corte: fechaCorte, filas, sha256 });
    });
}

type Estado = NonNullable<Awaited<ReturnType<ReturnType<typeof createListaEdos>['estado']>>>;
const shown = ({ fuente, rfcs, importadaEn }: Estado) => ({ fuente, rfcs, importada_en: importadaEn });

function addEdos(program: Command, deps: Deps): void {
  const lista = () => createListaEdos(deps().database);
  const edos = program
    .command('edos')
    .description('Lista EDOS propia: nadie publica una oficial, así que responde la que usted importe, con su nombre.');

  edos
    .command('importar')
    .description('Sustituye la lista por la de un CSV con una columna, o con una que se llame rfc.')
    .argument('<archivo>', 'archivo CSV en UTF-8')
    .requiredOption('--fuente <nombre>', 'de dónde viene la lista; se muestra en cada respuesta', textArgument)
    .action(async (archivo: string, { fuente }: { fuente: string }) => {
      const rfcs = await readRfcs(createReadStream(archivo));
      deps().show(shown(await lista().importar({ fuente, rfcs, ...AUTOR })));
    });

  edos
    .command('estado')
    .description('La lista importada, o null.')
    .action(async () => {
      const estado = await lista().estado();
      deps().show(estado && shown(estado));
    });

  edos
    .command('borrar')
    .description('Quita la lista: las respuestas dirán que no hay ninguna.')
    .action(async () => {
      deps().show({ borrada: await lista().remove(AUTOR) });
    });
}
