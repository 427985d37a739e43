import type { Saldos } from '@acuse/core';
import type { Logger } from '@acuse/runtime';

/** Gives charges back, now or as soon as the database answers again. */
export interface Reembolsos {
  /** Tries once at once; when that fails it goes on in the background. Never rejects. */
  refund(opId: string, detalle: string): Promise<void>;
  /** For a charge whose outcome is unknown, because the database did not answer in time: it may still be written after now. */
  refundIfCharged(opId: string, detalle: string): void;
  /** Refunds that are still open. */
  readonly pending: number;
  /** Tries all open ones once more and stops. */
  close(): Promise<void>;
}

interface Pendiente {
  readonly opId: string;
  readonly detalle: string;
  /** Whether "there is no such charge" settles it. */
  readonly isCertain: boolean;
  attempt: number;
  timer: NodeJS.Timeout;
}

const DELAYS_MS = [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000];

/**
 * Refunds with patience. `saldos.refund` is idempotent, so that trying too often is harmless; giving up is logged as an error with the
 * `opId`, for the operator. `delaysMs` are the pauses between attempts.
 */
export function createReembolsos(options: {
  readonly saldos: Pick<Saldos, 'refund'>;
  readonly log: Logger;
  readonly delaysMs?: readonly number[];
}): Reembolsos {
  const { saldos, log, delaysMs = DELAYS_MS } = options;
  const pendientes = new Map<string, Pendiente>();

  function later(opId: string, detalle: string, isCertain: boolean, attempt: number): void {
    const delay = delaysMs[attempt];
    if (delay === undefined) {
      pendientes.delete(opId);
      if (isCertain) log.error({ opId, detalle }, 'a refund was given up');
      return;
    }
    const timer = setTimeout(() => void tryOnce(opId, detalle, isCertain, attempt + 1), delay);
    timer.unref();
    pendientes.set(opId, { opId, detalle, isCertain, attempt, timer });
  }

  async function tryOnce(opId: string, detalle: string, isCertain: boolean, attempt: number): Promise<void> {
    try {
      const isRefunded = await saldos.refund(opId, detalle);
      if (isRefunded || isCertain) pendientes.delete(opId);
      // A charge that was not there may have been on its way: two more looks.
      else if (attempt < 3) later(opId, detalle, isCertain, attempt);
      else pendientes.delete(opId);
    } catch (err) {
      log.warn({ err, opId, attempt }, 'a refund failed and will be tried again');
      later(opId, detalle, isCertain, attempt);
    }
  }

  return {
    refund: (opId, detalle) => tryOnce(opId, detalle, true, 0),
    refundIfCharged: (opId, detalle) => later(opId, detalle, false, 0),
    get pending() {
      return pendientes.size;
    },
    async close() {
      const open = [...pendientes.values()];
      for (const { timer } of open) clearTimeout(timer);
      for (const { opId, detalle, isCertain } of open) {
        await saldos.refund(opId, detalle).then(
          () => pendientes.delete(opId),
          (err: unknown) =>
            isCertain && log.error({ err, opId, detalle }, 'a refund was given up at shutdown'),
        );
      }
    },
  };
}
