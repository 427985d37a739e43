#!/usr/bin/env node
// The command line: compiled where it was built, from its TypeScript in a checkout.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(built))) await import(built.href);
else {
  const { spawn } = await import('node:child_process');
  const source = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const args = ['--conditions=acuse-source', '--import', import.meta.resolve('tsx'), source, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  // A terminal tells Ctrl-C to both: the order ends when it has said how to go on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('close', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
