import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createAssets, createStaticFile } from './static-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'acuse-assets-'));
const css = Buffer.from('body { color: black; }\n'.repeat(50));
writeFileSync(join(folder, 'estilo.css'), css);
writeFileSync(join(folder, 'estilo.test.ts'), 'no asset');
writeFileSync(join(folder, 'read.me'), 'no asset');
afterAll(() => rmSync(folder, { recursive: true }));

const big = Buffer.from('text that is long enough to be compressed in less time; '.repeat(10_000));
const assets = createAssets(pathToFileURL(`${folder}/`), '/assets/', { 'library.js': big });
const address = (name: string) => assets.href(name).slice('/assets/'.length);
const asking = (headers: Record<string, string> = {}) => new Headers(headers);

async function body(acceptEncoding: string, name = 'estilo.css') {
  const response = await assets.serve(address(name), asking({ 'accept-encoding': acceptEncoding }));
  if (!response) throw new Error('not served');
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('assets', () => {
  it('have an address made of their content, to be kept for ever', async () => {
    expect(address('estilo.css')).toMatch(/^estilo\.[\w-]{16}\.css$/);
    const { response, bytes } = await body('');
    expect(bytes.equals(css)).toBe(true);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  it('are compressed as the browser can take them', async () => {
    const br = await body('gzip, deflate, br');
    expect(br.response.headers.get('content-encoding')).toBe('br');
    expect(brotliDecompressSync(br.bytes).equals(css)).toBe(true);
    const gzip = await body('br;q=0, gzip');
    expect(gzip.response.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(gzip.bytes).equals(css)).toBe(true);
    const library = await body('br', 'library.js');
    expect(brotliDecompressSync(library.bytes).equals(big)).toBe(true);
  });

  it('bring the typeface that marca.css names, as it is', async () => {
    const sheet = await body('', 'marca.css');
    const [, named] = /url\("([^"]+)"\)/.exec(String(sheet.bytes)) ?? [];
    expect(named).toBe(assets.href('inter.woff2'));
    const { response, bytes } = await body('gzip, br', 'inter.woff2');
    expect([response.headers.get('content-type'), response.headers.get('content-encoding')]).toEqual([
      'font/woff2',
      null,
    ]);
    expect(bytes.subarray(0, 4).toString()).toBe('wOF2');
  });

  it('serve only the files of their folder, under the right hash', async () => {
    for (const wrong of ['estilo.css', 'estilo.aaaaaaaaaaaaaaaa.css', '../http/assets.ts', 'estilo.test.ts', ''])
      expect([wrong, await assets.serve(wrong, asking())]).toEqual([wrong, null]);
    expect(() => assets.href('falta.css')).toThrow('falta.css');
    expect(() => assets.href('estilo.test.ts')).toThrow();
  });
});

describe('a file in memory', () => {
  const file = createStaticFile('# hello', 'md');

  it('is not sent again to a client that has it', async () => {
    const first = await file.answer(asking());
    expect([first.status, first.headers.get('cache-control'), await first.text()]).toEqual([
      200,
      'no-cache',
      '# hello',
    ]);
    const etag = first.headers.get('etag') ?? '';
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await file.answer(asking({ 'if-none-match': known }), { 'Content-Language': 'es' });
      expect([known, again.status, await again.text()]).toEqual([known, 304, '']);
      expect(again.headers.get('content-language')).toBe('es');
    }
    expect((await file.answer(asking({ 'if-none-match': '"other"' }))).status).toBe(200);
  });

  it('has a type, or is refused', () => {
    expect(() => createStaticFile('x', 'exe')).toThrow('.exe');
  });
});
