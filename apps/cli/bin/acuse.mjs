#!/usr/bin/env node
// The operator's command line: compiled where it was built, from its TypeScript in a checkout.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(built))) await import(built.href);
else {
  const { spawnSync } = await import('node:child_process');
  const source = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const args = ['--conditions=acuse-source', '--import', import.meta.resolve('tsx'), source, ...process.argv.slice(2)];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = signal === null ? (status ?? 1) : 1;
}
