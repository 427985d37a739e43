import { untilAborted } from '@acuse/runtime';
import type { Queue } from 'bullmq';
import { connectTo, type QueueSettings, queueName } from './connection.ts';

/** The queues of the workers: their wake-ups, and the schedule of list 69-B. */
const VISIBLE_QUEUES = ['descargas', 'ensambles', 'listas'] as const;

/** Jobs of one queue by what they wait for; null when the queue's server does not answer. */
interface CuentaCola {
  readonly queue: (typeof VISIBLE_QUEUES)[number];
  readonly trabajos: { readonly esperan: number; readonly activos: number; readonly aplazados: number } | null;
}

/** A look at the queues without working on them. */
export interface Dashboard {
  /** Other ones after those of before could not be opened. */
  readonly queues: readonly Queue[];
  /** Never rejects. */
  cuentas(signal: AbortSignal): Promise<readonly CuentaCola[]>;
  close(): Promise<void>;
}

/** Queues and their connection, until one of them could not be opened. */
interface Abierto {
  readonly queues: readonly Queue[];
  isBroken: boolean;
  discard(): Promise<void>;
}

/**
 * Opens the queues for looking. Connects on first use; a server that is away fails a command, and is found again when
 * it is back.
 */
export function createDashboard(settings: QueueSettings, onError: (error: Error) => void = () => {}): Dashboard {
  let abierto: Abierto | null = null;

  /** BullMQ keeps a start-up failure for the life of a queue object, so the next look opens the queues again. */
  function current(): readonly Queue[] {
    if (abierto?.isBroken) {
      void abierto.discard();
      abierto = null;
    }
    abierto ??= openQueues(settings, onError);
    return abierto.queues;
  }

  return {
    get queues() {
      return current();
    },
    cuentas(signal) {
      const queues = current();
      return Promise.all(
        VISIBLE_QUEUES.map(async (queue, n) => {
          const bull = queues[n];
          const trabajos = bull && (await untilAborted(() => count(bull), signal).catch(() => null));
          return { queue, trabajos: trabajos ?? null };
        }),
      );
    },
    async close() {
      await abierto?.discard();
    },
  };
}

function openQueues(settings: QueueSettings, onError: (error: Error) => void): Abierto {
  // One pool for all of them: looking is rare. None waits for another's connection, which counts as one that does not
  // come.
  const connection = connectTo(settings.url, {
    max: VISIBLE_QUEUES.length,
    redis: { maxRetriesPerRequest: 1, commandTimeout: 2_000, connectTimeout: 2_000, lazyConnect: true },
    onError,
  });
  const queues = VISIBLE_QUEUES.map((queue) => connection.queue(queueName(settings, queue), { skipMetasUpdate: true }));
  const abierto: Abierto = {
    queues,
    isBroken: false,
    async discard() {
      await connection.discard(...queues);
    },
  };
  for (const bull of queues) {
    bull.on('error', onError);
    bull.waitUntilReady().catch(() => {
      abierto.isBroken = true;
    });
  }
  return abierto;
}

async function count(bull: Queue): Promise<CuentaCola['trabajos']> {
  const counts = await bull.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
  const of = (state: string) => counts[state] ?? 0;
  return { esperan: of('waiting') + of('prioritized'), activos: of('active'), aplazados: of('delayed') };
}
