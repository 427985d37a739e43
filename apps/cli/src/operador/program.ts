import { Command } from 'commander';
import { OPERATOR_COMMANDS, RECOVERY_STEPS } from '../features.ts';
import { speakSpanish } from '../spanish.ts';
import { readVersion } from '../version.ts';
import { addBase, addMigration } from './comandos/base.ts';
import { addCaptchas } from './comandos/captchas.ts';
import { addCuenta, addSaldo } from './comandos/cuenta.ts';
import { addTeam } from './comandos/equipo.ts';
import { addPagos } from './comandos/pagos.ts';
import { addCheck, addRecuperar } from './comandos/recuperar.ts';
import { addBackup } from './comandos/respaldar.ts';
import { addRevisar, type ReviewDeps } from './comandos/revisar.ts';
import { addIps, addLlave, addOperacion, addRfc } from './comandos/rfc.ts';
import { addSecretos } from './comandos/secretos.ts';
import { addSolicitudes } from './comandos/solicitudes.ts';
import { addTraza } from './comandos/traza.ts';
import { addUsuario } from './comandos/usuario.ts';
import type { CliDeps } from './deps.ts';
import { type Cluster, readCluster } from './secretos/kubernetes.ts';

const FEATURES = await Promise.all(OPERATOR_COMMANDS.map(async ({ after, load }) => ({ after, add: await load() })));
const RECOVERY = await Promise.all(RECOVERY_STEPS.map((load) => load()));

/**
 * The operator's commands. `deps` is asked for by the commands that reach the database, so that the others need no
 * settings. `around`: what «revisar» looks at, how it tells the worst that it saw, and the cluster that keeps secrets, which
 * is that of the pod unless told otherwise.
 */
export function createProgram(
  deps: () => CliDeps,
  print: (line: string) => void,
  around: Omit<ReviewDeps, 'print'> & { readonly cluster?: () => Promise<Cluster> },
): Command {
  const { cluster = () => readCluster(around.env) } = around;
  const program = speakSpanish(new Command('acuse operador'))
    .description('Órdenes del operador de Acuse. Cada resultado es una línea de JSON.')
    .version(readVersion(), '-v, --version', 'muestra la versión')
    // «secretos» and its own orders both take a folder: an option belongs to the order before it.
    .enablePositionalOptions();
  const core: readonly ((program: Command, deps: () => CliDeps) => void)[] = [
    ...[addCuenta, addUsuario, addTeam, addRfc, addLlave, addSaldo, addPagos, addOperacion, addIps, addSolicitudes],
    () => addTraza(program, deps, print),
    ...[addCaptchas, addMigration, addBase, addCheck],
    () => addBackup(program, deps, around.env),
    () => addRecuperar(program, deps, RECOVERY),
    () => addSecretos(program, deps, { print, cluster }),
    () => addRevisar(program, { ...around, print }),
  ];
  for (const add of core) {
    add(program, deps);
    const last = program.commands.at(-1)?.name();
    for (const feature of FEATURES) if (feature.after === last) feature.add(program, deps);
  }
  return program;
}
