import { readFile } from 'node:fs/promises';
import type { CuentaVista } from '@acuse/db';
import { AUTOR, CUENTA, modoPedido, type OperatorDeps, PRUEBAS, requireCuenta } from '@acuse/roles/operator';
import { ExplainedError, explain } from '@acuse/runtime';
import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { FINALIDAD, finalidadField, MAX_SOLICITANTE, solicitanteField } from './enlace.ts';
import { MAX_LINEAS, readArchivo } from './importar/archivo.ts';
import { createArchivoLlaves } from './importar/archivo-llaves.ts';
import { type Enlaces, findSender, importRfcs, type Resultado } from './importar/importar.ts';

/** Exit code of an import with faulty lines; the others were imported. */
export const SALIDA_FALTAS = 3;

interface Opciones {
  readonly cuenta: string;
  readonly llaves: string;
  readonly solicitante?: string;
  readonly finalidad: string;
  readonly pruebas?: true;
  readonly json?: true;
}

/** Adds `rfc importar` to the commands about RFCs. */
export function addImportar(program: Command, deps: () => OperatorDeps): void {
  program.commands
    .find((command) => command.name() === 'rfc')
    ?.command('importar')
    .description(
      'Agrega los RFCs de un archivo CSV (rfc,nombre,correo), con la API key de cada uno y, si tiene correo, el enlace para que el contribuyente entregue su CIEC. Lo que ya estaba no cambia: se puede repetir.',
    )
    .argument(
      '<archivo>',
      `CSV con el encabezado rfc,nombre,correo; ${MAX_LINEAS.toLocaleString('es-MX')} líneas a lo más`,
    )
    .requiredOption(...CUENTA)
    .requiredOption(
      '--llaves <archivo>',
      'archivo nuevo para las llaves y los enlaces; solo usted lo puede leer, y no se sobrescribe uno que exista',
    )
    .option(
      '--solicitante <nombre>',
      'quién pide la CIEC, como lo conoce el contribuyente; si no se dice, el nombre de la cuenta',
      textOf(solicitanteField),
    )
    .option('--finalidad <texto>', 'para qué se pide', textOf(finalidadField), FINALIDAD)
    .option(...PRUEBAS)
    .option('--json', 'muestra también un renglón de cada RFC')
    .action((archivo: string, opciones: Opciones) => importar(deps(), archivo, opciones));
}

const textOf = (field: z.ZodType<string>) => (value: string) => {
  const { success, data, error } = field.safeParse(value);
  if (!success) throw new InvalidArgumentError(error.issues[0]?.message ?? '');
  return data;
};

async function importar(deps: OperatorDeps, archivo: string, opciones: Opciones): Promise<void> {
  const { filas, faltas } = readArchivo(await readFile(archivo));
  const cuenta = await requireCuenta(deps, opciones.cuenta);
  const modo = modoPedido(deps, opciones.pruebas === true);
  const hasher = deps.hasher();
  const enlaces = filas.some(({ correo }) => correo !== null) ? await enlacesOf(deps, cuenta, opciones) : null;

  for (const { linea, valor, motivo } of faltas) deps.show({ linea, valor, error: motivo });
  const llaves = createArchivoLlaves(opciones.llaves);
  const hechos: Resultado[] = [];
  try {
    const { database } = deps;
    const importacion = { database, cuentaId: cuenta.id, hasher, modo, enlaces, keep: llaves.keep, ...AUTOR };
    for await (const resultados of importRfcs(filas, importacion)) {
      hechos.push(...resultados);
      if (opciones.json)
        for (const { linea, rfc, estado, apiKeyId, enlace } of resultados)
          deps.show({ linea, rfc, estado, api_key_id: apiKeyId, enlace });
      if (deps.progreso.isTTY) deps.progreso.write(`\r${hechos.length} de ${filas.length}`);
    }
  } catch (error) {
    if (!llaves.isMade()) throw error;
    throw new ExplainedError(`${explain(error)}\n${interrumpida(hechos.length, filas.length, opciones.llaves)}`, {
      cause: error,
    });
  } finally {
    if (deps.progreso.isTTY && hechos.length > 0) deps.progreso.write('\n');
    await llaves.close();
  }
  const count = (has: (hecho: Resultado) => boolean) => hechos.filter(has).length;
  deps.show({
    agregados: count(({ estado }) => estado === 'AGREGADO'),
    con_llave: count(({ estado }) => estado === 'CON_LLAVE'),
    sin_cambio: count(({ estado }) => estado === 'YA_ESTABA'),
    con_error: faltas.length,
    enlaces_por_correo: count(({ enlace }) => enlace === 'CORREO'),
    enlaces_en_archivo: count(({ enlace }) => enlace === 'ARCHIVO'),
    llaves: llaves.isMade() ? opciones.llaves : null,
  });
  if (faltas.length > 0) deps.exitWith(SALIDA_FALTAS);
}

const interrumpida = (hechos: number, de: number, llaves: string) =>
  `Se interrumpió: quedaron ${hechos} de ${de}. Guarde ${llaves} y repita la orden con otro --llaves: sigue donde se quedó. Si un RFC está en los dos archivos, sirve la llave del segundo.`;

/** What the links need; says before anything is done when they are not mailed. */
async function enlacesOf(
  deps: OperatorDeps,
  cuenta: CuentaVista,
  { solicitante, finalidad }: Opciones,
): Promise<Enlaces> {
  const { apiUrl, hayCorreo } = deps;
  if (apiUrl === undefined)
    throw new ExplainedError(
      'API_PUBLIC_URL: falta; el archivo tiene correos, y sus enlaces llevan a la API. Póngala, o quite la columna correo.',
    );
  const sealer = deps.sealer();
  const nombre = solicitante ?? cuenta.nombre.slice(0, MAX_SOLICITANTE).trim();
  const fault = solicitanteField.safeParse(nombre).error?.issues[0]?.message;
  if (fault !== undefined)
    throw new ExplainedError(`El nombre de la cuenta no sirve de solicitante: ${fault}. Diga otro con --solicitante.`);
  const usuarioId = hayCorreo ? await findSender(deps.database, cuenta.id) : null;
  if (usuarioId === null)
    deps.show({
      aviso: hayCorreo
        ? 'Los enlaces no van por correo: ningún propietario de la cuenta ha confirmado el suyo. Quedan en el archivo de llaves.'
        : 'Los enlaces no van por correo: falta CORREO_DE. Quedan en el archivo de llaves.',
    });
  const sender = usuarioId === null ? null : { usuarioId, alDia: null };
  return { sealer, publicUrl: apiUrl, solicitante: nombre, finalidad, sender };
}
