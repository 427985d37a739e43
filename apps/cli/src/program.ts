import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCaptchas } from './comandos/captchas.ts';
import { addCuenta } from './comandos/cuenta.ts';
import { addEdos } from './comandos/edos.ts';
import { addEfos } from './comandos/efos.ts';
import { addInstalacion } from './comandos/instalacion.ts';
import { addIps } from './comandos/ips.ts';
import { addLlave } from './comandos/llave.ts';
import { addOperacion } from './comandos/operacion.ts';
import { addPagos } from './comandos/pagos.ts';
import { addRfc } from './comandos/rfc.ts';
import { addSaldo } from './comandos/saldo.ts';
import { addSecretos } from './comandos/secretos.ts';
import { addSolicitudes } from './comandos/solicitudes.ts';
import { addUsuario } from './comandos/usuario.ts';
import type { CliDeps } from './deps.ts';
import { speakSpanish } from './spanish.ts';

/**
 * The operator's commands. `deps` is asked for by the commands that reach the database, so that the others need no
 * settings.
 */
export function createProgram(deps: () => CliDeps, print: (line: string) => void): Command {
  const program = speakSpanish(new Command('acuse'))
    .description('Órdenes del operador de Acuse. Cada resultado es una línea de JSON.')
    .version(readVersion(), '-v, --version', 'muestra la versión')
    // «secretos» and its own orders both take a folder: an option belongs to the order before it.
    .enablePositionalOptions();
  addCuenta(program, deps);
  addUsuario(program, deps);
  addRfc(program, deps);
  addLlave(program, deps);
  addSaldo(program, deps);
  addPagos(program, deps);
  addOperacion(program, deps);
  addIps(program, deps);
  addSolicitudes(program, deps);
  addEfos(program, deps);
  addEdos(program, deps);
  addCaptchas(program, deps);
  addInstalacion(program, deps, print);
  addSecretos(program, deps, print);
  return program;
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
