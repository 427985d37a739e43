import type { CargaListas } from '@acuse/core';
import type { Scheduler } from '@acuse/queue';
import { deadline, type Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Turns between two looks at the schedule: a queue that was emptied has lost it. */
const SCHEDULE_TURNS = 12;

/**
 * Keeps the list from growing old whatever happens to the queue: loads it when the database says so (there is none, it
 * is too old, an attempt failed, the operator asked), and keeps the daily schedule in the queue.
 */
export function startListas(deps: {
  carga: Pick<CargaListas, 'pendiente'>;
  load: (signal: AbortSignal) => Promise<void>;
  scheduler: Scheduler;
  log: Logger;
  everyMs: number;
  /** Hours without a word from the source after which the list is fetched again. */
  maxHoras: number;
  /** Milliseconds after which the queue counts as away. */
  queueTimeoutMs: number;
}) {
  const { carga, load, scheduler, log, everyMs, maxHoras, queueTimeoutMs } = deps;
  let turns = 0;
  const schedule = startLoop({
    name: 'listas-horario',
    everyMs: everyMs * SCHEDULE_TURNS,
    log,
    turn: async (signal) => {
      await deadline(queueTimeoutMs, (limit) => scheduler.ensure(limit), signal);
      return false;
    },
  });
  const pending = startLoop({
    name: 'listas',
    everyMs,
    log,
    turn: async (signal) => {
      const motivo = await carga.pendiente({ maxHoras });
      if (motivo === null) return false;
      if (turns++ === 0 || motivo !== 'SIN_LISTA') log.info({ motivo }, 'list 69-B is to be loaded');
      await load(signal);
      return false;
    },
  });
  return {
    async close() {
      await Promise.all([pending.close(), schedule.close()]);
    },
  };
}
