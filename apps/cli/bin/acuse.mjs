#!/usr/bin/env node
// The command line: from its TypeScript in a checkout, which a build may be older than, and elsewhere as it was compiled.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const built = new URL('../dist/main.js', import.meta.url);

/** What runs TypeScript; null where the libraries for building are not installed. */
function findLoader() {
  try {
    return import.meta.resolve('tsx');
  } catch {
    return null;
  }
}

const loader = existsSync(source) ? findLoader() : null;
if (loader === null) await import(built.href);
else {
  const { spawn } = await import('node:child_process');
  const args = ['--conditions=acuse-source', '--import', loader, source, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  // A terminal tells Ctrl-C to both: the order ends when it has said how to go on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('close', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
