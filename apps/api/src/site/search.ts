import { marked, type Token } from 'marked';
import MiniSearch, { type Options } from 'minisearch';
import { idsFor } from './markdown.ts';
import type { Language, Page } from './pages.ts';

/** A section of a page. */
interface Section {
  /** Its heading. */
  readonly title: string;
  /** The page that it is of. */
  readonly page: string;
  readonly href: string;
  /** Its first words. */
  readonly excerpt: string;
  readonly text: string;
}

const EXCERPT = 160;

/** The options of the index and of a search in it, as the script of the site gets them (assets/buscar.js). */
export const SEARCH_OPTIONS = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'href', 'excerpt'],
  searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, combineWith: 'AND' },
} satisfies Options<Section>;

/** Accents and capitals make no difference. The script of the site does the same. */
export const processTerm = (term: string) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The index of the pages of a language, as JSON. Browsers search it; a search here would hold up every call of the API. */
export function searchIndex(pages: readonly Page[], language: Language): string {
  const index = new MiniSearch<Section & { readonly id: number }>({ ...SEARCH_OPTIONS, processTerm });
  const sections = pages.filter((page) => page.language === language).flatMap(sectionsOf);
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return JSON.stringify(index);
}

/** A page cut at its headings of the first three ranks. */
function sectionsOf({ markdown, path, title: page }: Page): Section[] {
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
