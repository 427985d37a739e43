import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createActivos, RUTA_ACTIVOS } from './assets.ts';

const css = readFileSync(new URL('../assets/estilo.css', import.meta.url));
const activos = createActivos();
const archivo = activos.href('estilo.css').slice(RUTA_ACTIVOS.length);

async function body(acceptEncoding: string | undefined) {
  const response = activos.serve(archivo, acceptEncoding);
  if (!response) throw new Error('not served');
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('assets', () => {
  it('have an address made of their content, to be kept for ever', async () => {
    expect(archivo).toMatch(/^estilo\.[\w-]{16}\.css$/);
    const { response, bytes } = await body(undefined);
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
  });

  it('are nothing but what is in their folder, under the right hash', () => {
    for (const wrong of ['estilo.css', 'estilo.aaaaaaaaaaaaaaaa.css', '../http/assets.ts', 'estilo.test.ts', ''])
      expect([wrong, activos.serve(wrong, undefined)]).toEqual([wrong, null]);
    expect(() => activos.href('falta.css')).toThrow('falta.css');
    expect(() => activos.href('estilo.test.ts')).toThrow();
  });
});
