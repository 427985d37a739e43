import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSemaphore,
  type LoginLock,
  type LoginShare,
  SatError,
  type SesionesPortal,
  type TitularAcceso,
} from '@acuse/core';
import { linkSignals } from '@acuse/runtime';
import { untilCancelled } from '../../http/cuerpo.ts';

/** Milliseconds between two looks at a turn that another process holds: the first and the longest. */
const PRIMERA_ESPERA_MS = 50;
const ESPERA_MAXIMA_MS = 1_000;
/**
 * Milliseconds for which the turn is kept, before a password is sent, should the store go away before its answer can be
 * noted.
 */
const ENVIO_MS = 120_000;

/**
 * Work under the turn. `hold` keeps the turn through an outage of the store; it rejects with NO_RESPONDE when the turn
 * is lost or the store is away.
 */
type TrabajoConTurno<T> = (signal: AbortSignal, hold: () => Promise<void>) => Promise<T>;

const perdido = () => new SatError('NO_RESPONDE', { codigo: 'TURNO', detalle: 'se perdió el turno de acceso' });

/**
 * The turns to log in for a taxpayer, of one at a time among all processes that share a store. `leaseMs`: a holder that
 * died is replaced after this time; a living one holds on every third of it.
 */
export function createTurnosAcceso(almacen: SesionesPortal, leaseMs: number) {
  const locales = createSemaphore({ perKey: 1 });

  async function runWith<T>(
    titular: TitularAcceso,
    turno: LoginLock,
    signal: AbortSignal,
    work: TrabajoConTurno<T>,
  ): Promise<T> {
    const lost = new AbortController();
    const timer = setInterval(() => {
      almacen.extendTurn(titular, turno, leaseMs).then(
        (isHeld) => {
          if (!isHeld) lost.abort();
        },
        () => lost.abort(),
      );
    }, leaseMs / 3);
    timer.unref();
    const held = linkSignals([signal, lost.signal]);
    const hold = async () => {
      if (!(await almacen.extendTurn(titular, turno, ENVIO_MS).catch(() => false))) throw perdido();
    };
    try {
      return await work(held.signal, hold);
    } catch (error) {
      const isAnswer = error instanceof SatError && error.clase === 'credencial';
      if (isAnswer || !lost.signal.aborted || signal.aborted) throw error;
      throw perdido();
    } finally {
      clearInterval(timer);
      held.release();
      // A turn that could not be given back ends by itself.
      await almacen.releaseTurn(titular, turno).catch(() => {});
    }
  }

  return {
    /**
     * Waits for the turn, and with `share` for one of its places, and runs `work` with it. While it waits it asks
     * `instead` now and then and, when that has a value, gives it without having had the turn. The signal of `work`
     * also ends when the turn is lost; the turn itself is held until `work` has ended, even when the caller has left.
     * Rejects with CANCELADA when `signal` ends.
     */
    take<T>(
      titular: TitularAcceso,
      signal: AbortSignal,
      options: { instead: () => Promise<T | null>; work: TrabajoConTurno<T>; share?: LoginShare },
    ): Promise<T> {
      const { instead, work, share } = options;
      const waitAndRun = async () => {
        for (let espera = PRIMERA_ESPERA_MS; ; espera = Math.min(espera * 1.5, ESPERA_MAXIMA_MS)) {
          const turno = await almacen.acquireTurn(titular, leaseMs, share);
          if (turno !== null) return runWith(titular, turno, signal, work);
          const found = await instead();
          if (found !== null) return found;
          await sleep(espera * (0.75 + Math.random() / 2), null, { signal }).catch(() => {
            throw new SatError('CANCELADA');
          });
        }
      };
      const clave = `${titular.rfc} ${titular.tipo}`;
      return untilCancelled(() => locales.run(clave, signal, waitAndRun), signal);
    },
  };
}
