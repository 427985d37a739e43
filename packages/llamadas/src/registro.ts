import type { CallLog, CallObserver, FinishedCall } from '@acuse/operation';
import type { Llamadas } from './db.ts';

const EVERY_MS = 1_000;
/** Lines of one INSERT. */
const LOT = 1_000;
/** Lines that wait while the database is away. */
const MAX_WAITING = 10_000;

/**
 * Keeps lines of finished calls in memory and writes them each second, or as soon as {@link LOT} wait. Lines beyond
 * {@link MAX_WAITING} are dropped, counted and logged.
 */
export function createRegistro({ note }: Pick<Llamadas, 'note'>, log: CallLog): CallObserver {
  const waiting: FinishedCall[] = [];
  let lost = 0;
  /** Lines of the lot that was tried last: it may be written already, and is tried again as it was. */
  let tried = 0;
  let writing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      tried ||= Math.min(LOT, waiting.length);
      await note(waiting.slice(0, tried));
      waiting.splice(0, tried);
      tried = 0;
    }
  }

  function tell(err?: unknown): void {
    log.warn({ err, waiting: waiting.length, lost }, 'calls_not_recorded');
    lost = 0;
  }

  function flush(): Promise<void> {
    writing ??= writeAll()
      .then(() => (lost > 0 ? tell() : undefined), tell)
      .finally(() => {
        writing = null;
      });
    return writing;
  }

  const timer = setInterval(() => void flush(), EVERY_MS);
  timer.unref();
  return {
    note(call) {
      if (waiting.length === MAX_WAITING) lost += 1;
      else if (waiting.push(call) >= LOT && waiting.length % LOT === 0) void flush();
    },
    async close() {
      clearInterval(timer);
      await writing;
      await flush();
      lost = waiting.splice(0).length;
      if (lost > 0) tell();
    },
  };
}
