import {
  type Avance,
  type Checkpoint,
  type ClaimedSolicitud,
  type Claims,
  noCheckpoint,
  PUNTOS,
  type QueueName,
  StaleEpoch,
} from '@acuse/core';
import type { Heartbeats } from '@acuse/db';
import type { Metrics } from '@acuse/metrics';
import { type Consumer, NotBegun } from '@acuse/queue';
import { keepAlive, startLoop } from '@acuse/roles';
import { type Logger, linkSignals } from '@acuse/runtime';
import { createTracing, type Tracing } from '@acuse/tracing';
import type { Asked } from './asked.ts';
import { traceStep } from './tracing.ts';

/**
 * Makes the process fail at a named place, once: `tras-bajar:kill` ends it as `kill -9` would, `freeze` stops it until
 * SIGCONT, `throw` raises. For the fault tests; refused in production.
 */
export function createFailpoint(setting: string | undefined, nodeEnv: string | undefined): Checkpoint {
  if (setting === undefined) return noCheckpoint;
  if (nodeEnv === 'production') throw new Error('FAILPOINT no se permite en producción');
  const [punto, action] = setting.split(':');
  if (!PUNTOS.some((known) => known === punto)) throw new Error(`FAILPOINT: los puntos son ${PUNTOS.join(', ')}`);
  let isSpent = false;
  return async (reached) => {
    if (reached !== punto || isSpent) return;
    isSpent = true;
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    else if (action === 'freeze') process.kill(process.pid, 'SIGSTOP');
    else throw new Error(`failpoint ${punto}`);
    // The signal lands asynchronously; nothing after this place may run before it does.
    await new Promise((resolve) => setTimeout(resolve, action === 'freeze' ? 200 : 10_000));
  };
}

/** What a queue's wake-ups lead to: work on a claimed solicitud, which gives the claim back or ends the solicitud. */
export interface StepJob {
  readonly queue: QueueName;
  run(claimed: ClaimedSolicitud, signal: AbortSignal): Promise<void>;
}

interface RunnerDeps {
  readonly claims: Claims;
  readonly log: Logger;
  readonly metrics: Metrics<'worker'>;
  /** Records the requests to the SAT in each step. */
  readonly asked?: Pick<Asked, 'during'>;
  /** Without it steps are no spans. */
  readonly tracing?: Tracing;
  readonly checkpoint: Checkpoint;
  /** Seconds that a claim lasts without being lengthened. */
  readonly leaseSeconds: number;
  /** Seconds until a wake-up that failed on our side is tried again. */
  readonly retrySeconds: number;
  /** A claim took `ms` milliseconds, beside `running` steps. */
  readonly claimed?: (ms: number, running: number) => void;
  /** A claim is over: its slot is free. */
  readonly freed: () => void;
}

/** What health is judged by: a wake-up that finds nothing to claim is no work. */
interface Progress {
  /** Claims that are worked on. */
  running(): number;
  /** When the last one was taken or finished; null while there was none. */
  lastAt(): Date | null;
}

interface Runner extends Progress {
  /**
   * Answers a wake-up: claims its solicitud, keeps the claim alive while the work goes on, and stops the work as soon as
   * the claim is lost. Calls `begun` with the claim; a wake-up that finds nothing to claim is over. Failures on our side (database, storage) give the
   * claim back for later. Throws {@link NotBegun} when the database does not tell whether there is a claim.
   */
  answer(wakeUp: { solicitudId: string; gen: number }, signal: AbortSignal, begun?: () => void): Promise<void>;
}

/** Turns the wake-ups of one queue into `trabajo` on claimed solicitudes. */
export function createRunner(deps: RunnerDeps, trabajo: StepJob): Runner {
  const { claims, checkpoint, leaseSeconds, asked = { during: (step) => step() } } = deps;
  const { queue } = trabajo;
  const log = deps.log.child({ queue });
  const { tracing = createTracing(null, log) } = deps;
  const { steps, stepDuration, stepsRunning, collect } = deps.metrics;
  type Outcome = Parameters<typeof steps.with>[0]['outcome'];
  const count = (outcome: Outcome) => steps.with({ queue, outcome }).add();
  collect({
    name: `steps-${queue}`,
    sets: [],
    cacheMs: 0,
    read: () => running,
    apply: (now) => stepsRunning.with({ queue }).set(now),
  });
  let running = 0;
  let lastAt: Date | null = null;

  async function answer(
    wakeUp: { solicitudId: string; gen: number },
    signal: AbortSignal,
    begun = () => {},
  ): Promise<void> {
    const askedAt = performance.now();
    const claimed = await claims.claim({ ...wakeUp, queue, leaseSeconds }).catch((error: unknown) => {
      throw new NotBegun(error);
    });
    if (!claimed) return count('nothing');
    begun();
    const startedAt = performance.now();
    running += 1;
    deps.claimed?.(startedAt - askedAt, running);
    lastAt = new Date();
    const step = { solicitud_id: claimed.id, epoch: claimed.epoch };
    try {
      const run = () => asked.during(() => work(claimed, signal));
      count(await log.within(step, () => traceStep(tracing, { queue, claimed }, run)));
    } finally {
      stepDuration.with({ queue }).observe((performance.now() - startedAt) / 1_000);
      running -= 1;
      lastAt = new Date();
      deps.freed();
    }
  }

  async function work(claimed: ClaimedSolicitud, signal: AbortSignal): Promise<Outcome> {
    const claim = keepAlive(() => claims.extend(claimed, leaseSeconds), leaseSeconds);
    const linked = linkSignals([signal, claim.lost]);
    try {
      await checkpoint('tras-tomar', claimed.id);
      await trabajo.run(claimed, linked.signal);
      return 'done';
    } catch (error) {
      if (error instanceof StaleEpoch || claim.lost.aborted) {
        log.info('lease_lost');
        return 'lost';
      }
      const isShutdown = signal.aborted;
      if (!isShutdown) log.error({ err: error }, 'step_failed');
      await giveBack(claimed, isShutdown ? 0 : deps.retrySeconds, error);
      return isShutdown ? 'stopped' : 'failed';
    } finally {
      linked.release();
      claim.stop();
    }
  }

  async function giveBack(claimed: ClaimedSolicitud, inSeconds: number, error: unknown): Promise<void> {
    const codigo = error instanceof Error ? error.name : 'Error';
    const avance: Avance = inSeconds === 0 ? {} : { eventos: [{ tipo: 'FALLO_INTERNO', codigo }] };
    try {
      await claims.release(claimed, avance, { queue, inSeconds });
    } catch (failure) {
      // The claim lapses by itself and the reconciler wakes it again.
      if (!(failure instanceof StaleEpoch)) log.warn({ err: failure }, 'claim_not_released');
    }
  }

  return { answer, running: () => running, lastAt: () => lastAt };
}

/**
 * Seconds without a claim while wake-ups wait in the queue, after which the consumer is made again, and after which the
 * process gives up.
 */
const REBUILD_AFTER = 30;
const GIVE_UP_AFTER = 90;

/** Seconds of lag from which the log has a warning, once for each time. */
const LATE_SECONDS = 60;

/**
 * Judges health by work done, neither by pings nor by wake-ups heard: a consumer that leads to no claim while its wake-ups
 * wait in the queue is rebuilt, and a process whose new consumer leads to none either ends, so that it is started
 * again. A consumer that paused because the database failed goes on with the next beat that the database takes; without
 * one for `awaySeconds` the process ends, too. Its beats also tell the relay how many slots there are.
 */
export function startWatchdog(deps: {
  proceso: string;
  queue: QueueName;
  /** Steps at the same time, now. */
  slots: () => number;
  consumer: Pick<Consumer, 'rebuild' | 'resume' | 'isPaused'>;
  awaySeconds: number;
  progress: Progress;
  heartbeats: Heartbeats;
  log: Logger;
  everyMs: number;
  giveUp: () => void;
}) {
  const { queue, slots, consumer, awaySeconds, progress, heartbeats, log, everyMs, giveUp } = deps;
  const proceso = `${deps.proceso}:${queue}`;
  let beatAt = Date.now();
  let answeredAt = Date.now();
  let lastSeen = Date.now();
  let rebuiltAt = 0;
  let isHealthy = true;
  let isLate = false;

  const loop = startLoop({
    name: `watchdog-${queue}`,
    everyMs,
    log,
    turn: async () => {
      const workedAt = progress.lastAt()?.getTime() ?? 0;
      let lag: Awaited<ReturnType<Heartbeats['beatWithLag']>>;
      try {
        lag = await heartbeats.beatWithLag({ proceso, rol: queue, consumed: workedAt > beatAt, slots: slots() });
      } catch (error) {
        const seconds = (Date.now() - answeredAt) / 1_000;
        if (seconds >= awaySeconds) {
          log.fatal({ queue, seconds, err: error }, 'database_away_exiting');
          giveUp();
        }
        throw error;
      }
      beatAt = Date.now();
      answeredAt = beatAt;
      if (consumer.isPaused()) {
        consumer.resume();
        lastSeen = beatAt;
        log.info({ queue }, 'queue_resumed');
      }
      if (lag.seconds > LATE_SECONDS && !isLate) log.warn({ queue, ...lag }, 'queue_late');
      isLate = lag.seconds > LATE_SECONDS;
      if (progress.running() > 0 || workedAt > lastSeen || lag.unanswered === 0) {
        lastSeen = Date.now();
        isHealthy = true;
        return false;
      }
      const idleSeconds = (Date.now() - lastSeen) / 1_000;
      isHealthy = idleSeconds < REBUILD_AFTER;
      if (idleSeconds >= GIVE_UP_AFTER) {
        log.fatal({ queue, idleSeconds, ...lag }, 'worker_stalled_exiting');
        giveUp();
      } else if (idleSeconds >= REBUILD_AFTER && Date.now() - rebuiltAt > REBUILD_AFTER * 1_000) {
        log.error({ queue, idleSeconds, ...lag }, 'worker_stalled_rebuilding');
        rebuiltAt = Date.now();
        await consumer.rebuild();
      }
      return false;
    },
  });
  return {
    isHealthy: () => isHealthy,
    /** Beats now. */
    beat: loop.wake,
    async close() {
      await loop.close();
      // The relay gives its slots to the others at once; without this word it does so a little later.
      await heartbeats.beat({ proceso, rol: queue, consumed: false }).catch(() => {});
    },
  };
}
