import { migrate } from '@acuse/db';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';
import { newSecretos, writeSecretos } from '../secretos.ts';

export function addInstalacion(program: Command, deps: () => CliDeps, print: (line: string) => void): void {
  program
    .command('migrar')
    .description('Lleva la base de datos al esquema más reciente. Puede repetirse.')
    .action(async () => {
      const { databaseUrl } = deps();
      print(JSON.stringify({ aplicadas: await migrate(databaseUrl) }));
    });
  program
    .command('secretos')
    .description(
      'Genera secretos nuevos para una instalación. Guárdelos: perderlos es perder las credenciales guardadas.',
    )
    .option('--carpeta <ruta>', 'un archivo por secreto; los que ya existan se conservan')
    .action(async ({ carpeta }: { carpeta?: string }) => {
      const secretos = Object.entries(newSecretos());
      if (carpeta === undefined) for (const [name, value] of secretos) print(`${name}=${value}`);
      else print(JSON.stringify({ carpeta, escritos: await writeSecretos(carpeta, secretos) }));
    });
}
