import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, isTest, ROOT, readSources } from './sources.ts';

const MOST = 45;
/** Where a call of `descarga-metadata` enters: the API loads its operations by their place, not by an import. */
const ROOTS = [
  'apps/api/src/main.ts',
  'apps/api/src/operations/tax/descarga-metadata.ts',
  'apps/worker/src/main.ts',
] as const;
/** Folders in which every file is on the way. */
const WHOLE = ['apps/api/src/http', 'packages/core/src/solicitud'];

const production = new Map(
  readSources()
    .filter((source) => !isTest(source))
    .map((source) => [source.path, source]),
);

/** The source that an import leads to; null for a library. */
function targetOf(from: string, name: string): string | null {
  const path = name.startsWith('@acuse/') ? `packages/${name.slice(7)}/src/index.ts` : join(dirname(from), name);
  return production.has(path) ? path : null;
}

const reachable = new Set<string>(ROOTS);
for (const path of reachable)
  for (const name of importsOf(production.get(path) ?? { path, text: '', lines: 0 })) {
    const target = targetOf(path, name);
    if (target !== null) reachable.add(target);
  }

const text = readFileSync(`${ROOT}docs/architecture.md`, 'utf8');
const section = /^## From HTTP to ZIP$([\s\S]*?)(?=^## )/m.exec(text)?.[1] ?? '';
const walk = [...section.matchAll(/^\d+\. `([^`]+)`: .+$/gm)].map(([, path = '']) => path);

describe('the walk from HTTP to ZIP in docs/architecture.md', () => {
  it(`has at most ${MOST} files, each once`, () => {
    expect(walk.length).toBeGreaterThan(ROOTS.length);
    expect(walk.length).toBeLessThanOrEqual(MOST);
    expect(new Set(walk).size).toBe(walk.length);
  });

  it('names only files that exist and that the processes import', () => {
    expect(walk.filter((path) => !existsSync(`${ROOT}${path}`) || !reachable.has(path))).toEqual([]);
  });

  it.each(WHOLE)('leaves out no file of %s', (folder) => {
    const own = [...production.keys()].filter((path) => path.startsWith(`${folder}/`));
    expect(own).not.toEqual([]);
    expect(own.filter((path) => !walk.includes(path))).toEqual([]);
  });
});
