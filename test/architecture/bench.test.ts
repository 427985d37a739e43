import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { NAMED, USUAL } from '../bench/measures.ts';

const ACUSE = fileURLToPath(new URL('../../packages/embedded/bin/acuse.mjs', import.meta.url));

it('npm run bench -- --help names every measure, those that run only by name last', () => {
  const help = execFileSync(process.execPath, [ACUSE, 'bench', '--help'], { encoding: 'utf8' });
  const named = [...help.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
  expect(named).toEqual([...Object.keys(USUAL), ...Object.keys(NAMED)]);
  expect(help).toMatch(/todas menos las últimas seis/);
  expect(Object.keys(NAMED)).toHaveLength(6);
});
