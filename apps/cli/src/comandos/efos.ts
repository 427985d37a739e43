import type { Command } from 'commander';
import { AUTOR } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

export function addEfos(program: Command, deps: () => CliDeps): void {
  const efos = program.command('efos').description('Lista del artículo 69-B (EFOS) que publica el SAT.');

  efos
    .command('estado')
    .description('La versión que responde y los últimos intentos de actualizarla, con el motivo de los que fallaron.')
    .action(async () => {
      const { vigente, cargas, pedidaEn } = await deps().efos.estado();
      deps().print(
        JSON.stringify({
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
        }),
      );
    });

  efos
    .command('cargar')
    .description('Pide a los workers (rol listas) que la busquen ahora; el resultado se ve con: efos estado')
    .option('--forzar', 'acepta una lista con muchos menos renglones que la vigente, o de un corte anterior', false)
    .action(async ({ forzar }: { forzar: boolean }) => {
      await deps().efos.pedir({ forzar, ...AUTOR });
      deps().print(JSON.stringify({ pedida: true, forzar }));
    });
}
