import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../vitest.config.ts';
import { isGenerated, isTest, readSources } from './sources.ts';

const sources = readSources();
const production = sources.filter((source) => !isTest(source));

describe('budgets', () => {
  it('keeps files small: 400 lines at most', () => {
    expect(
      sources
        .filter((source) => source.lines > 401 && !isGenerated(source))
        .map(({ path, lines }) => `${path}: ${lines}`),
    ).toEqual([]);
  });

  it('keeps folders small: 15 sources at most', () => {
    const folders = new Map<string, number>();
    for (const { path } of production) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
    expect([...folders].filter(([, count]) => count > 15)).toEqual([]);
  });

  it('has no any, no module mock, no suppression, no unfinished work, no spread of an object literal', () => {
    const found = sources.flatMap(({ path, text }) =>
      path.startsWith('test/architecture/')
        ? []
        : [
            /(:|\bas|<)\s*any\b/,
            /\bvi\.(mock|doMock)\(/,
            /\bTODO\b|\bFIXME\b/,
            /@ts-ignore|@ts-nocheck/,
            /(?<!\{)\.\.\.\{/,
          ]
            .filter((pattern) =>
              pattern.test(
                text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, (comment) =>
                  /TODO|FIXME|@ts-/.test(comment) ? comment : '',
                ),
              ),
            )
            .map((pattern) => `${path}: ${pattern.source}`),
    );
    expect(found).toEqual([]);
  });

  it('has no vague file names', () => {
    expect(
      sources.filter(({ path }) => /\/(utils?|helpers?|types|common|misc)\.tsx?$/.test(path)).map(({ path }) => path),
    ).toEqual([]);
  });

  it('examines the recorded statements after all other tests of a whole run', () => {
    const planes = 'test/integration/db/planes.test.ts';
    expect(sources.map(({ path }) => path)).toContain(planes);
    expect(config.test?.projects).toMatchObject([
      { test: { name: 'all', exclude: [planes] } },
      { test: { name: 'last', include: [planes], sequence: { groupOrder: 1 } } },
    ]);
  });
});
