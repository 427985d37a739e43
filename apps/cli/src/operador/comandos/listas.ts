import { createReadStream } from 'node:fs';
import { readRfcs } from '@acuse/db';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';
import { AUTOR, textArgument } from '../search.ts';

export function addEfos(program: Command, deps: () => CliDeps): void {
  const efos = program.command('efos').description('Lista del artículo 69-B (EFOS) que publica el SAT.');

  efos
    .command('estado')
    .description('La versión que responde y los últimos intentos de actualizarla, con el motivo de los que fallaron.')
    .action(async () => {
      const { vigente, cargas, pedidaEn } = await deps().efos.estado();
      deps().show({
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
          ...{ resultado, motivo },
        })),
      });
    });

  efos
    .command('cargar')
    .description('Pide a los workers (rol listas) que la busquen ahora; el resultado se ve con: efos estado')
    .option('--forzar', 'acepta una lista con muchos menos renglones que la vigente, o de un corte anterior', false)
    .action(async ({ forzar }: { forzar: boolean }) => {
      await deps().efos.askFor({ forzar, ...AUTOR });
      deps().show({ pedida: true, forzar });
    });
}

type Estado = NonNullable<Awaited<ReturnType<CliDeps['edos']['estado']>>>;
const shown = ({ fuente, rfcs, importadaEn }: Estado) => ({ fuente, rfcs, importada_en: importadaEn });

export function addEdos(program: Command, deps: () => CliDeps): void {
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
      deps().show(shown(await deps().edos.importar({ fuente, rfcs, ...AUTOR })));
    });

  edos
    .command('estado')
    .description('La lista importada, o null.')
    .action(async () => {
      const estado = await deps().edos.estado();
      deps().show(estado && shown(estado));
    });

  edos
    .command('borrar')
    .description('Quita la lista: las respuestas dirán que no hay ninguna.')
    .action(async () => {
      deps().show({ borrada: await deps().edos.remove(AUTOR) });
    });
}
