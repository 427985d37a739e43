import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manifestPublicKeyOf, publishedKeys } from '@acuse/vault';
import { afterAll, expect, test } from 'vitest';
import { readLlaves } from './llaves.ts';

const seed = Buffer.alloc(32, 1).toString('base64');
const LISTA = JSON.stringify({ llaves: publishedKeys(`m1:${manifestPublicKeyOf(seed)}`) });
const MIB = 1_048_576;
const server = createServer(({ url }, res) => {
  if (url === '/otra') res.writeHead(302, { location: '/' });
  res.end(url === '/otra' ? '' : LISTA.padEnd(url === '/larga' ? MIB + 1 : MIB));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());
const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('reads published keys of up to 1 MiB from this machine', async () => {
  expect([...(await readLlaves(here)).keys()]).toEqual(['m1']);
});

test.each([
  ['more than 1 MiB', `${here}/larga`, '1 MiB'],
  ['a redirect', `${here}/otra`, 'HTTP 302'],
  ['http of another machine', 'http://acuse.invalid/', 'https://'],
  ['HTTP of another machine in capitals', 'HTTP://acuse.invalid/', 'https://'],
])('refuses %s', async (_, url, text) => {
  await expect(readLlaves(url)).rejects.toMatchObject({ message: expect.stringContaining(text) });
});
