import { randomBytes } from 'node:crypto';
import { type ClaimedSolicitud, type Claims, noCheckpoint } from '@acuse/core';
import {
  CANAL_OUTBOX,
  createClaims,
  createHeartbeats,
  createOutbox,
  createSaldos,
  createSweeper,
  type Database,
  listenTo,
  migrate,
  notifyOutbox,
  openDatabase,
} from '@acuse/db';
import { createDatabase } from '@acuse/embedded';
import { createMetrics } from '@acuse/metrics';
import { createConsumer, createQueue, type QueueSettings } from '@acuse/queue';
import { silentLogger as log, uuidV7 } from '@acuse/runtime';
import { workerConfig } from '@acuse/settings/worker';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startReconciler } from '../../apps/worker/src/roles/reconciler.ts';
import { startRelay } from '../../apps/worker/src/roles/relay.ts';
import { createRunner, startWatchdog } from '../../apps/worker/src/steps.ts';
import { seedOpen } from '../integration/fixtures/abiertas.ts';
import { WITH_FEATURES } from '../integration/fixtures/features.ts';

/** Seconds until an unanswered wake-up is sent again: short, so that the larger backlog is far behind it. */
const GRACE_SECONDS = 5;
const CUENTAS = 20;
/** As an installation has it that sets nothing. */
const LEASE_SECONDS = workerConfig.shape.LEASE_SECONDS.parse(undefined);
const PAIR = ['uno', 'dos'];
/** Instead of the seconds between two looks: a worker that keeps what it has claimed. */
export const HOLD = -1;

/** A queue of its own on that server. */
export const queueOf = (url: string) => ({ url, namespace: `b${randomBytes(4).toString('hex')}` });

interface Backlog {
  readonly open: number;
  readonly wipe: boolean;
  readonly seconds: number;
  /** Steps at the same time in each of the two workers. */
  readonly slots: number;
  /** Milliseconds that the authority takes for each. */
  readonly satMs: number;
  /** Seconds until the workers are at their usual speed. */
  readonly settle: number;
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Empties the queue as an operator or a failover may. */
async function wipeQueue(queueUrl: string): Promise<void> {
  if (queueUrl.startsWith('redis')) {
    const client = new Redis(queueUrl);
    await client.flushall();
    client.disconnect();
    return;
  }
  const client = new pg.Client(queueUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
       WHERE schemaname LIKE '%bullmq%' AND tablename LIKE '%job%'`,
    );
    if (rows.length === 0) throw new Error('the queue has no table of jobs');
    await client.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} CASCADE`);
  } finally {
    await client.end();
  }
}

/** Workers with relay and reconciler; each step runs `step`. Returns the function that ends them. */
export async function startWorkers(
  names: readonly string[],
  databaseUrl: string,
  settings: QueueSettings,
  slots: number,
  deps: { step: (claimed: ClaimedSolicitud, claims: Claims) => Promise<void>; onWakeUp?: () => void },
): Promise<() => Promise<void>> {
  const closing: (() => Promise<unknown>)[] = [];
  for (const worker of names) {
    const own = openDatabase({ url: databaseUrl, poolSize: 20, timeoutMs: 30_000, applicationName: worker });
    closing.push(() => own.close());
    const claims = createClaims(own, WITH_FEATURES);
    let freed = () => {};
    const runner = createRunner(
      {
        claims,
        log,
        checkpoint: noCheckpoint,
        metrics: createMetrics('worker').metrics,
        leaseSeconds: LEASE_SECONDS,
        retrySeconds: 5,
        freed: () => freed(),
      },
      { queue: 'descargas', run: (claimed) => deps.step(claimed, claims) },
    );
    const consumer = createConsumer(settings, {
      queue: 'descargas',
      concurrency: slots,
      handle: (wakeUp, signal, begun) => {
        deps.onWakeUp?.();
        return runner.answer(wakeUp, signal, begun);
      },
      onError: () => {},
    });
    closing.push(() => consumer.close(1_000));
    const queue = createQueue(settings);
    closing.push(() => queue.close());
    const outbox = createOutbox(own);
    const relay = startRelay({
      outbox,
      queue,
      log,
      everyMs: 250,
      queueTimeoutMs: 5_000,
      graceSeconds: GRACE_SECONDS,
    });
    freed = relay.freed;
    closing.push(() => relay.close());
    const listening = await listenTo(own.settings, CANAL_OUTBOX, relay.wake);
    closing.push(() => listening.close());
    const reconciler = startReconciler({
      sweeper: createSweeper(own),
      saldos: createSaldos(own),
      log,
      everyMs: 2_000,
    });
    closing.push(() => reconciler.close());
    const watchdog = startWatchdog({
      proceso: worker,
      queue: 'descargas',
      slots: () => slots,
      consumer,
      awaySeconds: 300,
      progress: runner,
      heartbeats: createHeartbeats(own),
      log,
      everyMs: 1_000,
      giveUp: () => {},
    });
    closing.push(() => watchdog.close());
  }
  return async () => {
    for (const close of closing.reverse()) await close();
  };
}

/** Steps a second of two workers over a backlog, and how many wake-ups one step took. */
async function drain(databaseUrl: string, queueUrl: string, { open, wipe, seconds, slots, satMs, settle }: Backlog) {
  const counts = { steps: 0, wakeUps: 0 };
  let isOver = false;
  const db = openDatabase({ url: databaseUrl, poolSize: 4, timeoutMs: 60_000, applicationName: 'bench' });
  await seedOpen(db.pool, { open, cuentas: CUENTAS });
  const close = await startWorkers(PAIR, databaseUrl, queueOf(queueUrl), slots, {
    async step(claimed, claims) {
      if (satMs > 0) await pause(satMs / 1_000);
      if (isOver) return;
      await claims.release(claimed, {}, { queue: 'descargas', inSeconds: 0 });
      counts.steps += 1;
    },
    onWakeUp() {
      counts.wakeUps += 1;
    },
  });
  await pause(settle);
  const from = { ...counts };
  const started = performance.now();
  await pause(seconds / 2);
  if (wipe) await wipeQueue(queueUrl);
  await pause(seconds / 2);
  const passed = (performance.now() - started) / 1_000;
  const [steps, wakeUps] = [counts.steps - from.steps, counts.wakeUps - from.wakeUps];
  isOver = true;
  await close();
  await db.close();
  return { perSecond: steps / passed, wakeUpsPerStep: wakeUps / Math.max(1, steps) };
}

/** Accepts one solicitud of an account of its own, as the API does, and gives its id. */
async function acceptOne(db: Database): Promise<string> {
  const id = uuidV7();
  await db.pool.query(
    `WITH c AS (INSERT INTO cuenta (id, nombre, email) VALUES ($1::uuid, 'b', $1::uuid::text)),
     d AS (INSERT INTO contribuyente (id, cuenta_id, rfc) VALUES ($1::uuid, $1::uuid, 'R')),
     s AS (INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, deadline_at)
           VALUES ($1::uuid, $1::uuid, $1::uuid, $1::uuid::text, 'R', 'recibidos', '2025-01-01', '2025-01-01', 'soap', now() + interval '1 day') RETURNING *)
     INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) SELECT id, gen, 'descargas', cuenta_id, due_at FROM s`,
    [id],
  );
  await notifyOutbox(db);
  return id;
}

/**
 * Seconds that a solicitud of several steps takes, the middle of some, and the same with so many of another account
 * before it.
 */
async function waitBehind(
  databaseUrl: string,
  queueUrl: string,
  { open, slots, satMs, settle }: Pick<Backlog, 'open' | 'slots' | 'satMs' | 'settle'>,
) {
  const [steps, rounds] = [5, 7];
  const left = new Map<string, { steps: number; end: () => void }>();
  let isOver = false;
  const db = openDatabase({ url: databaseUrl, poolSize: 4, timeoutMs: 60_000, applicationName: 'bench' });
  const close = await startWorkers(PAIR, databaseUrl, queueOf(queueUrl), slots, {
    async step(claimed, claims) {
      await pause(satMs / 1_000);
      if (isOver) return;
      const own = left.get(claimed.id);
      if (own) own.steps -= 1;
      if (own?.steps !== 0) return claims.release(claimed, {}, { queue: 'descargas', inSeconds: 0 });
      await claims.fail(claimed, { estado: 'ERROR', motivo: 'SAT_ERROR' });
      own.end();
    },
  });
  const measure = async () => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now();
      const id = await acceptOne(db);
      await new Promise<void>((end) => left.set(id, { steps, end }));
      times.push((performance.now() - started) / 1_000);
    }
    return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  };
  await pause(settle / 5);
  const alone = await measure();
  await seedOpen(db.pool, { open, cuentas: 1 });
  await pause(settle);
  const behind = await measure();
  isOver = true;
  await close();
  await db.close();
  return { alone, behind };
}

/**
 * What a backlog costs: how much longer one account takes behind another one's, and steps a second with 10,000 open
 * solicitudes, and with the queue wiped, beside those with 100 open.
 */
export async function benchBacklog(postgresUrl: string, redisUrl: string | null, share: number): Promise<void> {
  // A schema of the queue takes seconds to make, at any size.
  const [seconds, settle, second] = [16 * share, Math.max(5, 3 * GRACE_SECONDS * share), 1_000 * share];
  const [some, few, many] = [1_000 * share, 100 * share, 10_000 * share];
  for (const [name, url] of [
    ['PostgreSQL', null],
    ['Redis', redisUrl],
  ] as const) {
    if (name === 'Redis' && url === null) {
      console.log('backlog on Redis: skipped, no redis-server on this machine');
      continue;
    }
    const newDatabase = async () => {
      const databaseUrl = await createDatabase(postgresUrl, `backlog_${randomBytes(4).toString('hex')}`);
      await migrate(databaseUrl);
      return databaseUrl;
    };
    const own = await newDatabase();
    const { alone, behind } = await waitBehind(own, url ?? own, { open: some, slots: 20, satMs: second, settle });
    console.log(
      `backlog on ${name}, one request of 5 steps, SAT of ${second} ms, 20 slots a worker: alone ${alone.toFixed(2)} s | with ${some} of another account waiting ${behind.toFixed(2)} s | ratio ${(behind / alone).toFixed(2)}`,
    );
    let floor = 0;
    for (const [open, wipe, slots, satMs] of [
      [few, false, 20, 0],
      [many, false, 20, 0],
      [many, true, 20, 0],
      [many, false, 20, second],
      [many, false, 250, second],
    ] as const) {
      const databaseUrl = await newDatabase();
      const { perSecond, wakeUpsPerStep } = await drain(databaseUrl, url ?? databaseUrl, {
        open,
        wipe,
        seconds,
        slots,
        satMs,
        settle,
      });
      floor ||= perSecond;
      console.log(
        `backlog on ${name}, ${open} open, SAT of ${satMs} ms, ${slots} slots a worker${wipe ? ', queue wiped' : ''}: ${perSecond.toFixed(0)} steps/s | ratio to ${few} open ${(perSecond / floor).toFixed(2)} | ${wakeUpsPerStep.toFixed(2)} wakeUps a step`,
      );
    }
  }
}
