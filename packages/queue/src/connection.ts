import { Client } from '@acuse/db/instalacion/client';
import { parseQueueUrl } from '@acuse/runtime';
import {
  createPostgresBackend,
  DEFAULT_SCHEMA,
  type Job,
  type PgPool,
  type Processor,
  Queue,
  type QueueOptions,
  quoteSchemaName,
  runMigrations,
  WaitingError,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import pg from 'pg';
import { type Options, openRedis } from './redis.ts';

export interface QueueSettings {
  /** As {@link parseQueueUrl} reads it: chooses BullMQ's driver. */
  readonly url: string;
  /** Prefix of every queue's name; keeps installations apart that share a server. */
  readonly namespace: string;
}

/** What a job carries: ids only. snake_case because it crosses a process border. */
export interface WakeUpsData {
  readonly wake_ups: readonly WakeUpData[];
  /** Topic of a feature with work for whichever process takes the job. */
  readonly topic?: string;
}

/** A wake-up, and a whole job of the version before 28 November 2026. */
export interface WakeUpData {
  readonly solicitud_id: string;
  readonly gen: number;
}

/** Name of the BullMQ queue behind one of ours. BullMQ refuses colons in names. */
export function queueName(settings: QueueSettings, queue: string): string {
  return `${settings.namespace}-${queue}`;
}

type Closable = { close(): Promise<unknown> };

/**
 * Connections to the servers of an address, which BullMQ's queues and workers share: `max` on PostgreSQL, one with these
 * options on Redis.
 */
export function connectTo(
  url: string,
  { max, redis, onError = () => {} }: { max: number; redis: Options; onError?: (error: Error) => void },
) {
  const address = parseQueueUrl(url);
  if (address.kind === 'postgres') {
    const pool = openPostgresPool(url, max);
    return {
      // Queues of the two drivers have the same methods; their types tell them apart by the backend alone.
      queue: (name: string, options: Omit<QueueOptions, 'connection'>) =>
        new Queue(name, { ...options, connection: pool }, createPostgresBackend) as unknown as Queue,
      worker: <D>(name: string, run: Processor<D>, options: Omit<WorkerOptions, 'connection'>) =>
        new Worker(name, run, { ...options, connection: pool }, createPostgresBackend) as unknown as Worker<D>,
      /** Lets go of the connections at once, and of these that used them, whatever state they are in. */
      discard: (...users: readonly Closable[]) =>
        Promise.allSettled([...users.map((user) => user.close()), pool.end()]),
    };
  }
  const client = openRedis(address, redis);
  client.on('error', onError);
  // A cluster runs BullMQ's scripts only on keys of one slot: braces put all keys of a queue into the same.
  const keysOf = (name: string) => (address.kind === 'cluster' ? { prefix: `{${name}}` } : {});
  return {
    queue: (name: string, options: Omit<QueueOptions, 'connection'>) =>
      new Queue(name, { ...options, ...keysOf(name), connection: client }),
    worker: <D>(name: string, run: Processor<D>, options: Omit<WorkerOptions, 'connection'>) =>
      new Worker<D>(name, run, { ...options, ...keysOf(name), connection: client }),
    discard(...users: readonly Closable[]) {
      client.disconnect();
      return Promise.allSettled(users.map((user) => user.close()));
    },
  };
}

export interface NewJob {
  readonly name: string;
  readonly data: WakeUpsData;
  readonly opts?: { readonly jobId: string };
}

/** Periodic wake-up: a cron expression in a time zone. */
export interface Program {
  readonly id: string;
  readonly cron: string;
  readonly tz: string;
}

export interface OpenQueue {
  add(jobs: readonly NewJob[]): Promise<unknown>;
  /** Sets the server's schedule of that id to this one. Writes nothing when they are equal. */
  schedule(entryProgram: Program): Promise<void>;
  /** Lets go of every connection at once, whatever state they are in. */
  discard(): Promise<void>;
}

/** A producer's queue. Commands fail fast; the caller sets a deadline of its own around each all the same. */
export function openQueue(settings: QueueSettings, queue: string, onError: (error: Error) => void): OpenQueue {
  const redis = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1_000, connectTimeout: 2_000 };
  const connection = connectTo(settings.url, { max: 2, redis, onError });
  const bull = connection.queue(queueName(settings, queue), {
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
  });
  bull.on('error', onError);
  return {
    add: (jobs) => bull.addBulk([...jobs]),
    schedule: (entryProgram) => scheduleOn(bull, entryProgram),
    async discard() {
      await connection.discard(bull);
    },
  };
}

/** Milliseconds that the next wake-up of a schedule may be late before it counts as lost. */
const LATE_MS = 600_000;

async function scheduleOn(
  bull: Pick<Queue, 'getJobScheduler' | 'upsertJobScheduler'>,
  { id, cron, tz }: Program,
): Promise<void> {
  const known = await bull.getJobScheduler(id);
  const isAlive = known?.next !== undefined && known.next > Date.now() - LATE_MS;
  if (isAlive && known.pattern === cron && known.tz === tz) return;
  await bull.upsertJobScheduler(id, { pattern: cron, tz }, { name: id, data: {} });
}

export interface OpenWorker {
  onError(listener: (error: Error) => void): void;
  /** Resolves when it is connected and takes jobs. Once it has rejected, this consumer never will. */
  readonly ready: Promise<void>;
  /** Takes no further job until it is resumed; the running ones go on. */
  pause(): void;
  resume(): void;
  /** Stops taking jobs and resolves when the running ones are done. */
  close(): Promise<void>;
  /** Lets go of every connection. */
  discard(): void;
}

/**
 * A worker whose first connection failed would ask for jobs in a loop that never lets anything else run: it is not
 * started before.
 */
async function runWhenReady(worker: {
  waitUntilReady(): Promise<void>;
  run(): Promise<void>;
  emit(event: 'error', error: Error): boolean;
}): Promise<void> {
  await worker.waitUntilReady();
  worker.run().catch((error: Error) => worker.emit('error', error));
}

/** A consumer with connections of its own. A job for which `run` gives false goes back to the queue. */
export function openWorker<D>(
  settings: QueueSettings,
  queue: string,
  options: Omit<WorkerOptions, 'connection'>,
  run: (datos: D, signal: AbortSignal | undefined) => Promise<boolean>,
): OpenWorker {
  const max = Math.max(2, Math.min(options.concurrency ?? 1, 10)) + 1;
  const connection = connectTo(settings.url, { max, redis: { maxRetriesPerRequest: null } });
  const process = async (job: Pick<Job<D>, 'data' | 'moveToWait'>, token?: string, signal?: AbortSignal) => {
    if (await run(job.data, signal)) return;
    // A queue that does not take it back gives it to another one when its lock lapses.
    await job.moveToWait(token).catch(() => {});
    throw new WaitingError();
  };
  const worker = connection.worker(queueName(settings, queue), process, { ...options, autorun: false });
  const ready = runWhenReady(worker);
  return {
    onError: (listener) => worker.on('error', listener),
    ready,
    pause: () => void worker.pause(true),
    resume: () => void ready.then(() => worker.resume()).catch(() => {}),
    close: () => worker.close(),
    discard: () => void connection.discard(),
  };
}

/**
 * Opens connections of one queue to BullMQ's schema, which is created or upgraded before the first is used. The caller
 * ends the pool.
 * @param max largest number of connections; a consumer keeps one of them to listen.
 */
function openPostgresPool(url: string, max: number): PgPool {
  let migrated: Promise<unknown> | null = null;
  const pool = new pg.Pool({
    connectionString: url,
    Client,
    max,
    keepAlive: true,
    // A server that dies while it greets leaves the connection open and silent.
    connectionTimeoutMillis: 3_000,
    // A process that stands still while it looks after the schema holds a lock that all who start wait for.
    idle_in_transaction_session_timeout: 5_000,
    application_name: 'acuse-queue',
    // Compiling a statement (JIT) takes longer than any of the queue's runs.
    options: `-c jit=off -c search_path=${quoteSchemaName(DEFAULT_SCHEMA)}`,
    async onConnect(client) {
      migrated ??= runMigrations(client, DEFAULT_SCHEMA);
      try {
        await migrated;
        // One that ended meanwhile is not handed out: BullMQ would keep it to listen on for ever.
        await client.query('SELECT 1');
      } catch (error) {
        migrated = null;
        throw error;
      }
    },
  });
  pool.on('error', () => {});
  return pool as PgPool;
}
