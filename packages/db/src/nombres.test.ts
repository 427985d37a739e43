import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const HERE = new URL('./', import.meta.url);

/**
 * A connection refuses a second text under the name of a prepared statement, and which of two comes first differs from
 * process to process.
 */
test('a prepared statement of one file has the name of no other', () => {
  const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.ts$/.test(name) && !/generated|\.test\.ts$/.test(name),
  );
  const found = files.flatMap((file) => {
    const text = readFileSync(new URL(file, HERE), 'utf8');
    const names = [...text.matchAll(/(?:\bname: |\b(?:count|giveBack)\(|\bonly\(\w+, )'([a-z-]+)'/g)];
    return [...new Set(names.map(([, name]) => name))].map((name) => ({ name, file }));
  });
  expect(found.length).toBeGreaterThan(50);
  const twice = found.filter((one) => found.some(({ name, file }) => name === one.name && file !== one.file));
  expect(twice).toEqual([]);
});
