import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { Heading } from './markdown.ts';
import { type Language, type Page, SITE, START } from './pages.ts';

/** What is written around a page, in each language. */
const WORDS = {
  es: {
    skip: 'Saltar al contenido',
    menu: 'Menú',
    navigation: 'Documentación',
    onThisPage: 'En esta página',
    search: 'Buscar en la documentación',
    go: 'Buscar',
    other: 'English',
    previous: 'Anterior',
    next: 'Siguiente',
    markdown: 'Esta página en Markdown',
    openapi: 'OpenAPI',
    home: 'Acuse · Documentación',
    onlySpanish: '',
  },
  en: {
    skip: 'Skip to content',
    menu: 'Menu',
    navigation: 'Documentation',
    onThisPage: 'On this page',
    search: 'Search the documentation',
    go: 'Search',
    other: 'Español',
    previous: 'Previous',
    next: 'Next',
    markdown: 'This page as Markdown',
    openapi: 'OpenAPI',
    home: 'Acuse · Documentation',
    onlySpanish: ' (in Spanish)',
  },
} as const;

const OTHER: Readonly<Record<Language, Language>> = { es: 'en', en: 'es' };

/** Beyond this the list of sections is longer than the screen, and such a page begins with one of its own. */
const MAX_SECTIONS = 20;

export interface LayoutProps {
  readonly language: Language;
  /** Address of this page. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  /** The same in the other language, if there is one. */
  readonly other: string | null;
  readonly pages: readonly Page[];
  readonly headings: readonly Heading[];
  /** Address with content hash of a file in assets/. */
  readonly asset: (name: string) => string;
  /** The page in Markdown, if there is one. */
  readonly markdown: string | null;
  readonly children?: Child;
}

/** The whole document around a page. It works without scripts; the script adds what is more comfortable. */
export function Layout(props: LayoutProps) {
  const { language, path, title, summary, other, pages, headings, asset, children } = props;
  const words = WORDS[language];
  const own = pages.filter((page) => page.language === language);
  const at = own.findIndex((page) => page.path === path);
  const isHome = path === START[language];
  const sections = headings.filter(({ depth }) => depth === 2);
  return (
    <>
      {raw('<!DOCTYPE html>')}
      <html lang={language === 'es' ? 'es-MX' : 'en'}>
        <head>
          <meta charset="utf-8" />
          <title>{isHome ? words.home : `${title} · Acuse`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="description" content={summary} />
          <link rel="icon" type="image/svg+xml" href={asset('icono.svg')} />
          <link rel="stylesheet" href={asset('sitio.css')} />
          {other === null ? null : <link rel="alternate" hreflang={OTHER[language]} href={other} />}
          {props.markdown === null ? null : <link rel="alternate" type="text/markdown" href={props.markdown} />}
          <script type="module" src={asset('sitio.js')} />
        </head>
        <body>
          <a class="saltar" href="#contenido">
            {words.skip}
          </a>
          <header class="cabecera">
            <a class="marca" href={START[language]}>
              <img src={asset('icono.svg')} alt="" width="28" height="28" />
              Acuse
            </a>
            <a class="a-menu" href="#menu">
              {words.menu}
            </a>
            {pages.some((page) => page.language !== language) ? (
              <a
                class="idioma"
                href={other ?? START[OTHER[language]]}
                lang={OTHER[language]}
                hreflang={OTHER[language]}
              >
                {words.other}
              </a>
            ) : null}
          </header>
          <div class="cuerpo">
            <main id="contenido" tabindex={-1}>
              <article class={isHome ? 'pagina portada' : 'pagina'}>{children}</article>
              {at < 0 ? null : <Around words={words} previous={own[at - 1]} next={own[at + 1]} />}
            </main>
            {sections.length < 3 || sections.length > MAX_SECTIONS || isHome ? null : (
              <nav class="aqui" aria-label={words.onThisPage}>
                <p>{words.onThisPage}</p>
                <ul>
                  {sections.map(({ id, text }) => (
                    <li>
                      <a href={`#${id}`}>{text}</a>
                    </li>
                  ))}
                </ul>
              </nav>
            )}
            <nav class="menu" id="menu" aria-label={words.navigation}>
              {[...new Set(own.map(({ group }) => group))].map((group) => (
                <>
                  <p>{group}</p>
                  <ul>
                    {own
                      .filter((page) => page.group === group)
                      .map((page) => (
                        <li>
                          <a href={page.path} {...(page.path === path ? { 'aria-current': 'page' } : {})}>
                            {page.label}
                          </a>
                        </li>
                      ))}
                  </ul>
                </>
              ))}
            </nav>
          </div>
          <footer class="pie">
            {props.markdown === null ? null : <a href={props.markdown}>{words.markdown}</a>}
            <a href="/openapi.json">{words.openapi}</a>
            <a href={`${SITE}/llms.txt`}>llms.txt</a>
          </footer>
        </body>
      </html>
    </>
  );
}

/** Where the pages before and after this one are. */
function Around(props: {
  readonly words: (typeof WORDS)[Language];
  readonly previous: Page | undefined;
  readonly next: Page | undefined;
}) {
  const { words, previous, next } = props;
  return (
    <nav class="alrededor" aria-label={`${words.previous}, ${words.next}`}>
      {previous ? (
        <a rel="prev" href={previous.path}>
          <span>{words.previous}</span> {previous.label}
        </a>
      ) : null}
      {next ? (
        <a rel="next" href={next.path}>
          <span>{words.next}</span> {next.label}
        </a>
      ) : null}
    </nav>
  );
}
