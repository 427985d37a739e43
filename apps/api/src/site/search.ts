import { marked, type Token } from 'marked';
import MiniSearch from 'minisearch';
import { idsFor } from './markdown.ts';
import type { Language, Page } from './pages.ts';

/** A section of a page that was found. */
export interface Hit {
  /** Its heading. */
  readonly title: string;
  /** The page that it is of. */
  readonly page: string;
  readonly href: string;
  /** How it begins. */
  readonly excerpt: string;
}

interface Section extends Hit {
  readonly id: number;
  readonly text: string;
}

/** Characters of a question that are looked at. */
export const MAX_QUESTION = 100;
const MAX_HITS = 20;
const EXCERPT = 160;
const STORED = ['title', 'page', 'href', 'excerpt'] as const;

/** Accents and capitals make no difference. The script of the site, assets/buscar.js, does the same. */
const processTerm = (term: string) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The search through the pages of a language: for the server by `find`, for the script of the site as `json`. */
export function createSearch(pages: readonly Page[], language: Language) {
  const index = new MiniSearch<Section>({ fields: ['title', 'page', 'text'], storeFields: [...STORED], processTerm });
  const sections = pages.filter((page) => page.language === language).flatMap(sectionsOf);
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return {
    json: () => JSON.stringify(index),
    /** The best sections first; every word has to be in one, or begin one. */
    find(question: string): readonly Hit[] {
      const found = index.search(question.slice(0, MAX_QUESTION), {
        prefix: true,
        fuzzy: 0.15,
        boost: { title: 4, page: 2 },
        combineWith: 'AND',
      });
      return found.slice(0, MAX_HITS).map(({ title, page, href, excerpt }): Hit => ({ title, page, href, excerpt }));
    },
  };
}

/** A page cut at its headings of the first three ranks. */
function sectionsOf({ markdown, path, title: page }: Page): Omit<Section, 'id'>[] {
  const idOf = idsFor();
  const sections: { title: string; href: string; text: string }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading' && token.depth <= 3) {
      const title = plain(token);
      const id = idOf(title);
      sections.push({ title, href: token.depth === 1 ? path : `${path}#${id}`, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text += ` ${plain(token)}`;
    }
  }
  return sections.map(({ title, href, text }) => {
    const words = text.replace(/\s+/g, ' ').trim();
    const excerpt = words.length > EXCERPT ? `${words.slice(0, words.lastIndexOf(' ', EXCERPT))}…` : words;
    return { title, page, href, text: words, excerpt };
  });
}

/** The words of a token, without its marks. */
function plain(token: Token): string {
  if (token.type === 'table')
    return [token.header, ...token.rows]
      .flat()
      .map((cell: { tokens: Token[] }) => joined(cell.tokens))
      .join(' ');
  if (token.type === 'list') return token.items.map((item: Token) => plain(item)).join(' ');
  if ('tokens' in token && token.tokens) return joined(token.tokens);
  return 'text' in token ? String(token.text) : '';
}

const joined = (tokens: readonly Token[]) => tokens.map(plain).join('');
