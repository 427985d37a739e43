import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { Marked, type Token } from 'marked';
import { expect, it } from 'vitest';
import { idsFor } from '../../apps/api/src/site/markdown.ts';
import { documents, textOf } from '../integration/documentos/ordenes.ts';
import { ROOT } from './sources.ts';

const all = documents();

/** The links of a document, and the ids of its headings as GitHub and the site of /docs make them. */
function readDocument(document: string) {
  const hrefs: string[] = [];
  const ids = new Set<string>();
  const idOf = idsFor();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens }) {
        ids.add(idOf(this.parser.parseInline(tokens, this.parser.textRenderer)));
        return this.parser.parseInline(tokens);
      },
    },
    walkTokens: (token: Token) => {
      if (token.type === 'link' || token.type === 'image') hrefs.push(token['href']);
    },
  });
  marked.parse(textOf(document), { async: false });
  return { hrefs, ids };
}

const read = new Map(all.map((document) => [document, readDocument(document)]));

it('has more documents and links than a few', () => {
  expect(all.length).toBeGreaterThan(100);
  expect([...read.values()].flatMap(({ hrefs }) => hrefs).length).toBeGreaterThan(300);
});

it.each(all)('%s: every link leads to a file that is there, and to a heading of it', (document) => {
  const broken = (read.get(document)?.hrefs ?? []).filter((href) => {
    if (/^(https?|mailto):/.test(href)) return false;
    const [path = '', fragment] = href.split('#').map(decodeURIComponent);
    const target = path === '' ? document : posix.normalize(posix.join(posix.dirname(document), path));
    const isThere = existsSync(`${ROOT}${target}`);
    return !isThere || (fragment !== undefined && read.get(target)?.ids.has(fragment) === false);
  });
  expect(broken).toEqual([]);
});

/** Code spans outside of code blocks. */
const spansOf = (document: string) =>
  [
    ...textOf(document)
      .replace(/```[\s\S]*?```/g, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, span = '']) => span);

it.each(all)('%s: every path of this repository in a code span is there', (document) => {
  const isOfWorkspace = /^(apps|packages)\/[\w-]+\/README\.md$/.test(document);
  const missing = spansOf(document).filter((span) => {
    const isOwn = isOfWorkspace && /^src\/[\w./-]+$/.test(span);
    if (!isOwn && !/^(apps|packages|test|prisma|ops)\/[\w./-]+$/.test(span)) return false;
    return !existsSync(`${ROOT}${isOwn ? posix.join(posix.dirname(document), span) : span}`);
  });
  expect(missing).toEqual([]);
});
