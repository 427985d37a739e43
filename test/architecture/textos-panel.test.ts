import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { isTest, ROOT, readSources, type Source } from './sources.ts';

/** Rows of the accountants' glossary: term, meaning, words to avoid, source. */
const GLOSSARY = readFileSync(`${ROOT}docs/accountants/glosario.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split('|').slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()));

const TEXTS =
  /^apps\/panel\/src\/|^packages\/page\/src\/|^packages\/\w+\/src\/panel\/|^packages\/correo\/src\/textos\.ts$/;

/** Whether a literal speaks to a reader: it has a space or a capital, or is counted. */
const isText = (node: ts.Node, text: string) =>
  /\s|^\p{Lu}\p{Ll}/u.test(text) ||
  (ts.isCallExpression(node.parent) && /^(count|many)$/.test(node.parent.expression.getText()));

/** Texts of a file for its readers: of JSX, and literals with a space or a capital. */
function textsOf({ path, text }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isJsxText(node)) found.push(node.text);
    else if (
      ts.isStringLiteral(node) ||
      ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    )
      if (isText(node, node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(
    ts.createSourceFile(
      path,
      text,
      ts.ScriptTarget.Latest,
      true,
      path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    ),
  );
  return found;
}

const words = (phrase: string) => new RegExp(`(?<!\\p{L})${phrase.replaceAll(/\s+/g, '\\s+')}s?(?!\\p{L})`, 'iu');

it('the glossary has forty terms and more, each with its meaning and its source', () => {
  expect(GLOSSARY.length).toBeGreaterThanOrEqual(40);
  expect(GLOSSARY.filter(([term, meaning, , source]) => !term || !meaning || !source)).toEqual([]);
});

/** Where a reader finds a term: article, rule, field, appendix, catalogue, page or document of the SAT, or a dictionary. */
const SOURCE =
  /^(CFF|LISR) \d|^RMF(, Anexo 24, código agrupador)? [\d.]+|^(Guía|Anexo 20), (campo \p{Lu}|apéndice \d)|^c_\p{Lu}|^SAT, «.+»|^\d+-\p{Lu}$|^RAE, \p{Lu}/u;

it('each source of the glossary names its place', () => {
  const sources = GLOSSARY.flatMap(([term, , , source = '']) =>
    source.split('; ').map((each) => [term, each] as const),
  );
  expect(sources.filter(([, source]) => !SOURCE.test(source))).toEqual([]);
});

it('the texts of the panel use the words of the glossary', () => {
  const sources = readSources().filter((source) => TEXTS.test(source.path) && !isTest(source));
  const texts = sources.flatMap((source) => textsOf(source).map((text) => ({ path: source.path, text })));
  expect(texts.length).toBeGreaterThan(1_000);
  const avoided = GLOSSARY.flatMap(([term, , instead = '']) =>
    instead
      .split(', ')
      .filter(Boolean)
      .map((phrase) => ({ term, phrase, pattern: words(phrase) })),
  );
  const found = texts.flatMap(({ path, text }) =>
    avoided
      .filter(({ pattern }) => pattern.test(text))
      .map(({ phrase, term }) => `${path}: ${phrase} -> ${term}: ${text.trim()}`),
  );
  expect(found).toEqual([]);
});
