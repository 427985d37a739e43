import { Rechazo } from '@acuse/db';
import { explain } from '@acuse/runtime';
import { readConfig } from './config.ts';
import { type CliDeps, openDeps } from './deps.ts';
import { createProgram } from './program.ts';
import { TEXTOS } from './textos.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
let deps: CliDeps | undefined;

function open(): CliDeps {
  deps ??= openDeps(readConfig(), print);
  return deps;
}

function textOf(error: unknown): string {
  if (error instanceof Rechazo) return TEXTOS[error.motivo];
  return explain(error);
}

try {
  await createProgram(open, print).parseAsync();
} catch (error) {
  process.stderr.write(`${textOf(error)}\n`);
  process.exitCode = 1;
} finally {
  await deps?.close();
}
