import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isFecha, parseRfc } from '@acuse/contract';
import type { Acuse, AcuseError } from '@acuse/sdk';
import { type Command, InvalidArgumentError } from 'commander';

/** Environment of an integrator's command line. */
export interface Entorno {
  /** `ACUSE_URL`, `ACUSE_API_KEY` and `ACUSE_RFC`: each goes before what `entrar` stored. */
  readonly url: string | undefined;
  readonly llave: string | undefined;
  readonly rfc: string | undefined;
  /** Where `entrar` stores them. */
  readonly carpeta: string;
  /** `NO_COLOR` (no-color.org), or a terminal that knows none. */
  readonly sinColor: boolean;
  /** True for a terminal without cursor movement: printed lines stay. */
  readonly sinCursor: boolean;
  /** True for a terminal with ASCII only. */
  readonly sinUnicode: boolean;
}

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

/** Service, its key and the RFC of the commands; an empty `rfc` where none is stored. */
export interface Acceso {
  readonly url: string;
  readonly llave: string;
  readonly rfc: string;
}

/** Parts of a command about the service. */
export interface Servicio {
  readonly consola: Consola;
  /** Opens the client for the stored access. Rejects with FalloOrden `SIN_ACCESO` without one. */
  readonly open: () => Promise<{ readonly acuse: Acuse; readonly acceso: Acceso }>;
  /** Makes a function that shows a passing failure before the next try. */
  readonly retryNotice: () => (error: AcuseError) => void;
}

/** Adds commands of a feature for integrators. */
export type AddClientCommands = (program: Command, servicio: Servicio) => void;

/** Failure that a command finds by itself. Its message is complete for a person. */
export class FalloOrden extends Error {
  readonly nombre: 'SIN_ACCESO' | 'ORDEN_INVALIDA' | 'INTERRUMPIDA' | 'TOPE_DE_CREDITOS' | 'ARCHIVO_DISTINTO';

  constructor(nombre: FalloOrden['nombre'], texto: string) {
    super(texto);
    this.name = 'FalloOrden';
    this.nombre = nombre;
  }
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

/** RFC of a command: the given one, else that of `entrar`. @throws FalloOrden without either. */
export function rfcOf({ rfc }: Acceso, given: string | undefined): string {
  const found = given ?? rfc;
  if (found === '') throw new FalloOrden('ORDEN_INVALIDA', 'Falta el RFC: dé --rfc, o «acuse entrar» una vez.');
  return found;
}

/** Reads an RFC. @throws InvalidArgumentError */
export function rfcArgument(value: string): string {
  const rfc = parseRfc(value);
  if (rfc === null) throw new InvalidArgumentError('debe tener 12 o 13 caracteres con el formato de un RFC');
  return rfc;
}

/** Reads a date, AAAA-MM-DD. @throws InvalidArgumentError */
export function fechaArgument(value: string): string {
  if (!isFecha(value)) throw new InvalidArgumentError('debe ser una fecha real con formato AAAA-MM-DD');
  return value;
}

/** @throws FalloOrden when the period ends before its first day. */
export function checkPeriodo(desde: unknown, hasta: unknown): void {
  if (typeof desde !== 'string' || typeof hasta !== 'string' || desde <= hasta) return;
  throw new FalloOrden('ORDEN_INVALIDA', `El periodo termina (${hasta}) antes de empezar (${desde}).`);
}

/** Reads a list whose elements commas separate. */
export const listArgument = (value: string) => value.split(',').map((each) => each.trim());
