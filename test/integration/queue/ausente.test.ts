import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createConsumer, createQueue, QueueUnavailable } from '@acuse/queue';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openWakeUps, untilTaken } from '../fixtures/queue.ts';
import { waitFor } from '../fixtures/servicio.ts';
import { type Fin, ownPostgres, ownRedis } from '../fixtures/servidores.ts';

interface Servidor {
  readonly url: string;
  start(): Promise<void>;
  end(fin: Fin): Promise<void>;
  close(): Promise<void>;
}

/** Both are away at first. */
const SERVERS: Record<string, () => Promise<Servidor>> = {
  PostgreSQL: async () => {
    const { database, ...server } = await ownPostgres();
    await server.end('stop');
    return { ...server, url: database.url, close: () => database.close() };
  },
  Redis: () => ownRedis(),
};

describe.each(Object.keys(SERVERS))('the wake-up queue without its server, %s', (name) => {
  const isHere = name !== 'Redis' || inject('redisUrl') !== null;
  let server: Servidor;
  beforeAll(async () => {
    if (isHere) server = await (SERVERS[name] as () => Promise<Servidor>)();
  });
  afterAll(() => server?.close());

  it.skipIf(!isHere)('refuses in time, and works with the same objects whenever it is there', async () => {
    const { wake, isHeard, close } = openWakeUps({ url: server.url, namespace: 'prueba' });
    // Away at the start, there, killed, there again, away in order, there again.
    for (const fin of ['kill', 'stop', null] as const) {
      for (let n = 0; n < 3; n += 1) await expect(wake(300)).rejects.toBeInstanceOf(QueueUnavailable);
      await server.start();
      await isHeard();
      if (fin) await server.end(fin);
    }
    await close();
  });
});

it('a consumer that PostgreSQL refuses tells the reason', async () => {
  const url = new URL(inject('postgresUrl'));
  url.password = 'otra';
  const refused = new Promise<unknown>((onError) => {
    const consumer = createConsumer(
      { url: url.href, namespace: 'prueba' },
      {
        queue: 'descargas',
        concurrency: 1,
        handle: async () => {},
        onError,
      },
    );
    onTestFinished(() => consumer.close(0));
  });
  expect(await refused).toMatchObject({ code: '28P01' });
});

describe('the wake-up queue with a PostgreSQL that dies while it greets', () => {
  it('is woken all the same once there is another', { tags: ['slow'] }, async () => {
    const { database, port, ...server } = await ownPostgres();
    await server.end('stop');
    // Takes connections without an answer; they stay open when the server stops listening.
    const silent: Socket[] = [];
    const dying = createServer((socket) => silent.push(socket)).listen(port, '127.0.0.1');
    await once(dying, 'listening');
    const waker = openWakeUps({ url: database.url, namespace: 'prueba' });
    await waitFor(async () => silent.length > 0 || null);
    dying.close();
    await server.start();
    await waker.isHeard();
    for (const socket of silent) socket.destroy();
    await waker.close();
    await database.close();
  });
});

describe.skipIf(inject('redisUrl') === null)('the wake-up queue with a Redis that hangs', () => {
  it('refuses when its time is over, and works again when Redis does', async () => {
    const redis = await ownRedis();
    await redis.start();
    const queue = createQueue({ url: redis.url, namespace: 'prueba' });
    const wakeUp = { solicitudId: randomUUID(), gen: 1, queue: 'descargas' } as const;
    await untilTaken(() => queue.wake([wakeUp], AbortSignal.timeout(2_000)));
    redis.signal('SIGSTOP');
    await expect(queue.wake([wakeUp], AbortSignal.timeout(500))).rejects.toBeInstanceOf(QueueUnavailable);
    await expect(queue.wake([wakeUp], AbortSignal.timeout(500))).rejects.toBeInstanceOf(QueueUnavailable);
    redis.signal('SIGCONT');
    await untilTaken(() => queue.wake([wakeUp], AbortSignal.timeout(2_000)));
    await queue.close();
    await redis.close();
  });
});
