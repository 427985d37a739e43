import { createPostgresBackend, Queue, type QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { driverOf, type QueueSettings, queueName, retryStrategy } from './connection.ts';
import { openPostgresPool } from './postgres-pool.ts';
import { untilAborted } from './until-aborted.ts';

/** The queues of the workers: their rings, and the schedule of list 69-B. */
export const COLAS_VISIBLES = ['descargas', 'ensambles', 'listas'] as const;

/** Jobs of one queue by what they wait for; null when the queue's server does not answer. */
export interface CuentaCola {
  readonly cola: (typeof COLAS_VISIBLES)[number];
  readonly trabajos: {
    readonly esperan: number;
    readonly activos: number;
    readonly aplazados: number;
  } | null;
}

/** A look at the queues without working on them. */
export interface Tablero {
  readonly queues: readonly Queue[];
  /** Never rejects. */
  cuentas(signal: AbortSignal): Promise<readonly CuentaCola[]>;
  close(): Promise<void>;
}

/** Opens the queues for looking. Connects on first use; a server that is away fails a command, and is found again when it is back. */
export function createTablero(settings: QueueSettings, onError: (error: Error) => void = () => {}): Tablero {
  const options: Omit<QueueOptions, 'connection'> = { skipMetasUpdate: true };
  const client =
    driverOf(settings.url) === 'redis'
      ? new Redis(settings.url, {
          enableOfflineQueue: true,
          maxRetriesPerRequest: 1,
          commandTimeout: 2_000,
          connectTimeout: 2_000,
          lazyConnect: true,
          retryStrategy,
        })
      : null;
  client?.on('error', onError);
  // One pool for all of them: looking is rare.
  const pool = client === null ? openPostgresPool(settings.url, 2) : null;
  const queues = COLAS_VISIBLES.map((cola) => {
    const queue = open(queueName(settings, cola));
    queue.on('error', onError);
    return queue;
  });

  function open(name: string): Queue {
    if (pool === null) return new Queue(name, { ...options, connection: client ?? {} });
    // Queues of the two drivers have the same methods; their types tell them apart by the backend alone.
    return new Queue(name, { ...options, connection: pool }, createPostgresBackend) as unknown as Queue;
  }

  async function count(queue: Queue): Promise<CuentaCola['trabajos']> {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
    const of = (state: string) => counts[state] ?? 0;
    return { esperan: of('waiting') + of('prioritized'), activos: of('active'), aplazados: of('delayed') };
  }

  return {
    queues,
    cuentas: (signal) =>
      Promise.all(
        COLAS_VISIBLES.map(async (cola, n) => {
          const queue = queues[n];
          const trabajos = queue && (await untilAborted(() => count(queue), signal).catch(() => null));
          return { cola, trabajos: trabajos ?? null };
        }),
      ),
    async close() {
      client?.disconnect();
      await Promise.allSettled([...queues.map((queue) => queue.close()), pool?.end()]);
    },
  };
}
