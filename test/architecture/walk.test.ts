import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importsOf, isTest, ROOT, reachableFrom, readSources } from './sources.ts';

const MOST = 45;
/** Where a call of `descarga-metadata` enters: the API loads its operations by their place, not by an import. */
const ROOTS = [
  'apps/api/src/main.ts',
  'apps/api/src/operations/tax/descarga-metadata.ts',
  'apps/worker/src/main.ts',
] as const;
/** Folders in which every file is on the way. */
const WHOLE = ['apps/api/src/http', 'packages/core/src/solicitud'];

/** Risk, capsule and subscriptions register themselves through hooks: no file of the walk calls one by its name. */
const FEATURES = /riesgo|cruce|contraparte|c[aá]psula|sincroniza|suscri|consentimiento|webhook|correo/i;
/** Names on the wire, of columns and in stored bytes. */
const STORED = [
  ...['capsula: z', 'capsula = false', 'mayPresign: capsula', "capsula: ['boolean'", "PRESIGNED = 'capsula'"],
  ...['t.capsula AS "mayPresign"', 't.sincronizacion_id AS "origenId"'],
];
const withoutStored = (line: string) => STORED.reduce((rest, name) => rest.replace(name, ''), line);

const production = readSources().filter((source) => !isTest(source));
const reachable = reachableFrom(ROOTS, importsOf);

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

  it('names no optional feature', () => {
    const named = walk.flatMap((path) => {
      const lines = readFileSync(`${ROOT}${path}`, 'utf8').split('\n');
      return lines.filter((line) => FEATURES.test(withoutStored(line))).map((line) => `${path}: ${line.trim()}`);
    });
    expect(named).toEqual([]);
  });

  it.each(WHOLE)('leaves out no file of %s', (folder) => {
    const own = production.map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`));
    expect(own).not.toEqual([]);
    expect(own.filter((path) => !walk.includes(path))).toEqual([]);
  });
});
