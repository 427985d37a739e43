import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
const numbered = (letter: string, n: number) => Array.from({ length: n }, (_, at) => `${letter}${at + 1}`);

/** A row of docs/developers/proofs.md: `| F1 | fault | proven by | size | `test` | not proven |`. */
const rows = [...read('docs/developers/proofs.md').matchAll(/^\| ([FMS]\d+) \| (.*) \|$/gm)].map(
  ([, row = '', rest = '']) => {
    const [, proven = '', , command = ''] = rest.split(' | ');
    return { row, proven, command };
  },
);

/** Test files that a cell names, with titles or without. */
const filesOf = (cell: string) => [...cell.matchAll(/`([\w./-]+\.test\.tsx?)`/g)].map(([, file = '']) => file);

/** The titles that a cell names, each with the file that stands before it. */
const titlesOf = (cell: string) =>
  [...cell.matchAll(/`([\w./-]+\.test\.tsx?)`([^`]*)/g)].flatMap(([, file = '', after = '']) =>
    [...after.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  );

/** Tests that prove each row: the page names some of them. */
const pinned = [...read('test/architecture/proofs.txt').matchAll(/^([FMS]\d+) (\S+): (.+)$/gm)].map(
  ([, row = '', file = '', title = '']) => ({ row, file, title }),
);

/** A test has its title as the first thing in a bracket: that of a call, or of a row in a table of tests. */
function hasTitle(file: string, title: string): boolean {
  const text = read(file).replaceAll(/\\(['"`])/g, '$1');
  return ["'", '"', '`'].some((quote) => {
    const parts = text.split(`${quote}${title}${quote}`);
    return parts.slice(0, -1).some((before) => /[([]\s*$/.test(before));
  });
}

describe('docs/developers/proofs.md', () => {
  it('has every row of the matrix once, in order', () => {
    expect(rows.map(({ row }) => row)).toEqual([...numbered('F', 17), ...numbered('M', 12), ...numbered('S', 18)]);
  });

  it('names existing tests', () => {
    expect(pinned.length).toBeGreaterThan(245);
    expect(pinned.filter(({ file, title }) => !existsSync(`${ROOT}${file}`) || !hasTitle(file, title))).toEqual([]);
  });

  it('names tests and files that are pinned for the row', () => {
    const named = rows.flatMap(({ row, proven }) => titlesOf(proven).map((each) => ({ row, ...each })));
    expect(named.length).toBeGreaterThan(100);
    expect(pinned).toEqual(expect.arrayContaining(named));
    const files = rows.flatMap(({ row, proven }) => filesOf(proven).map((file) => `${row} ${file}`));
    const known = new Set(pinned.map(({ row, file }) => `${row} ${file}`));
    expect(files.filter((file) => !known.has(file))).toEqual([]);
  });

  it('names a title in every row that has a test file, and the command that runs each file', () => {
    const wrong = rows.filter(({ proven, command }) => {
      const titles = titlesOf(proven);
      const files = filesOf(proven);
      const isFault = files.some((file) => file.startsWith('test/faults/'));
      const isQuick = files.some((file) => !/^test\/(?:faults|integration\/contenedores)\//.test(file));
      return (
        titles.length !== [...proven.matchAll(/“/g)].length ||
        (files.length > 0 && titles.length === 0) ||
        files.some((file) => !existsSync(`${ROOT}${file}`)) ||
        (isFault && !command.includes('`test:faults`')) ||
        (isQuick && !command.includes('`test`'))
      );
    });
    expect(wrong).toEqual([]);
  });

  it('names existing commands', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = rows.flatMap(({ command }) => [...command.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(rows.length);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe('the promises', () => {
  const promises = [...read('docs/developers/proofs.md').matchAll(/^\| (P\d+) \| (.*) \| (.*) \| (.*) \|$/gm)];

  it('are twelve, each with rows of the matrix and their commands', () => {
    expect(promises.map(([, name]) => name)).toEqual(numbered('P', 12));
    for (const [, name, , named = '', command = ''] of promises) {
      const proofs = named.split(', ').map((row) => rows.find((each) => each.row === row));
      expect([name, proofs.includes(undefined)]).toEqual([name, false]);
      for (const one of command.split(', '))
        expect([name, one, proofs.some((proof) => proof?.command.includes(one))]).toEqual([name, one, true]);
    }
  });
});
