import type { NombreCola } from '@acuse/core';
import type { Latidos } from '@acuse/db';
import type { Consumidor } from '@acuse/queue';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loops/loop.ts';
import type { Progress } from './runner.ts';

/** Seconds without a claim while rings wait in the queue, after which the consumer is made anew, and after which the process gives up. */
const REBUILD_AFTER = 30;
const GIVE_UP_AFTER = 90;

/** Seconds of lag that are told in the log, once for each time that it is reached. */
const LATE_SECONDS = 60;

/**
 * Judges health by work done, neither by pings nor by rings heard: a consumer that leads to no claim while its rings wait in the queue is
 * rebuilt, and a process whose new consumer leads to none either ends, so that it is started again. Its beats also tell the relay how many
 * slots there are.
 */
export function startWatchdog(deps: {
  proceso: string;
  cola: NombreCola;
  /** Steps at the same time. */
  slots: number;
  consumidor: Pick<Consumidor, 'rebuild'>;
  progress: Progress;
  latidos: Latidos;
  log: Logger;
  everyMs: number;
  giveUp: () => void;
}) {
  const { cola, slots, consumidor, progress, latidos, log, everyMs, giveUp } = deps;
  const proceso = `${deps.proceso}:${cola}`;
  let beatAt = Date.now();
  let lastSeen = Date.now();
  let rebuiltAt = 0;
  let isHealthy = true;
  let isLate = false;

  const loop = startLoop({
    name: `watchdog-${cola}`,
    everyMs,
    log,
    turn: async () => {
      const workedAt = progress.lastAt()?.getTime() ?? 0;
      await latidos.beat({ proceso, rol: cola, consumed: workedAt > beatAt, slots });
      beatAt = Date.now();
      const lag = await latidos.lag(cola);
      if (lag.seconds > LATE_SECONDS && !isLate) log.warn({ cola, ...lag }, 'work is due and waits');
      isLate = lag.seconds > LATE_SECONDS;
      if (progress.running() > 0 || workedAt > lastSeen || lag.unanswered === 0) {
        lastSeen = Date.now();
        isHealthy = true;
        return false;
      }
      const idleSeconds = (Date.now() - lastSeen) / 1_000;
      isHealthy = idleSeconds < REBUILD_AFTER;
      if (idleSeconds >= GIVE_UP_AFTER) {
        log.fatal({ cola, idleSeconds, ...lag }, 'works on nothing although rings wait: giving up');
        giveUp();
      } else if (idleSeconds >= REBUILD_AFTER && Date.now() - rebuiltAt > REBUILD_AFTER * 1_000) {
        log.error(
          { cola, idleSeconds, ...lag },
          'works on nothing although rings wait: rebuilding the consumer',
        );
        rebuiltAt = Date.now();
        await consumidor.rebuild();
      }
      return false;
    },
  });
  return {
    isHealthy: () => isHealthy,
    async close() {
      await loop.close();
      // The relay gives its slots to the others at once; without this word it does so a little later.
      await latidos.beat({ proceso, rol: cola, consumed: false }).catch(() => {});
    },
  };
}
