import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTest, readSources } from './sources.ts';

const sources = readSources();
const production = sources.filter((source) => !isTest(source));

const percentile = (values: number[], p: number) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;
};

describe('budgets', () => {
  it('keeps files small: 300 lines at most, a median of 80, a 95th percentile of 250', () => {
    expect(sources.filter(({ lines }) => lines > 301).map(({ path, lines }) => `${path}: ${lines}`)).toEqual(
      [],
    );
    const lines = production.map((source) => source.lines);
    expect(percentile(lines, 0.5)).toBeLessThanOrEqual(80);
    expect(percentile(lines, 0.95)).toBeLessThanOrEqual(250);
  });

  it('keeps folders small: 15 sources at most', () => {
    const folders = new Map<string, number>();
    for (const { path } of production) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
    expect([...folders].filter(([, count]) => count > 15)).toEqual([]);
  });

  it('has no any, no module mock, no non-null assertion by suppression, no unfinished work', () => {
    const found = sources.flatMap(({ path, text }) =>
      path.startsWith('test/architecture/')
        ? []
        : [/(:|\bas|<)\s*any\b/, /\bvi\.(mock|doMock)\(/, /\bTODO\b|\bFIXME\b/, /@ts-ignore|@ts-nocheck/]
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
      sources
        .filter(({ path }) => /\/(utils?|helpers?|types|common|misc)\.tsx?$/.test(path))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});
