import type { QueueName } from '@acuse/core';
import type { Heartbeats } from '@acuse/db';
import type { Consumer } from '@acuse/queue';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loops/loop.ts';
import type { Progress } from './runner.ts';

/**
 * Seconds without a claim while rings wait in the queue, after which the consumer is made anew, and after which the
 * process gives up.
 */
const REBUILD_AFTER = 30;
const GIVE_UP_AFTER = 90;

/** Seconds of lag that are told in the log, once for each time that it is reached. */
const LATE_SECONDS = 60;

/**
 * Judges health by work done, neither by pings nor by rings heard: a consumer that leads to no claim while its rings
 * wait in the queue is rebuilt, and a process whose new consumer leads to none either ends, so that it is started
 * again. Its beats also tell the relay how many slots there are.
 */
export function startWatchdog(deps: {
  proceso: string;
  queue: QueueName;
  /** Steps at the same time. */
  slots: number;
  consumer: Pick<Consumer, 'rebuild'>;
  progress: Progress;
  heartbeats: Heartbeats;
  log: Logger;
  everyMs: number;
  giveUp: () => void;
}) {
  const { queue, slots, consumer, progress, heartbeats, log, everyMs, giveUp } = deps;
  const proceso = `${deps.proceso}:${queue}`;
  let beatAt = Date.now();
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
      await heartbeats.beat({ proceso, rol: queue, consumed: workedAt > beatAt, slots });
      beatAt = Date.now();
      const lag = await heartbeats.lag(queue);
      if (lag.seconds > LATE_SECONDS && !isLate) log.warn({ queue, ...lag }, 'work is due and waits');
      isLate = lag.seconds > LATE_SECONDS;
      if (progress.running() > 0 || workedAt > lastSeen || lag.unanswered === 0) {
        lastSeen = Date.now();
        isHealthy = true;
        return false;
      }
      const idleSeconds = (Date.now() - lastSeen) / 1_000;
      isHealthy = idleSeconds < REBUILD_AFTER;
      if (idleSeconds >= GIVE_UP_AFTER) {
        log.fatal({ queue, idleSeconds, ...lag }, 'works on nothing although rings wait: giving up');
        giveUp();
      } else if (idleSeconds >= REBUILD_AFTER && Date.now() - rebuiltAt > REBUILD_AFTER * 1_000) {
        log.error({ queue, idleSeconds, ...lag }, 'works on nothing although rings wait: rebuilding the consumer');
        rebuiltAt = Date.now();
        await consumer.rebuild();
      }
      return false;
    },
  });
  return {
    isHealthy: () => isHealthy,
    async close() {
      await loop.close();
      // The relay gives its slots to the others at once; without this word it does so a little later.
      await heartbeats.beat({ proceso, rol: queue, consumed: false }).catch(() => {});
    },
  };
}
