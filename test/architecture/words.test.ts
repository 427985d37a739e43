import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import dictionary from 'dictionary-en';
import nspell from 'nspell';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isTest, ROOT, readSources, type Source, walk } from './sources.ts';

const english = nspell(Buffer.from(dictionary.aff), Buffer.from(dictionary.dic));
const isEnglish = (word: string) =>
  english.correct(word) ||
  english.correct(word.toUpperCase()) ||
  english.correct(word[0]?.toUpperCase() + word.slice(1));

/** Terms that software has beside English: cspell's lists of them, of Node's names and of TypeScript's. */
const terms = new Set(
  ['software-terms', 'node', 'typescript'].flatMap((name) => {
    const folder = `${dirname(createRequire(import.meta.url).resolve(`@cspell/dict-${name}`))}/dict`;
    return readdirSync(folder)
      .filter((file) => /\.txt(\.gz)?$/.test(file))
      .flatMap((file) => {
        const bytes = readFileSync(`${folder}/${file}`);
        return wordsOf((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
      });
  }),
);

/** `abrirListaEFOS` is `abrir`, `lista`, `efos`. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 2);
}

const ENDINGS =
  /(aciones|acion|iciones|icion|adores|ador|idores|idor|[ai]d[oa]s?|[ai]ble?|ando|iendo|aron|ieron|[aei]r|[ae]n)$/;

/** One for a word, its plural, its feminine and its participle; without accents, ñ as n. */
function stemOf(word: string): string {
  const plain = word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/anio/, 'ano')
    .replace(/(?<=.{3})e?s$/, '');
  const [stem = plain] = [plain.replace(ENDINGS, ''), plain].filter(({ length }) => length > 1);
  const [root = stem] = [stem.replace(/[aeio]+$/, ''), stem].filter(({ length }) => length > 2);
  return root.replace(/qu$|c$/, 'z').replace(/gu$/, 'g');
}

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
const stemsOf = (names: readonly string[]) => new Set(names.flatMap(wordsOf).map(stemOf));

/** Names of fields, closed values and paths in an OpenAPI document. */
function namesOfApi(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties, paths, enum: values, const: value } = node as Record<string, unknown>;
  const closed = [...(Array.isArray(values) ? values : []), value].filter((each) => typeof each === 'string');
  return [
    ...[properties, paths].flatMap((each) => Object.keys(each ?? {})),
    ...closed,
    ...Object.values(node).flatMap(namesOfApi),
  ];
}

/** Names outside of the code: tables and columns, the interface, settings, dependencies. */
const outside = stemsOf([
  ...[...read('prisma/schema.prisma').matchAll(/^(?:model|\s+)\s*(\w+)\s+[\w{]|map\("(\w+)"\)/gm)].map(
    (found) => found[1] ?? found[2] ?? '',
  ),
  ...namesOfApi(JSON.parse(read('docs/openapi.json'))),
  ...[...read('.env.example').matchAll(/^#? ?([A-Z][A-Z\d_]+)=/gm)].map(([, name = '']) => name),
  ...walk(ROOT.slice(0, -1))
    .filter((path) => path.endsWith('/package.json'))
    .flatMap((path) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(path, 'utf8'));
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    }),
]);

/** Words of software that no dictionary has: `group: words` on each line. */
const software = read('test/architecture/terms.txt')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .flatMap((line) => wordsOf(line.split(': ')[1] ?? ''));

/** First cells of the tables of the glossary; those of the last section are words that no concept above explains. */
const headsOf = (text: string) => [...text.matchAll(/^\| ([^|]+) \|/gm)].flatMap((row) => wordsOf(row[1] ?? ''));
const [concepts = '', entries = ''] = read('docs/developers/glossary.md').split('## Other words in identifiers');
const heads = headsOf(entries).filter((word) => word !== 'word');
const known = new Set([...headsOf(concepts), ...heads, ...software].map(stemOf));

function identifiersOf({ path, text }: Source): Set<string> {
  const found = new Set<string>();
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind));
  return found;
}

describe('the words of identifiers', () => {
  const places = new Map<string, string>();
  for (const source of readSources()) {
    for (const name of identifiersOf(source)) {
      for (const word of wordsOf(name)) if (!places.has(word)) places.set(word, `${name} in ${source.path}`);
    }
  }

  it('are English, names of the schema or the interface, or in the glossary', () => {
    const strange = [...places].filter(
      ([word]) => !terms.has(word) && !isEnglish(word) && !outside.has(stemOf(word)) && !known.has(stemOf(word)),
    );
    expect(strange.map(([word, place]) => `${word}: ${place}`)).toEqual([]);
  });

  it('leave no unused word in the glossary and in terms.txt', () => {
    const used = new Set([...places.keys()].map(stemOf));
    expect([...heads, ...software].filter((word) => !used.has(stemOf(word)))).toEqual([]);
  });

  it('leave no word there that English, the schema or the interface has', () => {
    const isKnown = (word: string) => terms.has(word) || isEnglish(word) || outside.has(stemOf(word));
    expect([...heads, ...software].filter(isKnown)).toEqual([]);
  });
});

/** The names that a file logs under: the last argument of `log.warn(fields, 'queue_failed')`. */
function eventsOf({ path, text }: Source): string[] {
  const found: string[] = [];
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const event = node.arguments.at(-1);
      if (/^(debug|info|warn|error|fatal)$/.test(name.text) && /\blog$/.test(expression.getText()) && event)
        found.push(event.getText().slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind));
  return found;
}

it('log events have stable names in snake_case', () => {
  const events = readSources()
    .filter((source) => !isTest(source))
    .flatMap(eventsOf);
  expect(events.length).toBeGreaterThan(40);
  expect(events.filter((event) => !/^[a-z\d]+(_[a-z\d]+)+$/.test(event))).toEqual([]);
});
