import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createAssets, createStaticFile, type StaticFile } from '@acuse/runtime';
import { type Context, Hono } from 'hono';
import { raw } from 'hono/html';
import { inEnglish } from '../openapi/english.ts';
import { createStatusFiles, type SaludPublicada } from './estado.tsx';
import { Layout, Search } from './layout.tsx';
import { llmsText } from './llms.ts';
import { type Rendered, renderPage } from './markdown.ts';
import { type ReferenceDocument, sitePages } from './operation-pages.ts';
import {
  LANGUAGES,
  type Language,
  LLMS,
  OPENAPI,
  OTHER,
  type Page,
  POSTMAN,
  SEARCH,
  SEARCH_INDEX,
  SITE,
  START,
  STATUS,
  STATUS_JSON,
} from './pages.ts';
import { type ApiDocument, postmanText } from './postman.ts';
import { searchIndex } from './search.ts';

/** Beside the sources, also when the API runs from its build: the compiler copies no style sheets. */
const ASSETS_FOLDER = new URL('../../src/site/assets/', import.meta.url);
const ASSETS = `${SITE}/archivos/`;

/** The library that searches in the browser: the package that makes the index, in its form for browsers. */
const SEARCH_LIBRARY = createRequire(import.meta.url)
  .resolve('minisearch')
  .replace(/cjs.index\.cjs$/, 'es/index.js');

/** Nothing but what the API itself serves: no page of the site asks another host for anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

const SEARCH_TITLES: Readonly<Record<Language, string>> = { es: 'Buscar', en: 'Search' };
const MISSING: Readonly<Record<Language, readonly [title: string, text: string]>> = {
  es: ['No hay una página en esta dirección', 'Revise que esté completa, o llegue desde el menú.'],
  en: ['There is no page at this address', 'Check that it is complete, or take the menu.'],
};

/**
 * The documentation at `/docs`: documents of the repository as pages, and files for programs. `openapi` is the
 * OpenAPI document, `salud` the present health of the SAT. The site reads and renders each page once, on its first
 * request.
 */
export function createSite(options: {
  readonly openapi: string;
  readonly salud: SaludPublicada;
  readonly now: () => Date;
  /** Where people reach the panel; null without one. */
  readonly panelUrl: string | null;
}) {
  const { openapi, salud, now, panelUrl } = options;
  const document = JSON.parse(openapi) as ReferenceDocument & ApiDocument;
  let pages: readonly Page[] | undefined;
  const allPages = () => {
    pages ??= sitePages(document);
    return pages;
  };
  let assets: ReturnType<typeof createAssets> | undefined;
  const allAssets = () => {
    assets ??= createAssets(ASSETS_FOLDER, ASSETS, {
      'minisearch.js': readFileSync(SEARCH_LIBRARY),
    });
    return assets;
  };
  const around = () => ({ pages: allPages(), panelUrl, asset: allAssets().href });
  const files = new Map<string, StaticFile>();
  /** What stands at an address, made by the first who asks. */
  const fileAt = (path: string, extension: string, make: () => string): StaticFile => {
    const file = files.get(path) ?? createStaticFile(make(), extension);
    files.set(path, file);
    return file;
  };

  const documentOf = (page: Page): string => {
    const { html, headings }: Rendered = renderPage(page, allPages());
    const { language, path, title, summary, other } = page;
    const props = { language, path, title, summary, other, headings, markdown: page.asMarkdown };
    return (
      <Layout {...props} {...around()}>
        {raw(html)}
      </Layout>
    ).toString();
  };

  const searchPage = (language: Language): string => {
    const title = SEARCH_TITLES[language];
    const props = { language, path: SEARCH[language], title, summary: title, headings: [], markdown: null } as const;
    return (
      <Layout {...props} other={SEARCH[OTHER[language]]} {...around()}>
        <Search language={language} />
      </Layout>
    ).toString();
  };

  const site = new Hono({ strict: false });
  // The API answers errors.
  site.onError((error) => {
    throw error;
  });
  const llms = (c: Context) =>
    fileAt(`${SITE}/llms.txt`, 'txt', () => llmsText(allPages())).answer(c.req.raw.headers, HEADERS);
  site.get(LLMS, llms);
  site.get(`${SITE}/llms.txt`, llms);
  site.get(
    `${ASSETS}:file`,
    async (c) => (await allAssets().serve(c.req.param('file'), c.req.raw.headers)) ?? (await answerMissing(c)),
  );
  const answerMissing = async (c: Context) => {
    const language = c.req.path.startsWith(`${START.en}/`) ? 'en' : 'es';
    const [title, text] = MISSING[language];
    const missing = fileAt(`404-${language}`, 'html', () => {
      const props = { language, path: '', title, summary: text, other: null, headings: [], markdown: null } as const;
      return (
        <Layout {...props} {...around()}>
          <h1>{title}</h1>
          <p>{text}</p>
        </Layout>
      ).toString();
    });
    const { headers, body } = await missing.answer(new Headers(), { ...HEADERS, 'Cache-Control': 'no-store' });
    return new Response(body, { status: 404, headers });
  };
  const answerPage = (c: Context) => {
    const path = c.req.path.replace(/\/$/, '');
    const isMarkdown = path.endsWith('.md');
    const page = allPages().find((one) => (isMarkdown ? one.asMarkdown : one.path) === path);
    if (page === undefined) return answerMissing(c);
    const file = isMarkdown ? fileAt(path, 'md', () => page.markdown) : fileAt(path, 'html', () => documentOf(page));
    return file.answer(c.req.raw.headers, { ...HEADERS, 'Content-Language': page.language });
  };
  for (const language of LANGUAGES) {
    site.get(SEARCH[language], (c) => {
      const headers = { ...HEADERS, 'Content-Language': language };
      return fileAt(SEARCH[language], 'html', () => searchPage(language)).answer(c.req.raw.headers, headers);
    });
    site.get(SEARCH_INDEX[language], (c) =>
      fileAt(SEARCH_INDEX[language], 'json', () => searchIndex(allPages(), language)).answer(
        c.req.raw.headers,
        HEADERS,
      ),
    );
  }
  const status = createStatusFiles({
    salud,
    now,
    draw: (page) => (<Layout {...page} headings={[]} markdown={null} {...around()} />).toString(),
  });
  const answerStatus = async (
    c: Context,
    asked: ReturnType<typeof status.json>,
    extra: Readonly<Record<string, string>>,
  ) => {
    const { file, isKnown } = await asked;
    const { headers, body, status: code } = await file.answer(c.req.raw.headers, { ...HEADERS, ...extra });
    return new Response(body, { status: isKnown ? code : 503, headers });
  };
  for (const language of LANGUAGES)
    site.get(STATUS[language], (c) => answerStatus(c, status.page(language), { 'Content-Language': language }));
  site.get(STATUS_JSON, (c) => answerStatus(c, status.json(), { 'Access-Control-Allow-Origin': '*' }));
  site.get(POSTMAN, (c) => fileAt(POSTMAN, 'json', () => postmanText(document)).answer(c.req.raw.headers, HEADERS));
  site.get(OPENAPI.en, (c) =>
    fileAt(OPENAPI.en, 'json', () => JSON.stringify(inEnglish(document))).answer(c.req.raw.headers, HEADERS),
  );
  site.get(SITE, answerPage);
  site.get(`${SITE}/*`, answerPage);
  return site;
}
