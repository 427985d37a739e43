import type { NombreCola } from '@acuse/core';
import type { Latidos } from '@acuse/db';
import type { Consumidor } from '@acuse/queue';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loops/loop.ts';

/** Seconds without consuming while rows are due, after which the consumer is made anew, and after which the process gives up. */
const REBUILD_AFTER = 30;
const GIVE_UP_AFTER = 90;

/**
 * Judges health by work done, not by pings: a consumer that takes nothing while its rows are overdue is rebuilt, and a process whose new
 * consumer takes nothing either ends, so that it is started again.
 */
export function startWatchdog(deps: {
  proceso: string;
  cola: NombreCola;
  consumidor: Consumidor;
  latidos: Latidos;
  log: Logger;
  everyMs: number;
  giveUp: () => void;
}) {
  const { proceso, cola, consumidor, latidos, log, everyMs, giveUp } = deps;
  let beatAt = Date.now();
  let lastSeen = Date.now();
  let rebuiltAt = 0;
  let isHealthy = true;

  const loop = startLoop({
    name: `watchdog-${cola}`,
    everyMs,
    log,
    turn: async () => {
      const consumedAt = consumidor.lastConsumedAt()?.getTime() ?? 0;
      await latidos.beat(`${proceso}:${cola}`, cola, consumedAt > beatAt);
      beatAt = Date.now();
      const isBusy = consumidor.running() > 0;
      if (isBusy || consumedAt > lastSeen || (await latidos.overdue(cola)) === 0) {
        lastSeen = Math.max(consumedAt, Date.now());
        isHealthy = true;
        return false;
      }
      const idleSeconds = (Date.now() - lastSeen) / 1_000;
      isHealthy = idleSeconds < REBUILD_AFTER;
      if (idleSeconds >= GIVE_UP_AFTER) {
        log.fatal({ cola, idleSeconds }, 'consumes nothing although work is due: giving up');
        giveUp();
      } else if (idleSeconds >= REBUILD_AFTER && Date.now() - rebuiltAt > REBUILD_AFTER * 1_000) {
        log.error({ cola, idleSeconds }, 'consumes nothing although work is due: rebuilding the consumer');
        rebuiltAt = Date.now();
        await consumidor.rebuild();
      }
      return false;
    },
  });
  return { isHealthy: () => isHealthy, close: () => loop.close() };
}
