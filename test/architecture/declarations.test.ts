import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from './sources.ts';

it('writes a declaration for every module of a package, as `npm run build` does', { timeout: 600_000 }, () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'test/architecture/declarations.json'];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
});
