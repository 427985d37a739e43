import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isTest, readSources, type Source } from './sources.ts';
import {
  heads,
  identifiersOf,
  isEnglish,
  known,
  mixedIdentifiers,
  outside,
  software,
  stemOf,
  terms,
  wordsOf,
} from './vocabulary.ts';

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

it('an identifier mixes languages when it joins English with Spanish that is no tax noun, column or field', () => {
  const text = 'const readCelda = 1; const readSolicitud = 2; const { readCell, celdaVacia } = 3;';
  expect(mixedIdentifiers([{ path: 'a.ts', text, lines: 1 }])).toEqual(['readCelda']);
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
