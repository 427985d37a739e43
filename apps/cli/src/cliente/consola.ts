import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Entorno } from './config.ts';
import { FalloOrden } from './fallos.ts';

/** Streams of a command: answers on `salida`, all other text on `errores`. */
export interface Consola {
  readonly entrada: NodeJS.ReadStream;
  readonly salida: NodeJS.WriteStream;
  readonly errores: NodeJS.WriteStream;
  readonly entorno: Entorno;
  /** True for output to a program: one line of JSON for each message. */
  readonly json: boolean;
  /**
   * Aborted when the person or the system asks to stop (Ctrl-C, a terminal that is closed), which from its first use on
   * ends nothing else.
   */
  readonly interrupcion: () => AbortSignal;
}

const STANDARD_INPUT = '-';

/** Asks a person; the terminal shows the input, unless it is secret. @throws FalloOrden without a person. */
export async function ask(
  { entrada, errores }: Consola,
  pregunta: string,
  { esSecreta = false, sinTerminal }: { readonly esSecreta?: boolean; readonly sinTerminal: string },
): Promise<string> {
  if (!entrada.isTTY) throw new FalloOrden('ORDEN_INVALIDA', sinTerminal);
  // The question stays visible, and what would be echoed goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: entrada, output: esSecreta ? nowhere : errores, terminal: true });
  if (esSecreta) errores.write(pregunta);
  const left = new AbortController();
  terminal.once('SIGINT', () => left.abort());
  terminal.once('close', () => left.abort());
  try {
    return (await terminal.question(esSecreta ? '' : pregunta, { signal: left.signal })).trim();
  } catch {
    throw new FalloOrden('INTERRUMPIDA', 'No se hizo nada.');
  } finally {
    terminal.close();
    if (esSecreta) errores.write('\n');
  }
}

/** The first line of a file, or of the standard input for `-`. Nothing secret is ever an argument: others see those. */
export async function readSecreto({ entrada }: Consola, ruta: string): Promise<string> {
  const content = ruta === STANDARD_INPUT ? await text(entrada) : await readFile(ruta, 'utf8');
  return content.replace(/\r?\n[\s\S]*$/, '');
}

/** Prints a line of an answer. */
export const print = ({ salida }: Consola, line: string): void => void salida.write(`${line}\n`);
