import { ESTADOS_SOLICITUD, type EstadoSolicitud } from '@acuse/contract';
import { idArgument, integerArgument, requireCuenta, rfcArgument } from '@acuse/roles/operator';
import { type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';

interface Options {
  cuenta?: string;
  rfc?: string;
  estado?: EstadoSolicitud;
  antes?: string;
  limite: number;
}

export function addSolicitudes(program: Command, deps: () => CliDeps): void {
  program
    .command('solicitudes')
    .description('Solicitudes de descarga.')
    .command('listar')
    .description('Lista solicitudes, las nuevas primero, una por línea.')
    .option('--cuenta <email>', 'solo de esta cuenta')
    .option('--rfc <rfc>', 'solo de este RFC', rfcArgument)
    .addOption(new Option('--estado <estado>', 'solo en este estado').choices([...ESTADOS_SOLICITUD]))
    .option(
      '--antes <id>',
      'las anteriores a esta solicitud: la siguiente página',
      idArgument('el solicitud_id con el que terminó la página anterior'),
    )
    .option('--limite <n>', 'cuántas', integerArgument, 50)
    .action(async ({ cuenta, rfc, estado, antes, limite }: Options) => {
      const { solicitudes } = deps();
      const page = [
        { ...(rfc ? { rfc } : {}), ...(estado ? { estado } : {}) },
        antes ? { antesDe: antes } : null,
        Math.min(limite, 1_000),
      ] as const;
      const { filas } = cuenta
        ? await solicitudes.page((await requireCuenta(deps(), cuenta)).id, ...page)
        : await solicitudes.all(...page);
      for (const fila of filas)
        deps().show({
          solicitud_id: fila.id,
          rfc: fila.rfc,
          tipo: fila.tipo,
          desde: fila.desde,
          hasta: fila.hasta,
          canal: fila.canal,
          estado: fila.estado,
          motivo: fila.motivo,
          intentos: fila.intentos,
          registros: fila.registros,
          creada_en: fila.creadaEn,
          terminada_en: fila.terminadaEn,
        });
    });
}
