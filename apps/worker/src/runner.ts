import { type Checkpoint, Desplazado, type SolicitudTomada, type Taller } from '@acuse/core';
import { type Logger, linkSignals } from '@acuse/runtime';
import type { Trabajo } from './trabajo.ts';

export interface RunnerDeps {
  readonly taller: Taller;
  readonly log: Logger;
  readonly checkpoint: Checkpoint;
  /** Seconds that a claim lasts without being lengthened. */
  readonly leaseSeconds: number;
  /** Seconds until a ring that failed on our side is tried again. */
  readonly retrySeconds: number;
}

/** What health is judged by: a ring that finds nothing to claim is no work. */
export interface Progress {
  /** Claims that are worked on. */
  running(): number;
  /** When the last one was taken or finished; null while there was none. */
  lastAt(): Date | null;
}

export interface Runner extends Progress {
  /**
   * Answers a ring: claims its solicitud, keeps the claim alive while the work goes on, and stops the work as soon as the claim is lost. A ring
   * that finds nothing to claim is over. Failures on our side (database, storage) give the claim back for later.
   */
  answer(timbre: { solicitudId: string; gen: number }, signal: AbortSignal): Promise<void>;
}

/** Turns the rings of one queue into `trabajo` on claimed solicitudes. */
export function createRunner(deps: RunnerDeps, trabajo: Trabajo): Runner {
  const { taller, checkpoint, leaseSeconds } = deps;
  const log = deps.log.child({ cola: trabajo.cola });
  let running = 0;
  let lastAt: Date | null = null;

  async function answer(timbre: { solicitudId: string; gen: number }, signal: AbortSignal): Promise<void> {
    const tomada = await taller.claim({ ...timbre, cola: trabajo.cola, leaseSeconds });
    if (!tomada) return;
    running += 1;
    lastAt = new Date();
    try {
      await work(tomada, signal);
    } finally {
      running -= 1;
      lastAt = new Date();
    }
  }

  async function work(tomada: SolicitudTomada, signal: AbortSignal): Promise<void> {
    const claim = keepAlive(taller, tomada, leaseSeconds);
    const linked = linkSignals([signal, claim.lost]);
    try {
      await checkpoint('tras-tomar', tomada.id);
      await trabajo.run(tomada, linked.signal);
      log.debug({ solicitud_id: tomada.id, epoch: tomada.epoch }, 'step done');
    } catch (error) {
      if (error instanceof Desplazado || claim.lost.aborted) {
        log.info({ solicitud_id: tomada.id, epoch: tomada.epoch }, 'another worker has it');
        return;
      }
      const isShutdown = signal.aborted;
      if (!isShutdown) log.error({ solicitud_id: tomada.id, err: error }, 'step failed');
      await giveBack(tomada, isShutdown ? 0 : deps.retrySeconds, error);
    } finally {
      linked.release();
      claim.stop();
    }
  }

  async function giveBack(tomada: SolicitudTomada, inSeconds: number, error: unknown): Promise<void> {
    const codigo = error instanceof Error ? error.name : 'Error';
    const avance = inSeconds === 0 ? {} : { eventos: [{ tipo: 'FALLO_INTERNO', codigo }] };
    try {
      await taller.release(tomada, avance, { cola: trabajo.cola, inSeconds });
    } catch (failure) {
      // The claim lapses by itself and the reconciler rings again.
      if (!(failure instanceof Desplazado))
        log.warn({ solicitud_id: tomada.id, err: failure }, 'claim left to lapse');
    }
  }

  return { answer, running: () => running, lastAt: () => lastAt };
}

/** Lengthens a claim at a third of its life; `lost` aborts when that is refused, or when nobody answered for the whole of it. */
function keepAlive(taller: Taller, tomada: SolicitudTomada, leaseSeconds: number) {
  const controller = new AbortController();
  let aliveUntil = performance.now() + leaseSeconds * 1_000;
  const timer = setInterval(
    async () => {
      const asked = performance.now();
      try {
        await taller.extend(tomada, leaseSeconds);
        aliveUntil = asked + leaseSeconds * 1_000;
      } catch (error) {
        if (error instanceof Desplazado || performance.now() > aliveUntil) controller.abort(error);
      }
    },
    (leaseSeconds * 1_000) / 3,
  );
  return {
    lost: controller.signal,
    stop: () => clearInterval(timer),
  };
}
