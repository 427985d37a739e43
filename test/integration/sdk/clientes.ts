import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DRIVERS = `${ROOT}test/integration/sdk/drivers`;
const snake = (name: string) => name.replace(/[A-Z]|(?<=[a-z])\d+(?=[a-z])/g, (part) => `_${part.toLowerCase()}`);

/** A language that has a client of its own, beside TypeScript. */
export interface Language {
  readonly nombre: string;
  readonly paquete: string;
  /** As the samples of its page are marked, and how their file is called. */
  readonly marca: string;
  readonly archivo: string;
  readonly entryProgram: string;
  /** What it needs to find the client. */
  readonly env: Readonly<Record<string, string>>;
  /** What makes it complain of what it would only mention. */
  readonly flags: readonly string[];
  readonly driver: string;
  /** A name of the TypeScript client as this one has it. */
  readonly nombreDe: (name: string) => string;
  /** Why its tests are skipped; null where they run. */
  readonly falta: string | null;
}

/** Null where `program` runs and finds nothing missing. */
function missing(program: string, args: readonly string[], needs: string): string | null {
  return spawnSync(program, args).status === 0 ? null : `there is no ${needs} on this machine`;
}

/** Languages of clients; tested where the interpreter is installed, else reported as skipped. */
export const LANGUAGES: readonly Language[] = [
  {
    nombre: 'Python',
    paquete: `${ROOT}packages/sdk-python`,
    marca: 'python',
    archivo: 'programa.py',
    entryProgram: 'python3',
    // A warning is a fault; nothing is left beside the sources.
    flags: ['-B', '-W', 'error'],
    env: { PYTHONPATH: `${ROOT}packages/sdk-python` },
    driver: `${DRIVERS}/driver.py`,
    nombreDe: (name) => name.split('.').map(snake).join('.'),
    falta: missing('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], 'Python 3.9 or later'),
  },
  {
    nombre: 'PHP',
    paquete: `${ROOT}packages/sdk-php`,
    marca: 'php',
    archivo: 'programa.php',
    entryProgram: 'php',
    flags: ['-d', 'display_errors=stderr', '-d', 'error_reporting=-1', '-d', 'memory_limit=128M'],
    env: { ACUSE_PHP: `${ROOT}packages/sdk-php` },
    driver: `${DRIVERS}/driver.php`,
    nombreDe: (name) => name,
    falta: missing(
      'php',
      ['-r', 'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") ? 0 : 1);'],
      'PHP 8.1 or later with its extension curl',
    ),
  },
];

/** What a client told while it worked. */
export interface Dicho {
  /** Seconds of the pauses between tries and looks. */
  readonly pausas: readonly number[];
  readonly avances: readonly Record<string, unknown>[];
  readonly fallos: readonly string[];
  readonly recibidos: readonly (readonly [number, number])[];
  /** Of a list that is gone through, in their order. */
  readonly elementos: readonly Record<string, unknown>[];
  /** What its logger got. */
  readonly registros: readonly Record<string, unknown>[];
}
export interface Fallado {
  readonly clase: string;
  readonly mensaje: string;
  readonly nombre?: string;
  readonly codigo?: number | null;
  readonly http?: number | null;
  readonly datos?: Record<string, unknown>;
  readonly requestId?: string | null;
  readonly reintentarEn?: number | null;
}
export interface Hecho extends Dicho {
  readonly resultado?: Record<string, unknown>;
  readonly error?: Fallado;
}

/** What an order gave. @throws Error with what it failed with. */
export function resultadoDe<T = Record<string, unknown>>({ resultado, error }: Hecho): T {
  if (resultado === undefined) throw new Error(JSON.stringify(error));
  return resultado as T;
}

/** How the client of an order is made: its options, and how long its pauses are. */
export interface Opciones {
  readonly cliente: { readonly url: string; readonly llave: string } & Readonly<Record<string, unknown>>;
  /** What a pause of a second takes. */
  readonly scale?: number;
  readonly azar?: number;
}

/** A process that uses the client of a language. */
export interface Proceso {
  /** Calls a method by the name that it has in TypeScript, and waits for its end. */
  call(opciones: Opciones, metodo: string, args: object, onSaid?: (dicho: Dicho) => void): Promise<Hecho>;
  /** Kills it, as a machine that goes away. */
  kill(): Promise<void>;
  /** Ends it. @throws Error when it complained of anything. */
  close(): Promise<void>;
}

/** Starts a process of a language; orders to it are done one after the other. */
export function startProceso({ entryProgram, flags, driver, env, nombreDe }: Language): Proceso {
  const child: ChildProcess = spawn(entryProgram, [...flags, driver], { env: { ...process.env, ...env } });
  let complaints = '';
  child.stderr?.on('data', (chunk) => (complaints += chunk));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  return {
    async call({ cliente, scale = 0, azar = 1 }, metodo, args, onSaid) {
      const named = (given: object) => Object.fromEntries(Object.entries(given).map(([k, v]) => [nombreDe(k), v]));
      const order = { cliente: named(cliente), scale, azar, metodo: nombreDe(metodo), args: named(args) };
      child.stdin?.write(`${JSON.stringify(order)}\n`);
      const pausas: number[] = [];
      const avances: Record<string, unknown>[] = [];
      const fallos: string[] = [];
      const recibidos: [number, number][] = [];
      const elementos: Record<string, unknown>[] = [];
      const registros: Record<string, unknown>[] = [];
      const dicho = { pausas, avances, fallos, recibidos, elementos, registros };
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the process ended: ${complaints}`);
        const line = JSON.parse(value);
        if ('resultado' in line || 'error' in line) return { ...line, ...dicho };
        if ('pausa' in line) pausas.push(line.pausa);
        if ('avance' in line) avances.push(line.avance);
        if ('fallo' in line) fallos.push(line.fallo);
        if ('recibido' in line) recibidos.push(line.recibido);
        if ('elemento' in line) elementos.push(line.elemento);
        if ('registro' in line) registros.push(line.registro);
        onSaid?.(dicho);
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async close() {
      child.stdin?.end();
      await ended;
      if (complaints !== '') throw new Error(complaints);
    },
  };
}
