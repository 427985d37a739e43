import { migrate } from '@acuse/db';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';

export function addInstalacion(program: Command, deps: () => CliDeps, print: (line: string) => void): void {
  program
    .command('migrar')
    .description('Lleva la base de datos al esquema más reciente. Puede repetirse.')
    .action(async () => {
      const { databaseUrl } = deps();
      print(JSON.stringify({ aplicadas: await migrate(databaseUrl) }));
    });
}
