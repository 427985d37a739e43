import { posix } from 'node:path';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { createKit } from '../../test/kit.ts';
import { inEnglish } from '../openapi/english.ts';
import { type ReferenceDocument, sitePages } from './operation-pages.ts';
import { OPENAPI, OTHER, POSTMAN, SEARCH, SEARCH_INDEX, SITE, START, STATUS } from './pages.ts';

const kit = await createKit();
const ask = (path: string, init?: RequestInit) => kit.api.app.request(path, init);
const openapi = (await (await ask('/openapi.json')).json()) as ReferenceDocument;
const pages = sitePages(openapi);
const htmlOf = async (path: string) => load(await (await ask(path)).text());
const documents = new Map(await Promise.all(pages.map(async ({ path }) => [path, await htmlOf(path)] as const)));

/** Pages that read the database. */
const READ = Object.values(STATUS);
/** What pages lead to beside pages. */
const OTHERS = new Set([...READ, POSTMAN, ...Object.values(OPENAPI), `${SITE}/llms.txt`]);

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

  it('has a page for each operation, with its fields, answer, example and errors, in each language', async () => {
    const operations = pages.filter(({ isOperation }) => isOperation);
    expect(operations.length).toBe(2 * Object.keys(openapi.paths).length);
    const facturas = documents.get('/docs/en/operations/tax/facturas');
    const cells =
      facturas?.('td')
        .map((_, each) => facturas(each).text())
        .get() ?? [];
    expect(cells.slice(0, 2)).toEqual(['rfc', 'text, required']);
    expect(cells).toContain('items[].uuid');
    expect(facturas?.('pre').first().text()).toMatch(/^curl .*\/api\/v1\/tax\/facturas/);
    expect(facturas?.('a[href="/docs/en/errors#CIEC_RECHAZADA"]').length).toBe(1);
    expect(facturas?.('.menu a[aria-current]').text()).toBe('Received invoices');
  });

  it('has a menu of guides, and one of operations in the reference, both folded on a phone', () => {
    const menu = (path: string) =>
      documents
        .get(path)?.('.menu details:not([open]) #menu a')
        .map((_, each) => String(each.attribs['href']))
        .get() ?? [];
    const operations = pages.flatMap(({ isOperation, path }) => (isOperation && path.includes('/en/') ? [path] : []));
    expect(menu('/docs/en/webhooks')).toContain('/docs/en/credits');
    expect(menu('/docs/en/webhooks').filter((path) => operations.includes(path))).toEqual([]);
    for (const path of ['/docs/en/operations', '/docs/en/operations/tax/facturas']) {
      expect(menu(path)).toEqual(expect.arrayContaining(['/docs/en/operations', '/docs/en/errors', ...operations]));
      expect(menu(path)).not.toContain('/docs/en/webhooks');
    }
  });

  it('leads to the panel of the installation, where it says one', async () => {
    const panelUrl = 'https://panel.example.com';
    const withPanel = await createKit({ settings: { panelUrl } });
    for (const path of [SITE, START.en]) {
      const $ = load(await (await withPanel.api.app.request(path)).text());
      expect($(`header a[href="${panelUrl}"]`).text()).toBe('Panel');
      expect(documents.get(path)?.('header').text()).not.toContain('Panel');
    }
  });

  it('has the OpenAPI document in English, with every text', async () => {
    const missing: string[] = [];
    const english = inEnglish(openapi, (text) => missing.push(text));
    expect(missing).toEqual([]);
    expect(await (await ask(OPENAPI.en)).json()).toEqual(english);
    expect(english.paths['/api/v1/tax/facturas']?.post.summary).toBe('Received invoices');
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

  it('has a small index of sections that are there', async () => {
    for (const address of Object.values(SEARCH_INDEX)) {
      const answer = await ask(address, { headers: { 'accept-encoding': 'br' } });
      expect((await answer.arrayBuffer()).byteLength).toBeLessThan(150_000);
      const { storedFields } = (await (await ask(address)).json()) as {
        storedFields: Record<string, { href: string }>;
      };
      for (const { href } of Object.values(storedFields)) {
        const [path = '', id] = href.split('#');
        expect([href, documents.get(path)?.(id ? `[id="${id}"]` : 'h1').length]).toEqual([href, 1]);
      }
    }
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
      [...markdown.matchAll(/\]\((?!https:|#|\/)([^)#]+)/g)]
        .map(([, file = '']) => posix.join(posix.dirname(source), file))
        .filter((file) => !sources.has(file)),
    );
    expect(unlinked).toEqual([]);
  });
});
