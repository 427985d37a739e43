import { type Acceso, type Consola, FalloOrden, print, type Servicio } from '@acuse/roles/client';
import { Acuse } from '@acuse/sdk';
import { Command } from 'commander';
import { CLIENT_COMMANDS } from '../features.ts';
import { speakSpanish } from '../spanish.ts';
import { readVersion } from '../version.ts';
import { readAcceso } from './acceso.ts';
import { createAvance } from './avance.ts';
import { addCompletion } from './completar.ts';
import { addDescargar } from './descargar.ts';
import { addEntrar } from './entrar.ts';
import { jsonOf } from './fallos.ts';
import { addMcp } from './mcp.ts';
import { addOperaciones } from './operaciones.ts';
import { addVerificar } from './verificar.ts';

/** The orders of integrators and accountants: over HTTP, with an API key. */
export function createCliente(consola: Consola): Command {
  const connect = ({ url, llave }: Acceso) => {
    try {
      return new Acuse({ url, llave, aplicacion: `acuse-cli/${readVersion()}` });
    } catch (error) {
      throw new FalloOrden('SIN_ACCESO', (error as TypeError).message);
    }
  };
  const servicio: Servicio = {
    consola,
    async open() {
      const acceso = await readAcceso(consola.entorno);
      return { acuse: connect(acceso), acceso };
    },
    retryNotice: () => createAvance(consola).fallo,
  };
  const program = speakSpanish(new Command('acuse'))
    .description('Consultas al SAT y descargas de CFDI por un servicio de Acuse. Empiece con: acuse entrar')
    .version(readVersion(), '-v, --version', 'muestra la versión')
    .exitOverride()
    .configureOutput({
      writeErr(text) {
        const fallo = () => new FalloOrden('ORDEN_INVALIDA', text.trim().replace(/^Error: /, ''));
        consola.errores.write(consola.json ? `${jsonOf(fallo())}\n` : text);
      },
    });
  addEntrar(program, consola, connect);
  addDescargar(program, servicio);
  addVerificar(program, consola);
  for (const add of CLIENT_COMMANDS) add(program, servicio);
  addMcp(program, servicio);
  addOperaciones(program, servicio);
  addCompletion(program, (line) => print(consola, line));
  program
    .command('operador')
    .description('Órdenes de quien opera el servicio, sobre su base de datos. Véalas con: acuse operador ayuda');
  return program;
}
