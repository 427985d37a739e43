import { marked, type Token } from 'marked';
import MiniSearch from 'minisearch';
import { OPTIONS } from '../../src/site/assets/terminos.js';
import { idsFor } from './markdown.ts';
import { type Language, type Page, START } from './pages.ts';

/** A section of a page. */
interface Section {
  /** Its heading. */
  readonly title: string;
  /** The page that it is of. */
  readonly page: string;
  readonly href: string;
  /** Its first words. */
  readonly excerpt: string;
  /** Its first paragraph, which names codes and fields; a long table is a body. */
  readonly lead: string;
  readonly text: string;
  /** Factor of its score. */
  readonly rank: number;
}

const EXCERPT = 160;

/** The index of the pages of a language, as JSON. Browsers search it; a search here would hold up every call of the API. */
export function searchIndex(pages: readonly Page[], language: Language): string {
  const index = new MiniSearch<Section & { readonly id: number }>(OPTIONS);
  const sections = pages.filter((page) => page.language === language).flatMap(sectionsOf);
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return JSON.stringify(index);
}

/** Guides before their sections, and both before what a client, an operation or the simulator says of the same. */
function rankOf({ path, source, language, isOperation }: Page, isTop: boolean): number {
  if (path === START[language]) return 0.2;
  if (/sdk|simulador|(typescript|python|php)\.md$/.test(source) || isOperation) return isTop ? 1.35 : 0.3;
  if (/\/errore?s$/.test(path)) return 1.1;
  return isTop && !/\/(codigos-sat|sat-codes)$/.test(path) ? 1.55 : 1;
}

/** A page cut at its headings of the first three ranks. */
function sectionsOf(whole: Page): Section[] {
  const { markdown, path, title: page } = whole;
  const idOf = idsFor();
  const sections: { title: string; href: string; lead: string; text: string }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading' && token.depth <= 3) {
      const title = plain(token);
      const id = idOf(title);
      sections.push({ title, href: token.depth === 1 ? path : `${path}#${id}`, lead: '', text: '' });
    } else {
      const last = sections.at(-1);
      if (last && last.lead === '' && token.type === 'paragraph') last.lead = plain(token);
      else if (last) last.text += ` ${plain(token)}`;
    }
  }
  return sections.map(({ title, href, lead, text }) => {
    const words = `${lead} ${text}`.replace(/\s+/g, ' ').trim();
    const excerpt = words.length > EXCERPT ? `${words.slice(0, words.lastIndexOf(' ', EXCERPT))}…` : words;
    const isTop = href === path;
    return { title, page: isTop ? '' : page, href, lead, text, excerpt, rank: rankOf(whole, isTop) };
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
