import type { Server } from 'node:http';
import { connect } from 'node:net';
import { closeServer, listen } from '@acuse/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServerFor } from '../../apps/api/src/server.ts';
import { type Alta, CONFIG, createKit, type Kit } from '../../apps/api/test/kit.ts';
import { createRandom, seed } from '../faults/random.ts';

let kit: Kit;
let server: Server;
/** Has no patience with slow clients. */
let impatient: Server;
let port = 0;
let impatientPort = 0;
let a: Alta;

beforeAll(async () => {
  kit = await createKit({ settings: { wrongKeysPerMinute: 1_000_000 } });
  a = await kit.alta();
  server = createServerFor(kit.api, CONFIG, kit.deps.newId);
  port = await listen(server, 0, '127.0.0.1');
  const limits = { ...CONFIG, HEADERS_TIMEOUT_MS: 100, REQUEST_TIMEOUT_MS: 200 };
  impatient = createServerFor(kit.api, limits, kit.deps.newId);
  impatientPort = await listen(impatient, 0, '127.0.0.1');
});
afterAll(() => Promise.all([closeServer(server), closeServer(impatient)]));

/**
 * Sends bytes, closes our half unless told otherwise, and gives what came back until the server closed the connection.
 */
function exchange(bytes: string | Buffer, { half = true, to = port } = {}): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(to, '127.0.0.1', () => (half ? socket.end(bytes) : socket.write(bytes)));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

const MIB = 1_024 * 1_024;

/** Sends as fast as the server takes it, up to `bytes`, until the server closes the connection. */
function upload(head: string, chunk: string, bytes: number): Promise<{ answer: string; sent: number }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sent = 0;
    const socket = connect(port, '127.0.0.1');
    const send = () => {
      while (sent < bytes && socket.writable) {
        sent += chunk.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.on('drain', send).on('connect', () => {
      socket.write(head);
      send();
    });
    socket.on('data', (piece) => chunks.push(piece));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ answer: Buffer.concat(chunks).toString('latin1'), sent }));
  });
}

const BODY = () => JSON.stringify({ rfc: a.rfc });
const request = (headers: readonly string[] = [], body = BODY(), line = 'POST /api/v1/vault/firma-estado HTTP/1.1') =>
  [
    ...[line, 'Host: acuse.example', 'User-Agent: pruebas/1.0', 'Content-Type: application/json'],
    ...[
      `Authorization: Bearer ${a.key}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...headers,
    ],
    ...['', body],
  ].join('\r\n');

/** The same request, but its connection may serve another one. */
const kept = (bytes: string) => bytes.replace('Connection: close\r\n', '');

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const codeOf = (answer: string) => Number(/"cfdi_codigo":(\d+)/.exec(answer)?.[1] ?? 0);
const isAlive = async () => statusOf(await exchange(request())) === 200;

describe('over a real socket', () => {
  it('answers a good request', async () => {
    const answer = await exchange(request());
    expect([statusOf(answer), codeOf(answer)]).toEqual([200, 1]);
  });

  it('two Authorization headers are 1001, whichever comes first', async () => {
    const other = `Authorization: Bearer ${a.key}`;
    for (const extra of [other, 'Authorization: Basic eA==', 'authorization:']) {
      const answer = await exchange(request([extra]));
      if (extra !== 'authorization:') expect([extra, statusOf(answer), codeOf(answer)]).toEqual([extra, 401, 1001]);
      expect(statusOf(answer)).toBeLessThan(500);
    }
  });

  it('stops a chunked body without Content-Length at the limit, and answers 413 with the envelope', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const head = request([], '', 'POST /api/v1/descarga/verificar HTTP/1.1').replace(
      'Content-Length: 0',
      'Transfer-Encoding: chunked',
    );
    const answer = await exchange(`${head}${chunk.repeat(20)}0\r\n\r\n`);
    expect([statusOf(answer), codeOf(answer)]).toEqual([413, 9413]);
    expect(await isAlive()).toBe(true);
  });

  it('answers 413 by the Content-Length alone', async () => {
    const head = request([], '').replace('Content-Length: 0', 'Content-Length: 999999999');
    const answer = await exchange(head, { half: false });
    expect([statusOf(answer), codeOf(answer)]).toEqual([413, 9413]);
  });

  it.each([
    ['chunked, over the limit', 'POST /api/v1/descarga/verificar HTTP/1.1', 'Transfer-Encoding: chunked', 413],
    ['by its Content-Length', 'POST /api/v1/descarga/verificar HTTP/1.1', `Content-Length: ${64 * MIB}`, 413],
    ['to no operation', 'POST /api/v1/no/existe HTTP/1.1', `Content-Length: ${64 * MIB}`, 404],
  ])('closes the connection of an upload of 64 MiB that nobody wants: %s', async (_name, line, length, status) => {
    const closed = new Promise<number>((resolve) =>
      server.once('connection', (socket) => socket.once('close', () => resolve(socket.bytesRead))),
    );
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const { answer, sent } = await upload(
      kept(request([], '', line)).replace('Content-Length: 0', length),
      chunk,
      64 * MIB,
    );
    expect([statusOf(answer), answer]).toEqual([status, expect.stringMatching(/^connection: close\r$/im)]);
    // What the system buffers on both sides counts as sent.
    expect(sent).toBeLessThan(32 * MIB);
    expect(await closed).toBeLessThan(2 * MIB);
    expect(await isAlive()).toBe(true);
  });

  it('keeps the connection of a small body that a refused call has not read', async () => {
    const refused = request([], 'x'.repeat(1_000)).replace(
      'Content-Type: application/json',
      'Content-Type: text/plain',
    );
    const answer = await exchange(kept(refused) + request(), { half: false });
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 415', 'HTTP/1.1 200']);
  });

  it('takes a chunked body within the limit, secrets included', async () => {
    const body = JSON.stringify({ rfc: a.rfc, ciec: 'Cíec-De-Prueba-1' });
    const bytes = Buffer.from(body);
    const head = request([], '', 'POST /api/v1/vault/rfc-guardar HTTP/1.1').replace(
      'Content-Length: 0',
      'Transfer-Encoding: chunked',
    );
    const parts = [...bytes].map((byte) => Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
    const answer = await exchange(Buffer.concat([Buffer.from(head), ...parts, Buffer.from('0\r\n\r\n')]));
    expect([statusOf(answer), codeOf(answer)]).toEqual([200, 1]);
  });

  it('a request that is no HTTP gets the envelope too', async () => {
    const answer = await exchange('\u0016\u0003\u0001\u0000nonsense\r\n\r\n');
    expect([statusOf(answer), codeOf(answer)]).toEqual([400, 9400]);
    expect(answer).toMatch(/X-Request-Id: [0-9a-f-]{36}/);
  });

  it.each([
    ['no Host', () => request().replace('Host: acuse.example\r\n', ''), 400, 9400],
    ['an expectation that nobody knows', () => request(['Expect: a-miracle']), 200, 1],
  ] as const)('%s: not answered by Node alone, without the envelope', async (_what, bytes, status, code) => {
    const answer = await exchange(bytes());
    expect([statusOf(answer), codeOf(answer)]).toEqual([status, code]);
  });

  it('a header that is too large is 431, one too slow is 408, both with the envelope', async () => {
    const large = await exchange(request([`X-Relleno: ${'x'.repeat(20_000)}`]));
    expect([statusOf(large), codeOf(large)]).toEqual([431, 9400]);
    const slow = await exchange('POST /api/v1/vault/firma-estado HTTP/1.1\r\nHost: x\r\n', {
      half: false,
      to: impatientPort,
    });
    expect([statusOf(slow), codeOf(slow)]).toEqual([408, 9400]);
    expect(await isAlive()).toBe(true);
  });

  it('a body that never comes is given up', async () => {
    const head = request([], '').replace('Content-Length: 0', 'Content-Length: 50');
    await exchange(head, { half: false, to: impatientPort });
    expect(await isAlive()).toBe(true);
  });

  it.each(['Host:', 'Host: a b', 'Host: [', 'Host: x:99999', 'Host: ñ', 'Host: x\r\nHost: y'])(
    'a Host header like %j does no harm',
    async (host) => {
      const answer = await exchange(request().replace('Host: acuse.example', host));
      expect(statusOf(answer)).toBeLessThan(500);
      expect(codeOf(answer)).toBeGreaterThan(0);
      expect(await isAlive()).toBe(true);
    },
  );

  const malformed = async (count: number) => {
    const azar = createRandom(seed);
    const lines = [
      'GET',
      'POST /',
      'POST * HTTP/1.1',
      'POST /api/v1/vault/firma-estado HTTP/9.9',
      'CONNECT x:1 HTTP/1.1',
    ];
    const hosts = ['', '\u0000', 'a\tb', 'x'.repeat(300), '::1', '-1'];
    const mutate = (text: string): Buffer => {
      const bytes = Buffer.from(text);
      const kind = azar.below(6);
      if (kind === 0) return bytes.subarray(0, azar.below(bytes.length));
      if (kind === 1) return Buffer.concat([azar.bytes(1 + azar.below(29)), bytes]);
      if (kind === 2) return Buffer.from(text.replace('Content-Length', 'Content-Length : 5\r\nContent-Length'));
      if (kind === 3) return Buffer.from(text.replace(/^.*?\r/, `${azar.pick(lines)}\r`));
      if (kind === 4) return Buffer.from(text.replace('acuse.example', azar.pick(hosts)));
      for (let flips = 1 + azar.below(11); flips > 0; flips -= 1) bytes[azar.below(bytes.length)] = azar.below(256);
      return bytes;
    };
    for (let sent = 0; sent < count; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(mutate(request()))));
      for (const answer of answers) {
        if (statusOf(answer) >= 500) throw new Error(`FAULTS_SEED=${seed}: ${answer}`);
        // Bytes that are no HTTP at all may close the connection without a word.
        if (answer !== '' && statusOf(answer) !== 100)
          expect([seed, answer, codeOf(answer) > 0]).toEqual([seed, answer, true]);
      }
    }
    expect(await isAlive()).toBe(true);
  };
  it(
    '600 malformed messages: every connection is closed, never a 5xx, the server lives',
    () => malformed(600),
    120_000,
  );
  it('100,000 malformed messages', { tags: ['slow'] }, () => malformed(100_000));
});

describe('closing', () => {
  it('lets a running request end and then closes its kept connection', async () => {
    const own = createServerFor(kit.api, CONFIG, kit.deps.newId);
    const ownPort = await listen(own, 0, '127.0.0.1');
    let closing: Promise<void> | undefined;
    kit.watch.before = (text) => {
      if (text.includes('FROM api_key k')) closing ??= closeServer(own);
    };
    const answer = await fetch(`http://127.0.0.1:${ownPort}/api/v1/vault/firma-estado`, {
      method: 'POST',
      headers: { authorization: `Bearer ${a.key}`, 'content-type': 'application/json', connection: 'keep-alive' },
      body: BODY(),
    });
    kit.watch.before = null;
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ cfdi_codigo: 1 })]);
    await closing;
    await expect(fetch(`http://127.0.0.1:${ownPort}/healthz`)).rejects.toThrow();
  });
});
