import { idArgument } from '@acuse/roles/operator';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';
import { tellTraza } from '../historia.ts';

/** The whole story of one solicitud, of what the database holds. */
export function addTraza(program: Command, deps: () => CliDeps, print: (line: string) => void): void {
  program
    .command('traza')
    .description(
      'Cuenta todo lo que pasó con una solicitud, con lo que hay en la base de datos: aceptación y cargo, cada paso con su worker, lo que esperó y lo que contestó el SAT, partes, paquetes, devolución, webhooks y auditoría. Horas en UTC. Sin credenciales.',
    )
    .argument('<solicitud_id>', 'la que contestó la API', idArgument('un solicitud_id'))
    .option('--json', 'una línea de JSON con todo')
    .action(async (id: string, { json = false }: { json?: boolean }) => {
      const traza = await deps().trazas.read(id);
      if (traza === null) throw new Error(`No existe la solicitud ${id} en esta base de datos.`);
      if (json) deps().show(traza);
      else for (const line of tellTraza(traza)) print(line);
    });
}
