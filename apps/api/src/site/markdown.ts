import { posix } from 'node:path';
import { escapeHtml } from '@acuse/runtime';
import { Marked, Renderer, type Tokens } from 'marked';
import { type Language, type Page, REFERENCE, OPENAPI as SERVED } from './pages.ts';

/** A heading of a page, to jump to. */
export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}

/** A page as HTML, with its headings in order. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Where a link of a page leads: an address of the site or of another host, or null when it leads to no page. */
type Resolve = (href: string) => { readonly to: string; readonly page?: Page } | null;
/** Source of the reference; `#tax/facturas` is the page of that operation. */
const OPENAPI = 'docs/openapi.json';
/** A link that is named after its file, which readers of the site do not see. */
const FILE_NAME = /^[\w./-]+\.md$/;

const TABLE: Readonly<Record<Language, string>> = { es: 'Tabla', en: 'Table' };
const SAMPLE: Readonly<Record<Language, string>> = { es: 'Ejemplo', en: 'Example' };

/** Renders a page. Raw HTML is shown as text: no document needs it. Headings have the ids that GitHub gives them. */
export function renderPage(page: Page, pages: readonly Page[]): Rendered {
  const { markdown, language } = page;
  const headings: Heading[] = [];
  const idOf = idsFor();
  const resolve = linksOf(page, pages);
  const marked = new Marked({ gfm: true });
  const plain = new Renderer();
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = idOf(text);
        headings.push({ id, depth, text });
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const found = resolve(href);
        if (found === null) return text;
        const { to, page: target } = found;
        const name = target !== undefined && FILE_NAME.test(text) ? escapeHtml(target.label) : text;
        return `<a href="${escapeHtml(to)}">${name}</a>`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        const [name = ''] = lang.split(/\s/);
        // A box that scrolls has to be reached by keys too (WCAG 2.2, 2.1.1).
        const label = `${SAMPLE[language]}${name === '' ? '' : `: ${name}`}`;
        return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}" data-lang="${escapeHtml(name)}"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        plain.parser = this.parser;
        const title = headings.at(-1)?.text ?? page.title;
        const label = escapeHtml(`${TABLE[language]}: ${title}`);
        return `<div class="deslizable" tabindex="0" role="group" aria-label="${label}">${plain.table(token)}</div>\n`;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      image: ({ text }: Tokens.Image) => escapeHtml(text),
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}

/** Ids as GitHub makes them: `Esperar días, y continuar` is `esperar-días-y-continuar`; names of errors stay as they are. */
export function idsFor(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const id = /^[A-Z][A-Z_]+$/.test(text)
      ? text
      : text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .trim()
          .replace(/\s/g, '-');
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
}

/**
 * Links of a document are those that it has in the repository: another document is its page here, in the language of
 * the page where there is one, openapi.json is served, and a document that has no page is only named.
 */
function linksOf({ source, language, path }: Page, pages: readonly Page[]): Resolve {
  return (href) => {
    if (/^(https:|mailto:|#|\/)/.test(href)) return { to: href };
    const [file = '', fragment] = href.split('#');
    const target = posix.normalize(posix.join(posix.dirname(source), file));
    const hash = fragment === undefined ? '' : `#${fragment}`;
    if (target === OPENAPI) return { to: fragment ? `${REFERENCE[language]}/${fragment}` : SERVED[language] };
    const found =
      pages.find((page) => page.source === target && page.language === language) ??
      pages.find((page) => page.source === target);
    if (found === undefined) return null;
    return { to: found.path === path && hash !== '' ? hash : `${found.path}${hash}`, page: found };
  };
}
