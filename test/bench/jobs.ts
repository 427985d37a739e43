import { randomBytes, randomUUID } from 'node:crypto';
import { type Avance, type ClaimedSolicitud, noCheckpoint } from '@acuse/core';
import { createClaims, createHeartbeats, createOutbox, migrate, openDatabase } from '@acuse/db';
import { createDatabase } from '@acuse/embedded';
import { createMetrics } from '@acuse/metrics';
import { createConsumer, createQueue } from '@acuse/queue';
import { silentLogger } from '@acuse/runtime';
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startRelay } from '../../apps/worker/src/roles/relay.ts';
import { createRunner } from '../../apps/worker/src/steps.ts';
import { schedule, seedOpen } from '../integration/fixtures/abiertas.ts';
import { WITH_FEATURES } from '../integration/fixtures/features.ts';
import { type Servers, type Speed, startMeasure } from './cpu.ts';

/** The worker's own defaults (`DESCARGAS_CONCURRENCY`, `DATABASE_POOL`), and twice as many solicitudes as slots. */
const CONCURRENCY = 250;
const POOL = 20;
const SOLICITUDES = 2 * CONCURRENCY;

/** Jobs a second of bare BullMQ: added in bulk, consumed by a function that does nothing. */
async function bare(servers: Servers, url: string, jobs: number): Promise<Speed> {
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
  await worker.waitUntilReady();
  const measured = await startMeasure(servers);
  void worker.run();
  for (let at = 0; at < jobs; at += 200)
    await queue.addBulk(
      Array.from({ length: 200 }, () => ({ name: 'x', data: { solicitud_id: randomUUID(), gen: 1 } })),
    );
  while (done < jobs) await new Promise((resolve) => setTimeout(resolve, 20));
  const speed = await measured(jobs);
  await worker.close();
  await queue.close();
  for (const client of clients) client.disconnect();
  return speed;
}

/** Makes what a step writes: nothing, or what a look at the SAT that finds nothing new does. */
type Step = (claimed: ClaimedSolicitud) => Avance;

export const look: Step = ({ partes: [parte] }) => ({
  consultado: true,
  partes: parte ? [{ parteId: parte.id, fallos: 0, consultas: parte.consultas + 1, dueInSeconds: 0 }] : [],
  eventos: [{ tipo: 'SAT_EN_PROCESO' }],
});

const STEPS: Readonly<Record<string, Step>> = { 'empty steps': () => ({}), looks: look };

/** Steps a second of ours: every one passes outbox, relay, queue, claim and release. */
async function ours(servers: Servers, databaseUrl: string, queueUrl: string, seconds: number, step: Step) {
  const db = openDatabase({ url: databaseUrl, poolSize: POOL, timeoutMs: 30_000, applicationName: 'bench' });
  const ids = await seedOpen(db.pool, { open: SOLICITUDES, cuentas: 1 });
  let steps = 0;
  let isOver = false;
  const claims = createClaims(db, WITH_FEATURES);
  let freed = () => {};
  const runner = createRunner(
    {
      claims,
      log: silentLogger,
      metrics: createMetrics('worker').metrics,
      checkpoint: noCheckpoint,
      leaseSeconds: 60,
      retrySeconds: 5,
      freed: () => freed(),
    },
    {
      queue: 'descargas',
      async run(claimed) {
        if (isOver) return;
        await claims.release(claimed, step(claimed), { queue: 'descargas', inSeconds: 0 });
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
  const relay = startRelay({
    outbox: createOutbox(db),
    queue,
    log: silentLogger,
    everyMs: 250,
    queueTimeoutMs: 5_000,
    graceSeconds: 30,
  });
  freed = relay.freed;
  await schedule(db.pool, ids);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const from = steps;
  const measured = await startMeasure(servers);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const speed = await measured(steps - from);
  isOver = true;
  await relay.close();
  await consumer.close(1_000);
  await queue.close();
  await db.close();
  return speed;
}

const costOf = ({ cpuMs }: Speed) => cpuMs.reduce((sum, ms) => sum + ms, 0);
const told = (speed: Speed) =>
  `${speed.perSecond.toFixed(0)}/s, ${costOf(speed).toFixed(2)} ms of processor each (${speed.cpuMs.map((ms) => ms.toFixed(2)).join(' + ')})`;

/**
 * Steps of solicitudes a second, beside bare BullMQ on the same server. The milliseconds are those of this process, of
 * PostgreSQL and of Redis.
 */
export async function benchJobs(servers: Servers, seconds: number): Promise<void> {
  for (const [name, url] of [
    ['PostgreSQL', null],
    ['Redis', servers.redis?.url ?? null],
  ] as const) {
    if (name === 'Redis' && url === null) {
      console.log('jobs on Redis: skipped, no redis-server on this machine');
      continue;
    }
    const databaseUrl = await createDatabase(servers.postgres.url, `jobs_${randomBytes(4).toString('hex')}`);
    await migrate(databaseUrl);
    const queueUrl = url ?? databaseUrl;
    const floor = await bare(servers, queueUrl, url ? 20_000 : 4_000);
    console.log(`jobs on ${name}: floor, bare BullMQ: ${told(floor)}`);
    for (const [kind, step] of Object.entries(STEPS)) {
      const speed = await ours(servers, databaseUrl, queueUrl, seconds, step);
      console.log(
        `jobs on ${name}: ${kind}: ${told(speed)} | ratio ${(speed.perSecond / floor.perSecond).toFixed(2)}, by processor ${(costOf(floor) / costOf(speed)).toFixed(2)}`,
      );
    }
  }
}
