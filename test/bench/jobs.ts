import { randomBytes, randomUUID } from 'node:crypto';
import { noCheckpoint } from '@acuse/core';
import { createClaims, createHeartbeats, createOutbox, migrate, openDatabase } from '@acuse/db';
import { createDatabase } from '@acuse/embedded';
import { createConsumer, createQueue } from '@acuse/queue';
import { silentLogger, uuidV7 } from '@acuse/runtime';
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startRelay } from '../../apps/worker/src/relay.ts';
import { createRunner } from '../../apps/worker/src/steps.ts';

const CONCURRENCY = 20;
const SOLICITUDES = 400;

/** Jobs a second of bare BullMQ: added in bulk, consumed by a function that does nothing. */
async function bare(url: string, jobs: number): Promise<number> {
  const name = `piso-${randomBytes(4).toString('hex')}`;
  const isRedis = url.startsWith('redis');
  const clients: Redis[] = [];
  const redis = () => {
    const client = new Redis(url, { maxRetriesPerRequest: null });
    clients.push(client);
    return client;
  };
  const postgres = { connectionString: url, migrate: true, max: 10 };
  let done = 0;
  const options = { removeOnComplete: { count: 0 }, concurrency: CONCURRENCY, autorun: false };
  const run = async () => {
    done += 1;
  };
  const queue = isRedis
    ? new Queue(name, { connection: redis() })
    : new Queue(name, { connection: postgres }, createPostgresBackend);
  const worker = isRedis
    ? new Worker(name, run, { ...options, connection: redis() })
    : new Worker(name, run, { ...options, connection: postgres }, createPostgresBackend);
  const started = performance.now();
  void worker.run();
  for (let at = 0; at < jobs; at += 200)
    await queue.addBulk(
      Array.from({ length: 200 }, () => ({ name: 'x', data: { solicitud_id: randomUUID(), gen: 1 } })),
    );
  while (done < jobs) await new Promise((resolve) => setTimeout(resolve, 20));
  const perSecond = (jobs / (performance.now() - started)) * 1_000;
  await worker.close();
  await queue.close();
  for (const client of clients) client.disconnect();
  return perSecond;
}

/** Steps a second of ours: every one passes outbox, relay, queue, claim and release. */
async function ours(databaseUrl: string, queueUrl: string, seconds: number): Promise<number> {
  const db = openDatabase({ url: databaseUrl, poolSize: CONCURRENCY + 4, timeoutMs: 30_000, applicationName: 'bench' });
  const cuenta = randomUUID();
  const contribuyente = randomUUID();
  await db.pool.query(`INSERT INTO cuenta (id, nombre, email, saldo) VALUES ($1, 'b', $2, 0)`, [cuenta, cuenta]);
  await db.pool.query(`INSERT INTO contribuyente (id, cuenta_id, rfc) VALUES ($1, $2, 'R')`, [contribuyente, cuenta]);
  const ids = Array.from({ length: SOLICITUDES }, () => uuidV7());
  await db.pool.query(
    `INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, deadline_at)
     SELECT i, $2, $3, i::text, 'R', 'recibidos', '2025-01-01', '2025-01-01', 'soap', now() + interval '1 day' FROM unnest($1::uuid[]) i`,
    [ids, cuenta, contribuyente],
  );
  let steps = 0;
  let isOver = false;
  const claims = createClaims(db);
  const runner = createRunner(
    { claims, log: silentLogger, checkpoint: noCheckpoint, leaseSeconds: 60, retrySeconds: 5 },
    {
      queue: 'descargas',
      async run(claimed) {
        if (isOver) return;
        await claims.release(claimed, {}, { queue: 'descargas', inSeconds: 0 });
        steps += 1;
      },
    },
  );
  const settings = { url: queueUrl, namespace: `b${randomBytes(4).toString('hex')}` };
  const queue = createQueue(settings);
  const consumer = createConsumer(settings, {
    queue: 'descargas',
    concurrency: CONCURRENCY,
    handle: runner.answer,
    onError: () => {},
  });
  await createHeartbeats(db).beat({ proceso: 'bench', rol: 'descargas', consumed: false, slots: CONCURRENCY });
  const relay = await startRelay({
    outbox: createOutbox(db),
    queue,
    log: silentLogger,
    everyMs: 10,
    queueTimeoutMs: 5_000,
    graceSeconds: 30,
  });
  await db.pool.query(
    `INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) SELECT i, 1, 'descargas', $2, now() FROM unnest($1::uuid[]) i`,
    [ids, cuenta],
  );
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const [from, started] = [steps, performance.now()];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const perSecond = ((steps - from) / (performance.now() - started)) * 1_000;
  isOver = true;
  await relay.close();
  await consumer.close(1_000);
  await queue.close();
  await db.close();
  return perSecond;
}

/** Steps of solicitudes a second, beside bare BullMQ on the same server. */
export async function benchJobs(postgresUrl: string, redisUrl: string | null, seconds: number): Promise<void> {
  for (const [name, url] of [
    ['PostgreSQL', null],
    ['Redis', redisUrl],
  ] as const) {
    if (name === 'Redis' && url === null) {
      console.log('jobs on Redis: skipped, no redis-server on this machine');
      continue;
    }
    const databaseUrl = await createDatabase(postgresUrl, `jobs_${randomBytes(4).toString('hex')}`);
    await migrate(databaseUrl);
    const queueUrl = url ?? databaseUrl;
    const floor = await bare(queueUrl, url ? 20_000 : 4_000);
    const steps = await ours(databaseUrl, queueUrl, seconds);
    console.log(
      `jobs on ${name}: ${steps.toFixed(0)} steps/s | floor, bare BullMQ: ${floor.toFixed(0)} jobs/s | ratio ${(steps / floor).toFixed(2)}`,
    );
  }
}
