import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import dictionary from 'dictionary-en';
import nspell from 'nspell';
import ts from 'typescript';
import { ROOT, type Source, walk } from './sources.ts';

const english = nspell(Buffer.from(dictionary.aff), Buffer.from(dictionary.dic));
export const isEnglish = (word: string) =>
  english.correct(word) ||
  english.correct(word.toUpperCase()) ||
  english.correct(word[0]?.toUpperCase() + word.slice(1));

/** Terms that software has beside English: cspell's lists of them, of Node's names and of TypeScript's. */
export const terms = new Set(
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
export function wordsOf(text: string): string[] {
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
export function stemOf(word: string): string {
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
export const outside = stemsOf([
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
export const software = read('test/architecture/terms.txt')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .flatMap((line) => wordsOf(line.split(': ')[1] ?? ''));

/** First cells of the tables of the glossary; those of the last section are words that no concept above explains. */
const headsOf = (text: string) => [...text.matchAll(/^\| ([^|]+) \|/gm)].flatMap((row) => wordsOf(row[1] ?? ''));
const [concepts = '', entries = ''] = read('docs/developers/glossary.md').split('## Other words in identifiers');
export const heads = headsOf(entries).filter((word) => word !== 'word');
export const known = new Set([...headsOf(concepts), ...heads, ...software].map(stemOf));

/** Names in a source that `isTaken` takes, with their parents. */
function namesIn({ path, text }: Source, isTaken: (name: ts.Identifier) => boolean): Set<string> {
  const found = new Set<string>();
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isTaken(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind));
  return found;
}

export const identifiersOf = (source: Source) => namesIn(source, () => true);
const declaredIn = (source: Source) =>
  namesIn(source, (name) => (name.parent as { readonly name?: ts.Node }).name === name);

/** Words of the glossary that name no tax concept. */
const others = new Set(heads.map(stemOf));

/**
 * Declared names that join an English word with a Spanish one that is neither a tax noun of the glossary nor a column, a
 * field or a setting: `readCelda`, but not `readSolicitud`.
 */
export function mixedIdentifiers(sources: readonly Source[]): readonly string[] {
  const isForeign = (word: string) => !terms.has(word) && !isEnglish(word);
  const isMixed = (name: string) => {
    const words = wordsOf(name);
    const isPlain = (word: string) => !isForeign(word) && !outside.has(stemOf(word)) && !others.has(stemOf(word));
    return words.some(isPlain) && words.some((word) => isForeign(word) && others.has(stemOf(word)));
  };
  return [...new Set(sources.flatMap((source) => [...declaredIn(source)]))].filter(isMixed).sort();
}
