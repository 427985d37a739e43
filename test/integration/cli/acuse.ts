import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programEntry } from '@acuse/embedded';
import { inject } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What it reads on its standard input, which is no terminal; nothing by default. */
  readonly input?: string;
}

/** The installed command line. */
const programOf = () => programEntry(inject('programs'), 'cli');
const environment = (env: RunOptions['env']) => ({ PATH: process.env['PATH'], HOME: '/nonexistent', ...env });

/** Starts an order. */
export function startAcuse(args: readonly string[], { env, cwd = ROOT, input = '' }: RunOptions = {}) {
  const child = spawn(process.execPath, [programOf(), ...args], { cwd, env: environment(env) });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said.err += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return { child, said, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...said })) };
}

/** Runs an order to its end. */
export const runAcuse = (args: readonly string[], options?: RunOptions) => startAcuse(args, options).ended;

/** Quotes a word for a shell. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** Starts an order before a terminal of so many columns: what it shows, and what a person types. */
export function startAtTerminal(args: readonly string[], { env, cwd = ROOT }: RunOptions, columns = 80) {
  const order = [process.execPath, programOf(), ...args].map(quoted).join(' ');
  const command = `stty cols ${columns} rows 24; exec ${order}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', LANG: 'C.UTF-8', ...environment(env) },
  });
  const seen = { screen: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    seen.screen += chunk;
  });
  return {
    seen,
    type: (text: string) => void child.stdin.write(text),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...seen })),
  };
}
