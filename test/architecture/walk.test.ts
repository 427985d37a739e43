import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { featuresIn, readWalk } from './figures.ts';
import { importsOf, isTest, ROOT, reachableFrom, readSources } from './sources.ts';

/** Where a call of `descarga-metadata` enters: the API loads its operations by their place, not by an import. */
const ROOTS = [
  'apps/api/src/main.ts',
  'apps/api/src/operations/tax/descarga-metadata.ts',
  'apps/worker/src/main.ts',
] as const;
/** Folders in which every file is on the way. */
const WHOLE = ['apps/api/src/http', 'packages/core/src/solicitud'];

const production = readSources().filter((source) => !isTest(source));
const reachable = reachableFrom(ROOTS, importsOf);

const walk = readWalk();

describe('the walk from HTTP to ZIP in docs/developers/architecture.md', () => {
  it('names each file once', () => {
    expect(walk.length).toBeGreaterThan(ROOTS.length);
    expect(new Set(walk).size).toBe(walk.length);
  });

  it('names only files that exist and that the processes import', () => {
    expect(walk.filter((path) => !existsSync(`${ROOT}${path}`) || !reachable.has(path))).toEqual([]);
  });

  it('names no optional feature', () => {
    expect(walk.flatMap(featuresIn)).toEqual([]);
  });

  it.each(WHOLE)('leaves out no file of %s', (folder) => {
    const own = production.map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`));
    expect(own).not.toEqual([]);
    expect(own.filter((path) => !walk.includes(path))).toEqual([]);
  });
});
