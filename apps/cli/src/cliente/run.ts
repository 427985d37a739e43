import { type Consola, print } from '@acuse/roles/client';
import { CommanderError } from 'commander';
import { wordsAfter, wordsAsked } from './completar.ts';
import { readEnvironment } from './config.ts';
import { jsonOf, SALIDAS, salidaOf, textOf } from './fallos.ts';
import { createCliente } from './program.ts';

function openConsole(args: readonly string[]): Consola {
  let stop: AbortController | undefined;
  return {
    entrada: process.stdin,
    salida: process.stdout,
    errores: process.stderr,
    entorno: readEnvironment(),
    json: args.includes('--json'),
    interrupcion() {
      if (stop !== undefined) return stop.signal;
      const controller = new AbortController();
      stop = controller;
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        process.on(name, () => {
          // A second interrupt ends at once.
          if (controller.signal.aborted) process.exit(SALIDAS.interrumpida);
          controller.abort();
        });
      return controller.signal;
    },
  };
}

/** What completes an order; those of the operator are loaded for their own orders only. */
async function complete(consola: Consola, words: readonly string[]): Promise<void> {
  const program = createCliente(consola);
  const isOperador = words[0] === 'operador' && words.length > 1;
  const found = isOperador
    ? wordsAfter(
        (await import('../operador/program.ts')).createProgram(neverOpened, neverPrinted, unseen),
        words.slice(1),
      )
    : wordsAfter(program, words);
  for (const word of found) print(consola, word);
}
const neverOpened = () => {
  throw new Error('completing an order does not carry it out');
};
const neverPrinted = () => {};
const unseen = { env: {}, now: Date.now, exitWith: neverPrinted };

/** An operation by its path is its order: `tax/facturas` is `tax facturas`. */
const splitPath = (args: readonly string[]) => args.flatMap((arg, at) => (at === 0 ? arg.split('/') : [arg]));

/** Carries out an order of an integrator; sets the exit code (docs/integrators/es/cli.md). */
export async function runCliente(args: readonly string[]): Promise<void> {
  const consola = openConsole(args);
  try {
    const asked = wordsAsked(args);
    if (asked === null) await createCliente(consola).parseAsync(splitPath(args), { from: 'user' });
    else await complete(consola, asked);
  } catch (error) {
    // Of an order that cannot be read the library has said so.
    if (!(error instanceof CommanderError)) consola.errores.write(`${consola.json ? jsonOf(error) : textOf(error)}\n`);
    process.exitCode = salidaOf(error);
  }
}
