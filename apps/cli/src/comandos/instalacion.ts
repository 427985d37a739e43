import { randomBytes } from 'node:crypto';
import { migrate } from '@acuse/db';
import { generateWorkerKeyPair } from '@acuse/vault';
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
  program
    .command('secretos')
    .description(
      'Genera secretos nuevos para una instalación, como variables de entorno. Guárdelos: perderlos es perder las credenciales.',
    )
    .action(() => {
      const pair = generateWorkerKeyPair();
      const clave = () => randomBytes(32).toString('base64');
      const psk = clave();
      print('# API');
      print(`API_KEY_PEPPERS=1:${clave()}`);
      print(`VAULT_KEYS=k1:${clave()}`);
      print(`WORKER_PUBLIC_KEY=w1:${pair.publicKey}`);
      print(`WORKER_PSK=p1:${psk}`);
      print('# Workers');
      print(`WORKER_KEYS=w1:${pair.privateKey}`);
      print(`WORKER_PSKS=p1:${psk}`);
    });
}
