import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { closeServer, createHealth, listen, serveHealth, urlOf } from './http-server.ts';

const HOST = '127.0.0.1';
const HEAD = 'GET / HTTP/1.1\r\nHost: acuse.example\r\n';
const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function start(listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener);
  opened.push(server);
  return { server, port: await listen(server, 0, HOST) };
}

/** A connection that the server has taken: our end, the server's, and what our end has been sent once it is over. */
async function connected(
  server: Server,
  port: number,
): Promise<{ ours: Socket; theirs: Socket; received: Promise<Buffer> }> {
  const taken = once(server, 'connection');
  const ours = connect(port, HOST);
  const chunks: Buffer[] = [];
  ours.on('data', (chunk: Buffer) => chunks.push(chunk));
  const received = once(ours, 'close').then(() => Buffer.concat(chunks));
  const [theirs] = await taken;
  return { ours, theirs, received };
}

const arrived = (socket: Socket) => expect.poll(() => socket.bytesRead).toBeGreaterThan(0);

describe('closing a server', () => {
  test('does not wait for a connection that has never asked for anything', async () => {
    const { server, port } = await start(() => {});
    const { received } = await connected(server, port);
    await closeServer(server);
    expect((await received).length).toBe(0);
    expect(server.listening).toBe(false);
  });

  test('does not wait for headers that never end', async () => {
    const { server, port } = await start(() => {});
    const { ours, theirs, received } = await connected(server, port);
    ours.write(HEAD);
    await arrived(theirs);
    await closeServer(server);
    await received;
  });

  test('does not wait for a connection whose next headers never end', async () => {
    const { server, port } = await start((_, response) => response.end('first'));
    const { ours, theirs, received } = await connected(server, port);
    ours.write(`${HEAD}\r\n`);
    await once(ours, 'data');
    const before = theirs.bytesRead;
    ours.write(HEAD);
    await expect.poll(() => theirs.bytesRead).toBeGreaterThan(before);
    await closeServer(server);
    expect((await received).toString()).toMatch(/first/);
  });

  test('lets every request of a connection end, and then closes it', async () => {
    const answers: (() => void)[] = [];
    const { server, port } = await start(({ url }, response) => {
      answers.push(() => response.end(`answer to ${url}`));
    });
    const { ours, received } = await connected(server, port);
    ours.write(`${HEAD}\r\n${HEAD.replace('/', '/second')}\r\n`);
    await expect.poll(() => answers.length).toBe(2);
    const closing = closeServer(server);
    answers[0]?.();
    await once(ours, 'data');
    answers[1]?.();
    await closing;
    expect((await received).toString()).toMatch(/answer to \/[^s].*answer to \/second/s);
  });

  test('sends the rest of an answer to a client that reads slowly', async () => {
    const body = Buffer.alloc(32 * 1_024 * 1_024, 'a');
    const { server, port } = await start((_, response) => response.end(body));
    const { ours, theirs, received } = await connected(server, port);
    ours.pause();
    ours.write(`${HEAD}\r\n`);
    await expect.poll(() => theirs.writableLength).toBeGreaterThan(0);
    const closing = closeServer(server);
    ours.resume();
    await closing;
    expect((await received).length).toBeGreaterThan(body.length);
  });

  test('refuses later requests', async () => {
    const { server, port } = await start((_, response) => response.end());
    await closeServer(server);
    await expect(fetch(urlOf(HOST, port))).rejects.toThrow();
  });
});

test('listening on a port that is taken rejects', async () => {
  const { port } = await start(() => {});
  const second = createServer();
  await expect(listen(second, port, HOST)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
  ['acuse.example', 'http://acuse.example:80'],
])('the address of %s is %s', (host, url) => {
  expect(urlOf(host, 80)).toBe(url);
});

const never = () => new Promise<never>(() => {});

function failure(code?: string): Error {
  return Object.assign(new Error('password authentication failed for acuse'), code === undefined ? {} : { code });
}

describe('health', () => {
  test('names each check with ok or the code of its failure, never its message', async () => {
    const health = createHealth({
      timeoutMs: 5,
      checks: {
        fine: async () => 1,
        refused: async () => Promise.reject(failure('ECONNREFUSED')),
        odd: async () => Promise.reject(failure('not a code: secret')),
        thrown: () => {
          throw failure();
        },
        slow: never,
      },
    });
    expect(await health.ready()).toEqual({
      status: 'unavailable',
      checks: { fine: 'ok', refused: 'ECONNREFUSED', odd: 'FAILED', thrown: 'FAILED', slow: 'DEADLINE_EXCEEDED' },
    });
    expect(health.live()).toEqual({ status: 'ok', checks: {} });
  });

  test('probes share a round of checks, and its report for a while', async () => {
    let calls = 0;
    let now = 0;
    const check = async () => {
      calls += 1;
    };
    const health = createHealth({ checks: { check }, cacheMs: 1_000, now: () => now });
    await Promise.all([health.ready(), health.ready(), health.ready()]);
    now = 999;
    await health.ready();
    expect(calls).toBe(1);
    now = 1_000;
    await health.ready();
    expect(calls).toBe(2);
  });

  test('is served over HTTP, and says closing once drained', async () => {
    let healthy = true;
    const health = createHealth({
      checks: { db: async () => (healthy ? 1 : Promise.reject(failure('57P03'))) },
      cacheMs: 0,
    });
    const server = await serveHealth(health, 0);
    const probe = async (path: string) => {
      const response = await fetch(server.url + path);
      return [response.status, await response.json()];
    };
    try {
      expect(await probe('/healthz?x=1')).toEqual([200, { status: 'ok', checks: {} }]);
      expect(await probe('/readyz')).toEqual([200, { status: 'ok', checks: { db: 'ok' } }]);
      healthy = false;
      expect(await probe('/readyz')).toEqual([503, { status: 'unavailable', checks: { db: '57P03' } }]);
      expect(await probe('/readyz?exclude=db')).toEqual([200, { status: 'ok', checks: {} }]);
      health.drain();
      expect(await probe('/readyz?exclude=db')).toEqual([503, { status: 'closing', checks: {} }]);
      expect(await probe('/readyz')).toEqual([503, { status: 'closing', checks: {} }]);
      expect(await probe('/healthz')).toEqual([200, { status: 'ok', checks: {} }]);
      expect((await probe('/other'))[0]).toBe(404);
    } finally {
      await server.close();
    }
  });
});
