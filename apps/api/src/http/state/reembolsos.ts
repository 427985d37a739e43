import type { Saldos } from '@acuse/core';
import type { Logger } from '@acuse/runtime';

/** Gives charges back, now or as soon as the database answers again. */
export interface Reembolsos {
  /** Tries once at once; when that fails it goes on in the background. Never rejects. */
  refund(opId: string, detalle: string): Promise<void>;
  /** The same for a charge that may have been settled. */
  undo(opId: string, detalle: string): Promise<void>;
  /**
   * For a charge whose outcome is unknown, because the database did not answer in time: it may still be written after
   * now.
   */
  refundIfCharged(opId: string, detalle: string): void;
  /** Refunds that are still open. */
  readonly pending: number;
  /** Tries all open ones once more and stops. */
  close(): Promise<void>;
}

interface Pendiente {
  readonly opId: string;
  /** Carries it out; false when there was nothing to carry out. */
  readonly act: () => Promise<boolean>;
  readonly what: string;
  /** Whether "there is no such charge" settles it. */
  readonly isCertain: boolean;
}

const DELAYS_MS = [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000];

/**
 * Gives charges back with patience. Refunds are idempotent, so that trying too often is harmless; giving up is logged
 * as an error with the `opId`, for the operator. `delaysMs` are the pauses between attempts.
 */
export function createReembolsos(options: {
  readonly saldos: Pick<Saldos, 'refund' | 'undo'>;
  readonly log: Logger;
  readonly delaysMs?: readonly number[];
}): Reembolsos {
  const { saldos, log, delaysMs = DELAYS_MS } = options;
  const pendientes = new Map<string, { readonly pendiente: Pendiente; readonly timer: NodeJS.Timeout }>();

  function later(pendiente: Pendiente, attempt: number): void {
    const { opId, what, isCertain } = pendiente;
    const delay = delaysMs[attempt];
    if (delay === undefined) {
      pendientes.delete(opId);
      if (isCertain) log.error({ opId, what }, 'a charge was not given back: given up');
      return;
    }
    const timer = setTimeout(() => void tryOnce(pendiente, attempt + 1), delay);
    timer.unref();
    pendientes.set(opId, { pendiente, timer });
  }

  async function tryOnce(pendiente: Pendiente, attempt: number): Promise<void> {
    const { opId, act, what, isCertain } = pendiente;
    try {
      const isDone = await act();
      if (isDone || isCertain) pendientes.delete(opId);
      // A charge that was not there may have been on its way: two more looks.
      else if (attempt < 3) later(pendiente, attempt);
      else pendientes.delete(opId);
    } catch (err) {
      log.warn({ err, opId, what, attempt }, 'a charge was not given back and will be tried again');
      later(pendiente, attempt);
    }
  }

  const refundOf = (opId: string, detalle: string, isCertain: boolean): Pendiente => ({
    opId,
    what: detalle,
    isCertain,
    act: () => saldos.refund(opId, detalle),
  });

  return {
    refund: (opId, detalle) => tryOnce(refundOf(opId, detalle, true), 0),
    undo: (opId, detalle) =>
      tryOnce({ opId, what: detalle, isCertain: true, act: () => saldos.undo(opId, detalle) }, 0),
    refundIfCharged: (opId, detalle) => later(refundOf(opId, detalle, false), 0),
    get pending() {
      return pendientes.size;
    },
    async close() {
      const open = [...pendientes.values()];
      for (const { timer } of open) clearTimeout(timer);
      for (const { pendiente } of open) {
        const { opId, what, isCertain } = pendiente;
        await pendiente.act().then(
          () => pendientes.delete(opId),
          (err: unknown) => isCertain && log.error({ err, opId, what }, 'a charge was not given back at shutdown'),
        );
      }
    },
  };
}
