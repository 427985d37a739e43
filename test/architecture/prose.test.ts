import { marked, type Token } from 'marked';
import { expect, it } from 'vitest';
import { documents, textOf } from '../integration/documentos/ordenes.ts';

/** Documents that people outside this code read. */
const GUIDES = documents().filter((path) =>
  /^((README|LEEME|CONTRIBUTING|SECURITY)\.md|docs\/(README|integrators|operators)|packages\/sdk[\w-]*\/README)/.test(
    path,
  ),
);
const MOST_WORDS = 28;
/** A beginning that does not name what its paragraph is about. */
const PRONOUN =
  /^(it|its|he|she|they|we|what|who|whoever|of|one|that|those|(this|these) (is|are|was|were|has|have|does|prints|says|shows|makes|means|needs))\b/i;
const PRONOUN_ES =
  /^(esto|eso|ello|él|ella|ellos|ellas|est[oa]s son|lo (que|demás|anterior|pasajero)|quien|quienes)(?=\s)/i;

/** Words of a token; a code span is one. */
function plain(token: Token): string {
  if (token.type === 'codespan') return 'X';
  return 'tokens' in token && token.tokens
    ? token.tokens.map(plain).join('')
    : 'text' in token
      ? String(token.text)
      : '';
}

/** Paragraphs of a document, items of lists apart: those begin wherever their list does. */
function paragraphsOf(tokens: readonly Token[], isItem = false): { readonly text: string; readonly isItem: boolean }[] {
  return tokens.flatMap((token) => {
    if (token.type === 'list')
      return token.items.flatMap((item: Token) => paragraphsOf(('tokens' in item && item.tokens) || [], true));
    if (token.type === 'paragraph' || (token.type === 'text' && isItem))
      return [{ text: plain(token).replace(/\s+/g, ' ').trim(), isItem }];
    return [];
  });
}
const sentencesOf = (text: string) => text.split(/(?<=[.!?])\s+/);

it('finds a long sentence and a paragraph that begins with a pronoun', () => {
  const long = `${'word '.repeat(MOST_WORDS)}\`a b\`.`;
  const found = paragraphsOf(marked.lexer(`It is *one*. ${long}\n\n- What it is\n\n\`\`\`sh\nIt\n\`\`\``));
  expect(found.map(({ text, isItem }) => [PRONOUN.test(text), isItem])).toEqual([
    [true, false],
    [true, true],
  ]);
  expect(sentencesOf(found[0]?.text ?? '').map((each) => each.split(' ').length)).toEqual([3, MOST_WORDS + 1]);
});

it.each(GUIDES)(`%s: no sentence has more than ${MOST_WORDS} words`, (path) => {
  const long = paragraphsOf(marked.lexer(textOf(path)))
    .flatMap(({ text }) => sentencesOf(text))
    .filter((sentence) => sentence.split(' ').length > MOST_WORDS);
  expect(long).toEqual([]);
});

it.each(documents().filter((path) => GUIDES.includes(path) || path.startsWith('docs/')))(
  '%s: every paragraph names its subject',
  (path) => {
    const unnamed = paragraphsOf(marked.lexer(textOf(path)))
      .filter(({ text, isItem }) => !isItem && (PRONOUN.test(text) || PRONOUN_ES.test(text)))
      .map(({ text }) => text);
    expect(unnamed).toEqual([]);
  },
);
