import { type MotivoRechazo, Rechazo } from '@acuse/db';
import { explain } from '@acuse/runtime';
import { readConfig, readEnvironment } from './config.ts';
import { type CliDeps, openDeps } from './deps.ts';
import { createProgram } from './program.ts';

/** What an operator reads when the state of the database does not allow an order. */
const TEXTOS: Record<MotivoRechazo, string> = {
  EMAIL_REPETIDO: 'Ya existe una cuenta o un usuario con ese correo. Use otro, o el que ya existe.',
  RFC_REPETIDO: 'La cuenta ya tiene ese RFC.',
  CUENTA_DESCONOCIDA: 'No existe una cuenta con ese correo. Créela con: cuenta crear',
  USUARIO_DESCONOCIDO: 'No existe un usuario del panel con ese correo. Créelo con: usuario crear',
  RFC_DESCONOCIDO: 'La cuenta no tiene ese RFC. Agréguelo con: rfc agregar',
  LLAVE_DESCONOCIDA: 'No existe una API key con ese identificador.',
  LLAVE_CAMBIADA: 'La API key del RFC cambió mientras tanto. Revise cuál es la vigente y repita.',
  CREDITOS_INVALIDOS: 'Los créditos deben ser un número entero entre 1 y 100,000,000.',
};

const print = (line: string) => process.stdout.write(`${line}\n`);
const around = {
  env: readEnvironment(),
  now: Date.now,
  exitWith: (code: number) => {
    process.exitCode = code;
  },
};

/** Carries out an order of the operator; sets the exit code. */
export async function runOperador(args: readonly string[]): Promise<void> {
  let deps: CliDeps | undefined;
  const open = () => {
    deps ??= openDeps(readConfig(), print, around.exitWith);
    return deps;
  };
  try {
    await createProgram(open, print, around).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.stderr.write(`${error instanceof Rechazo ? TEXTOS[error.motivo] : explain(error)}\n`);
    process.exitCode = 1;
  } finally {
    await deps?.close();
  }
}
