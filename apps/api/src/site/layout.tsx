import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { Heading } from './markdown.ts';
import {
  type Language,
  OPENAPI,
  OTHER,
  type Page,
  POSTMAN,
  REFERENCE,
  SEARCH,
  SEARCH_INDEX,
  SITE,
  START,
  STATUS,
} from './pages.ts';

/** Texts around a page, in each language. */
const WORDS = {
  es: {
    skip: 'Saltar al contenido',
    menu: 'Menú',
    navigation: 'Documentación',
    onThisPage: 'En esta página',
    search: 'Buscar en la documentación',
    go: 'Buscar',
    none: 'No se encontró nada. Pruebe con menos palabras, o con otras.',
    question: 'Escriba qué busca: el nombre de un error, un campo, un código del SAT.',
    searchScripts: 'La búsqueda usa JavaScript. Sin él, el menú lleva a todas las páginas; todas están también en',
    guides: 'Guías',
    reference: 'Referencia',
    other: 'English',
    previous: 'Anterior',
    next: 'Siguiente',
    panel: 'Panel',
    status: 'Estado del SAT',
    markdown: 'Esta página en Markdown',
    openapi: 'OpenAPI',
    home: 'Acuse · Documentación',
  },
  en: {
    skip: 'Skip to content',
    menu: 'Menu',
    navigation: 'Documentation',
    onThisPage: 'On this page',
    search: 'Search the documentation',
    go: 'Search',
    none: 'Nothing was found. Try fewer words, or others.',
    question: 'Type what you look for: the name of an error, a field, a code of the SAT.',
    searchScripts: 'The search uses JavaScript. Without it, the menu leads to every page; all of them are also in',
    guides: 'Guides',
    reference: 'Reference',
    other: 'Español',
    previous: 'Previous',
    next: 'Next',
    panel: 'Panel',
    status: 'State of the SAT',
    markdown: 'This page as Markdown',
    openapi: 'OpenAPI',
    home: 'Acuse · Documentation',
  },
} as const;

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
  /** Where people reach the panel; null without one. */
  readonly panelUrl: string | null;
  /** Address with content hash of a file in assets/. */
  readonly asset: (name: string) => string;
  /** The page in Markdown, if there is one. */
  readonly markdown: string | null;
  readonly children?: Child;
}

/** What every page has: head, header and footer. */
function Shell(props: Omit<LayoutProps, 'headings'>) {
  const { language, path, title, summary, other, pages, panelUrl, asset, markdown, children } = props;
  const words = WORDS[language];
  const isReference = path.startsWith(REFERENCE[language]);
  const hasOther = pages.some((page) => page.language !== language);
  const current = (isCurrent: boolean) => (isCurrent ? { 'aria-current': 'true' as const } : {});
  return (
    <>
      {raw('<!DOCTYPE html>')}
      <html lang={language === 'es' ? 'es-MX' : 'en'}>
        <head>
          <meta charset="utf-8" />
          <title>{path === START[language] ? words.home : `${title} · Acuse`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="description" content={summary} />
          <link rel="icon" type="image/svg+xml" href={asset('icono.svg')} />
          <link rel="stylesheet" href={asset('marca.css')} />
          <link rel="stylesheet" href={asset('sitio.css')} />
          {other === null ? null : <link rel="alternate" hreflang={OTHER[language]} href={other} />}
          {markdown === null ? null : <link rel="alternate" type="text/markdown" href={markdown} />}
          <script type="module" src={asset('sitio.js')} />
          <script type="module" src={asset('buscar.js')} />
        </head>
        <body>
          <a class="saltar" href="#contenido">
            {words.skip}
          </a>
          <header class="encabezado">
            <a class="marca" href={START[language]}>
              <img src={asset('icono.svg')} alt="" width="28" height="28" />
              Acuse
            </a>
            <a class="a-menu" href="#menu">
              {words.menu}
            </a>
            <a class="a-guias" href={START[language]} {...current(!isReference)}>
              {words.guides}
            </a>
            <a href={REFERENCE[language]} {...current(isReference)}>
              {words.reference}
            </a>
            {panelUrl === null ? null : <a href={panelUrl}>{words.panel}</a>}
            <search class="busqueda">
              <form
                action={SEARCH[language]}
                data-library={asset('minisearch.js')}
                data-terms={asset('terminos.js')}
                data-index={SEARCH_INDEX[language]}
                data-none={words.none}
              >
                <input
                  type="search"
                  name="q"
                  maxlength={100}
                  autocomplete="off"
                  aria-label={words.search}
                  placeholder={words.go}
                />
                <button type="submit">{words.go}</button>
              </form>
            </search>
            {hasOther ? (
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
          {children}
          <footer class="pie">
            {markdown === null ? null : <a href={markdown}>{words.markdown}</a>}
            <a href={STATUS[language]}>{words.status}</a>
            <a href={OPENAPI[language]}>{words.openapi}</a>
            <a href={POSTMAN} download="">
              Postman
            </a>
            <a href={`${SITE}/llms.txt`}>llms.txt</a>
          </footer>
        </body>
      </html>
    </>
  );
}

/** The whole document around a page. It works without scripts; the script adds comfort. */
export function Layout({ headings, children, ...shell }: LayoutProps) {
  const { language, path, pages } = shell;
  const words = WORDS[language];
  const own = pages.filter((page) => page.language === language);
  const isReference = path.startsWith(REFERENCE[language]);
  const index = own.find((page) => page.path === REFERENCE[language]);
  // Guides, or the reference with its operations: the header leads from one to the other.
  const listed = own.filter(
    ({ group, isOperation }) => Boolean(isOperation) === isReference || (isReference && group === index?.group),
  );
  const at = own.findIndex((page) => page.path === path);
  const isHome = path === START[language];
  const sections = headings.filter(({ depth }) => depth === 2);
  return (
    <Shell {...shell}>
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
        {/* Longer than the screen, it is scrolled by keyboard too. */}
        <nav class="menu" aria-label={words.navigation} tabindex={0}>
          <details>
            <summary>{words.menu}</summary>
            <div id="menu">
              {[...new Set(listed.map(({ group }) => group))].map((group) => (
                <>
                  <p>{group}</p>
                  <ul>
                    {listed
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
            </div>
          </details>
        </nav>
      </div>
    </Shell>
  );
}

/** The page of results. The script of the site fills it from the question in the address (assets/buscar.js). */
export function Search({ language }: Pick<LayoutProps, 'language'>) {
  const words = WORDS[language];
  return (
    <>
      <h1>{words.search}</h1>
      <p id="pregunta" role="status">
        {words.question}
      </p>
      <noscript>
        <p>
          {words.searchScripts} <a href={`${SITE}/llms.txt`}>llms.txt</a>.
        </p>
      </noscript>
      <ol class="resultados" id="resultados" />
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
