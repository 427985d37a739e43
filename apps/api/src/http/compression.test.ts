import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createKit } from '../../test/kit.ts';
import { defineOperation } from '../operation.ts';

/** An operation that answers so many characters. */
async function kitWith(characters: number) {
  const declaracion = defineOperation({
    summary: 's',
    effect: 'reads',
    cost: 0,
    rfc: 'ninguno',
    credential: 'api-key',
    errors: [],
    body: z.object({}),
    data: z.object({ texto: z.string() }),
    handle: async () => ({ texto: 'CFDI '.repeat(characters / 5) }),
  });
  const kit = await createKit({ operations: [{ ...declaracion, path: 'tax/de-prueba' }] });
  const { key } = await kit.alta();
  return async (accept: string) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'user-agent': 'prueba/1.0',
      'accept-encoding': accept,
    };
    const url = 'http://localhost/api/v1/tax/de-prueba';
    const response = await kit.api.app.fetch(new Request(url, { method: 'POST', headers, body: '{}' }));
    const bytes = Buffer.from(await response.arrayBuffer());
    return { bytes, coding: response.headers.get('content-encoding'), vary: response.headers.get('vary') };
  };
}

it.each([
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
] as const)('a long answer is compressed for %s, and is the same', async (accept, coding, open) => {
  const ask = await kitWith(20_000);
  const plain = await ask('identity');
  expect([plain.coding, plain.vary, plain.bytes.length > 20_000]).toEqual([null, 'Accept-Encoding', true]);
  const answer = await ask(accept);
  expect([answer.coding, answer.vary]).toEqual([coding, 'Accept-Encoding']);
  expect(open(answer.bytes).equals(plain.bytes)).toBe(true);
  expect(answer.bytes.length).toBeLessThan(1_000);
});

it('an answer below a kilobyte goes as it is', async () => {
  const { coding, vary, bytes } = await (await kitWith(500))('gzip, br');
  expect([coding, vary, JSON.parse(bytes.toString())]).toEqual([
    null,
    null,
    expect.objectContaining({ cfdi_codigo: 1 }),
  ]);
});
