import { posix } from 'node:path';
import { load } from 'cheerio';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { createKit } from '../../test/kit.ts';
import {
  type Language,
  OTHER,
  POSTMAN,
  REFERENCE,
  readPages,
  SEARCH,
  SEARCH_INDEX,
  SITE,
  START,
  STATUS,
} from './pages.ts';
import type { ApiDocument } from './postman.ts';
import { processTerm } from './search.ts';

const kit = await createKit();
const ask = (path: string, init?: RequestInit) => kit.api.app.request(path, init);
const pages = readPages();
const htmlOf = async (path: string) => load(await (await ask(path)).text());
const documents = new Map(await Promise.all(pages.map(async ({ path }) => [path, await htmlOf(path)] as const)));

/** Pages that read the database. */
const READ = Object.values(STATUS);
/** What pages lead to beside pages. */
const OTHERS = new Set([...Object.values(REFERENCE), ...READ, POSTMAN, '/openapi.json', `${SITE}/llms.txt`]);
/** The document that the reference shows, and its operations as a link names them. */
const OPENAPI = 'docs/openapi.json';
const { paths } = JSON.parse(await (await ask('/openapi.json')).text()) as ApiDocument;
const OPERATIONS = new Set(Object.entries(paths).map(([path, { post }]) => `tag/${post.tags[0]}/POST${path}`));

describe('the site at /docs', () => {
  it.each(pages)('$path is a whole page that loads nothing from other hosts', async ({ path, language, title }) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
    expect(answer.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    const $ = documents.get(path) ?? (await htmlOf(path));
    expect($('html').attr('lang')?.slice(0, 2)).toBe(language);
    expect($('h1').length).toBe(1);
    expect($('h1').text()).toBe(title);
    expect($('meta[name=description]').attr('content')).toMatch(/^.{20,}$/);
    expect($('[style], style, script:not([src]), [onclick], iframe').length).toBe(0);
    const fetched = $('[src], link[rel=stylesheet], link[rel=icon]')
      .map((_, each) => $(each).attr('src') ?? $(each).attr('href'))
      .get();
    expect(fetched.filter((address) => !address.startsWith(`${SITE}/archivos/`))).toEqual([]);
    for (const address of fetched) expect((await ask(address)).status).toBe(200);
    const ids = $('[id]')
      .map((_, each) => $(each).attr('id'))
      .get();
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('has no link that leads nowhere', async () => {
    const broken = [...documents].flatMap(([path, $]) =>
      $('a[href]')
        .map((_, each) => String($(each).attr('href')))
        .get()
        .filter((href) => !href.startsWith('https:') && !OTHERS.has(href) && !href.endsWith('.md'))
        .filter((href) => {
          const [target = '', fragment] = href.split('#');
          if (Object.values(REFERENCE).includes(target)) return !OPERATIONS.has(fragment ?? '');
          const found = documents.get(target === '' ? path : target);
          return !found || (fragment !== undefined && found(`[id="${fragment}"]`).length !== 1);
        })
        .map((href) => `${path}: ${href}`),
    );
    expect(broken).toEqual([]);
    for (const path of OTHERS) expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  it('leads from each page to the other language: to the same page, or where that is not written to its beginning', async () => {
    for (const { path, language, other } of pages) {
      const $ = documents.get(path) ?? (await htmlOf(path));
      const there = OTHER[language];
      const alternate = $('link[rel=alternate][hreflang]').map((_, each) => [
        [$(each).attr('hreflang'), $(each).attr('href')],
      ]);
      expect([path, alternate.get()]).toEqual([path, other === null ? [] : [[there, other]]]);
      const link = $('header a.idioma');
      expect([path, link.attr('href'), link.attr('hreflang')]).toEqual([path, other ?? START[there], there]);
      if (other === null) continue;
      const back = pages.find((page) => page.path === other);
      expect([path, back?.language, back?.other]).toEqual([path, there, path]);
    }
  });

  it('leads to pages in the language of the page where they are written in it', () => {
    const foreign = pages.flatMap(({ path, language }) =>
      [...(documents.get(path)?.('article a[href^="/docs"]') ?? [])]
        .map((link) => link.attribs['href']?.split('#')[0])
        .map((href) => pages.find((page) => page.path === href))
        .filter((found) => found && found.language !== language && found.other !== null)
        .map((found) => `${path}: ${found?.path}`),
    );
    expect(foreign).toEqual([]);
  });

  it('calls no page by the name of its file', () => {
    const named = [...documents].flatMap(([path, $]) =>
      $('article a')
        .map((_, each) => `${path}: ${$(each).text()}`)
        .get()
        .filter((text) => text.endsWith('.md')),
    );
    expect(named).toEqual([]);
  });

  it('gives each page as Markdown too, and names all of them in llms.txt', async () => {
    const llms = await ask('/llms.txt');
    expect(llms.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await llms.text();
    expect(await (await ask(`${SITE}/llms.txt`)).text()).toBe(text);
    const named = [...text.matchAll(/^- \[.+\]\((\/docs\/\S+\.md)\): \S.+$/gm)].map(([, address]) => address);
    expect(named).toEqual(pages.map(({ asMarkdown }) => asMarkdown));
    for (const { asMarkdown, markdown } of pages) {
      const answer = await ask(asMarkdown);
      expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await answer.text()).toBe(markdown);
    }
  });

  it('has a reference whose script and policy let it ask this service alone', async () => {
    for (const [language, path] of Object.entries(REFERENCE)) {
      const answer = await ask(path);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'");
      expect(policy).toContain("connect-src 'self'");
      const $ = load(await answer.text(), { scriptingEnabled: false });
      expect($('#referencia').attr('data-language')).toBe(language);
      expect($('noscript a').attr('href')).toBe(`${SITE}/operaciones`);
      const library = await ask($('#referencia').attr('data-library') ?? '', { headers: { 'accept-encoding': 'br' } });
      expect(library.headers.get('cache-control')).toContain('immutable');
      expect((await library.arrayBuffer()).byteLength).toBeLessThan(1_500_000);
    }
  });

  it('searches in the browser alone: every question gets the same page, made once', async () => {
    const question = encodeURIComponent(Array.from({ length: 50 }, () => 's').join(' '));
    for (const [language, path] of Object.entries(SEARCH)) {
      const first = await ask(path);
      const [text, etag] = [await first.text(), first.headers.get('etag') ?? ''];
      for (const q of [question, 'ciec', '', '<script>alert(1)</script>', 'x'.repeat(5_000)]) {
        const answer = await ask(`${path}?q=${q}`, { headers: { 'if-none-match': etag } });
        expect([q, answer.status, await answer.text()]).toEqual([q, 304, '']);
      }
      expect(await (await ask(`${path}?q=${question}`)).text()).toBe(text);
      const $ = load(text, { scriptingEnabled: false });
      expect($('html').attr('lang')?.slice(0, 2)).toBe(language);
      expect($('noscript a').attr('href')).toBe(`${SITE}/llms.txt`);
    }
  });

  it('has an index that finds errors by name, words without their accents, and beginnings of words', async () => {
    const openIndex = async (language: Language) => {
      const address = SEARCH_INDEX[language];
      const small = await ask(address, { headers: { 'accept-encoding': 'br' } });
      expect((await small.arrayBuffer()).byteLength).toBeLessThan(100_000);
      const given = JSON.parse((await htmlOf(START[language]))('search form').attr('data-options') ?? '');
      return MiniSearch.loadJSON(await (await ask(address)).text(), { ...given, processTerm });
    };
    const indexes = { es: await openIndex('es'), en: await openIndex('en') };
    const found = (question: string, language: Language = 'es') =>
      indexes[language].search(question).map(({ href }) => String(href));
    expect(found('CIEC_RECHAZADA')[0]).toMatch(/#CIEC_RECHAZADA$/);
    expect(found('codigos sat')[0]).toBe('/docs/codigos-sat');
    expect(found('verificar la fir')).toContain('/docs/webhooks#verificar-la-firma');
    expect(found('CIEC_RECHAZADA', 'en')[0]).toBe('/docs/en/errors#CIEC_RECHAZADA');
    expect(found('magic rfc', 'en')[0]).toBe('/docs/en/sandbox');
    expect(found('5003 more cfdi', 'en')).toContain('/docs/en/sat-codes#codestatus');
    for (const href of [...found('credito'), ...found('credit', 'en')]) {
      const [path = '', id] = href.split('#');
      expect([href, documents.get(path)?.(id ? `[id="${id}"]` : 'h1').length]).toEqual([href, 1]);
    }
    expect(found('zzzzqqq')).toEqual([]);
  });

  it('is not sent again while it is the same, and is compressed', async () => {
    const first = await ask(SITE, { headers: { 'accept-encoding': 'br' } });
    expect(first.headers.get('content-encoding')).toBe('br');
    const etag = first.headers.get('etag') ?? '';
    const again = await ask(`${SITE}/`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await ask(SITE, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('answers a page that it does not have with one that says so, and other methods as the API does', async () => {
    for (const path of ['/docs/no-hay', '/docs/../docs/no', '/docs/archivos/x.css', '/docs/no.md']) {
      const answer = await ask(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    const post = await ask(SITE, { method: 'POST' });
    expect([post.status, ((await post.json()) as { error: string }).error]).toEqual([404, 'RUTA_DESCONOCIDA']);
  });

  it('shows raw HTML of a document as text, and leaves out the parts for developers of the repository', () => {
    for (const [, $] of documents) expect($('article script, article img, article form').length).toBe(0);
    for (const { markdown } of pages) expect(markdown).not.toContain('In this repository');
    const sources = new Set(pages.map(({ source }) => source));
    const unlinked = pages.flatMap(({ markdown, source }) =>
      [...markdown.matchAll(/\]\((?!https:|#)([^)#]+)/g)]
        .map(([, file = '']) => posix.join(posix.dirname(source), file))
        .filter((file) => !sources.has(file) && file !== OPENAPI),
    );
    expect(unlinked).toEqual([]);
  });
});
