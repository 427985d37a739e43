import {
  type Avance,
  type Checkpoint,
  type ClaimedSolicitud,
  type Claims,
  Desplazado,
  type QueueName,
} from '@acuse/core';
import { type Logger, linkSignals } from '@acuse/runtime';

/** What a queue's rings lead to: work on a claimed solicitud, which gives the claim back or ends the solicitud. */
export interface StepJob {
  readonly queue: QueueName;
  run(claimed: ClaimedSolicitud, signal: AbortSignal): Promise<void>;
}

export interface RunnerDeps {
  readonly claims: Claims;
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
   * Answers a ring: claims its solicitud, keeps the claim alive while the work goes on, and stops the work as soon as
   * the claim is lost. A ring that finds nothing to claim is over. Failures on our side (database, storage) give the
   * claim back for later.
   */
  answer(wakeUp: { solicitudId: string; gen: number }, signal: AbortSignal): Promise<void>;
}

/** Turns the rings of one queue into `trabajo` on claimed solicitudes. */
export function createRunner(deps: RunnerDeps, trabajo: StepJob): Runner {
  const { claims, checkpoint, leaseSeconds } = deps;
  const log = deps.log.child({ queue: trabajo.queue });
  let running = 0;
  let lastAt: Date | null = null;

  async function answer(wakeUp: { solicitudId: string; gen: number }, signal: AbortSignal): Promise<void> {
    const claimed = await claims.claim({ ...wakeUp, queue: trabajo.queue, leaseSeconds });
    if (!claimed) return;
    running += 1;
    lastAt = new Date();
    try {
      await work(claimed, signal);
    } finally {
      running -= 1;
      lastAt = new Date();
    }
  }

  async function work(claimed: ClaimedSolicitud, signal: AbortSignal): Promise<void> {
    const claim = keepAlive(claims, claimed, leaseSeconds);
    const linked = linkSignals([signal, claim.lost]);
    try {
      await checkpoint('tras-tomar', claimed.id);
      await trabajo.run(claimed, linked.signal);
      log.debug({ solicitud_id: claimed.id, epoch: claimed.epoch }, 'step done');
    } catch (error) {
      if (error instanceof Desplazado || claim.lost.aborted) {
        log.info({ solicitud_id: claimed.id, epoch: claimed.epoch }, 'another worker has it');
        return;
      }
      const isShutdown = signal.aborted;
      if (!isShutdown) log.error({ solicitud_id: claimed.id, err: error }, 'step failed');
      await giveBack(claimed, isShutdown ? 0 : deps.retrySeconds, error);
    } finally {
      linked.release();
      claim.stop();
    }
  }

  async function giveBack(claimed: ClaimedSolicitud, inSeconds: number, error: unknown): Promise<void> {
    const codigo = error instanceof Error ? error.name : 'Error';
    const avance: Avance = inSeconds === 0 ? {} : { eventos: [{ tipo: 'FALLO_INTERNO', codigo }] };
    try {
      await claims.release(claimed, avance, { queue: trabajo.queue, inSeconds });
    } catch (failure) {
      // The claim lapses by itself and the reconciler rings again.
      if (!(failure instanceof Desplazado)) log.warn({ solicitud_id: claimed.id, err: failure }, 'claim left to lapse');
    }
  }

  return { answer, running: () => running, lastAt: () => lastAt };
}

/**
 * Lengthens a claim at a third of its life; `lost` aborts when that is refused, or when nobody answered for the whole
 * of it.
 */
function keepAlive(claims: Claims, claimed: ClaimedSolicitud, leaseSeconds: number) {
  const controller = new AbortController();
  let aliveUntil = performance.now() + leaseSeconds * 1_000;
  const timer = setInterval(
    async () => {
      const asked = performance.now();
      try {
        await claims.extend(claimed, leaseSeconds);
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
