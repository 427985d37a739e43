import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { inTransaction, openDatabase } from '@acuse/db';
import { expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../fixtures/database.ts';
import { atHost, startPipe } from '../fixtures/pipe.ts';
import { openWakeUps } from '../fixtures/queue.ts';
import { waitFor } from '../fixtures/wait-for.ts';

/** ErrorResponse (PostgreSQL, Frontend/Backend Protocol, Message Formats) of a server that an operator stops. */
const TERMINATED = (() => {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const head = Buffer.from('E    ');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
})();

/** ReadyForQuery outside of a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A proxy that ends some connections in the segment of their greeting, before the client listens. */
async function startCutter(target: URL) {
  const isDoomed = { next: (_n: number) => false as boolean };
  let [connections, cuts] = [0, 0];
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    connections += 1;
    let doomed = isDoomed.next(connections);
    const server = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    client.pipe(server);
    server.on('data', (chunk: Buffer) => {
      if (!doomed || !chunk.subarray(-READY.length).equals(READY)) return void client.write(chunk);
      doomed = false;
      cuts += 1;
      client.end(Buffer.concat([chunk, TERMINATED]));
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: atHost(target.href, `127.0.0.1:${(proxy.address() as AddressInfo).port}`),
    isDoomed,
    cuts: () => cuts,
    cutAll() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** An empty database behind a cutter, until the test ends. */
async function openCut() {
  const database = await testDatabase();
  const cutter = await startCutter(new URL(database.url));
  onTestFinished(async () => {
    await cutter.close();
    await database.close();
  });
  return cutter;
}

it('a connection of the queue that is ended with its greeting ends nothing else, and the queue wakes workers again', async () => {
  const cutter = await openCut();
  const { isHeard, close } = openWakeUps({ url: cutter.url, namespace: 'cortes' });
  try {
    await isHeard();
    // For every connection at that moment: the first new one, the second, both.
    for (const doomed of [[1], [2], [1, 2], [2, 3], [1, 2, 3, 4]]) {
      const before = cutter.cuts();
      let n = 0;
      cutter.isDoomed.next = () => doomed.includes(++n);
      cutter.cutAll();
      await waitFor(async () => cutter.cuts() > before || null);
      await isHeard();
    }
    expect(cutter.cuts()).toBeGreaterThanOrEqual(5);
  } finally {
    await close();
  }
});

it('a connection of the database that is ended with its greeting fails its statement and nothing else', async () => {
  const cutter = await openCut();
  cutter.isDoomed.next = (n) => n <= 2;
  const { pool, close } = openDatabase({
    url: cutter.url,
    poolSize: 1,
    timeoutMs: 5_000,
    applicationName: 'cortes',
  });
  try {
    await expect(pool.query('SELECT 1')).rejects.toThrow();
    await expect(inTransaction(pool, (client) => client.query('SELECT 1'))).rejects.toThrow();
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    expect(cutter.cuts()).toBe(2);
  } finally {
    await close();
  }
});

it('a process that stands still while it looks after the schema of the queue holds up no other', async () => {
  const database = await testDatabase();
  const pipe = await startPipe(database.url);
  const caught = pipe.catchReply('pg_advisory_xact_lock');
  const still = openWakeUps({ url: atHost(database.url, new URL(pipe.url).host), namespace: 'quieta' });
  await caught;
  // Of another namespace: the first one comes back and would hear what this one wake-ups.
  const other = openWakeUps({ url: database.url, namespace: 'despierta' });
  try {
    await other.isHeard();
  } finally {
    await other.close();
    await pipe.close();
    await still.close();
    await database.close();
  }
});
