import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, createConsumer, NotBegun } from '@acuse/queue';
import { SLOTS, startLoop } from '@acuse/roles';
import type { Asked } from './asked.ts';
import { observeStorage } from './metering.ts';
import { createPace } from './pace.ts';
import type { WorkerContext } from './roles/role.ts';
import { createRunner, type StepJob, startWatchdog } from './steps.ts';

/** Milliseconds between two looks of the watchdog. */
const WATCH_MS = 5_000;
/** Milliseconds between two judgements of the slots. */
const JUDGE_MS = 1_000;
/** Milliseconds that the end of a process waits for its last heartbeats when nothing else keeps it. */
const LAST_BEAT_MS = 1_000;
/** Reason in the health of a process that takes no wake-ups. */
const DATABASE_AWAY = 'DATABASE_AWAY';

/** Consumers of the step queues of one process; all of them stop together at shutdown. */
export function createConsumers(context: Omit<WorkerContext, 'consume' | 'openObservers'>, asked: Asked) {
  const { config, log, shutdown, queueSettings, heartbeats, metrics, paquetes, proceso } = context;
  const consumers: Consumer[] = [];
  const watchdogs: { close(): Promise<void> }[] = [];

  /**
   * Stops all consumers at once: one after the other, the last would go on taking wake-ups while the first waits for its
   * steps, or for a database that leaves a heartbeat unanswered.
   */
  const stop = async () => {
    const lastBeats = Promise.all(watchdogs.map((each) => each.close()));
    await Promise.all(consumers.map((each) => each.close(config.SHUTDOWN_SECONDS * 1_000)));
    await Promise.race([lastBeats, sleep(LAST_BEAT_MS, undefined, { ref: false })]);
  };

  return function consume(job: StepJob, concurrency: number): void {
    const { queue } = job;
    if (consumers.length === 0) {
      observeStorage(metrics, paquetes);
      context.check('storage', (signal) => paquetes.ping(signal));
      shutdown.phase('consume', stop, { timeoutMs: (config.SHUTDOWN_SECONDS + 5) * 1_000 });
    }
    const { claims, checkpoint, tracing, wakes } = context;
    const { LEASE_SECONDS: leaseSeconds, RETRY_SECONDS: retrySeconds } = config;
    const freed = () => wakes.wake(SLOTS);
    const pace = createPace(concurrency);
    const runner = createRunner(
      { claims, log, checkpoint, metrics, asked, tracing, leaseSeconds, retrySeconds, claimed: pace.claimed, freed },
      job,
    );
    const consumer = createConsumer(queueSettings, {
      queue,
      concurrency: pace.slots,
      handle: runner.answer,
      onTopic: wakes.wake,
      onError(error) {
        if (error instanceof NotBegun) log.warn({ queue, err: error }, 'queue_paused');
        else log.warn({ queue, err: error }, 'queue_failed');
      },
    });
    consumers.push(consumer);
    const watchdog = startWatchdog({
      proceso,
      queue,
      slots: () => pace.slots,
      consumer,
      awaySeconds: config.DATABASE_AWAY_SECONDS,
      progress: runner,
      heartbeats,
      log,
      everyMs: WATCH_MS,
      giveUp: () => void shutdown.close(`${queue} consumes nothing`).then(() => process.exit(1)),
    });
    const judge = startLoop({
      name: `pace-${queue}`,
      everyMs: JUDGE_MS,
      log,
      async turn() {
        const before = pace.slots;
        if (pace.judge() === before) return false;
        consumer.resize(pace.slots);
        watchdog.beat();
        return false;
      },
    });
    watchdogs.push(watchdog, judge);
    context.note(() => (consumer.isPaused() ? { [`consume-${queue}`]: DATABASE_AWAY } : {}));
    context.check(`consume-${queue}`, async () => {
      if (consumer.isPaused()) throw Object.assign(new Error('paused'), { code: DATABASE_AWAY });
      if (!watchdog.isHealthy()) throw new Error('idle although work is due');
    });
  };
}
