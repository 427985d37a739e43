import { expect, test } from 'vitest';
import { createKit } from '../test/kit.ts';

const kit = await createKit();
const ask = (init?: RequestInit) => kit.api.app.request('/.well-known/acuse-manifiesto.json', init);

test('anyone reads the public keys of packages without a key, retired ones too', async () => {
  const answer = await ask({ headers: { origin: 'https://docs.example' } });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  const { llaves } = (await answer.json()) as { llaves: { kid: string; algoritmo: string; publica: string }[] };
  expect(llaves.map(({ kid, algoritmo }) => [kid, algoritmo])).toEqual([
    ['m2', 'Ed25519'],
    ['m1', 'Ed25519'],
  ]);
  for (const { publica } of llaves) expect(Buffer.from(publica, 'base64')).toHaveLength(44);
});

test('an unchanged list is not sent twice', async () => {
  const etag = (await ask()).headers.get('etag') ?? '';
  expect((await ask({ headers: { 'if-none-match': etag } })).status).toBe(304);
});
