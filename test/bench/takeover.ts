import { once } from 'node:events';
import { schedule, seedOpen } from '../integration/fixtures/abiertas.ts';
import { HOLD, queueOf } from './backlog.ts';
import type { Servers } from './cpu.ts';
import { openFilled } from './growth/axes.ts';
import { startWorker } from './growth/workers.ts';

const OPEN = 100;
/** Seconds between two looks of the other worker at what it has taken over: none, while this lasts. */
const LATER = 3_600;
const AIM_SECONDS = 20;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * How long solicitudes that a killed worker had in its hands stand still until another has them, with the settings
 * that an installation has by default.
 */
export async function benchTakeover(servers: Servers): Promise<void> {
  const { db, url } = await openFilled(servers, async (_, { pool }) => {
    await schedule(pool, await seedOpen(pool, { open: OPEN, cuentas: 20 }));
    return {};
  });
  const countOf = async (where: string) => {
    const { rows } = await db.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM solicitud WHERE ${where}`);
    return rows[0]?.n ?? 0;
  };
  const queue = queueOf(servers.redis?.url ?? url);
  const dying = startWorker('w0', url, queue, HOLD);
  const workers = [dying];
  try {
    await once(dying, 'message');
    while ((await countOf('lease_until > now()')) < OPEN) await pause(50);
    const other = startWorker('w1', url, queue, LATER);
    workers.push(other);
    await once(other, 'message');
    dying.kill('SIGKILL');
    const killed = performance.now();
    const seconds: number[] = [];
    while (seconds.length < OPEN) {
      await pause(20);
      const taken = await countOf('epoch > 1');
      while (seconds.length < taken) seconds.push((performance.now() - killed) / 1_000);
    }
    const at = (share: number) => (seconds[Math.ceil(share * OPEN) - 1] ?? Number.NaN).toFixed(1);
    console.log(
      `takeover: ${OPEN} solicitudes of a killed worker: another has half of them after ${at(0.5)} s, 99 % after ${at(0.99)} s, all after ${at(1)} s (aim ${AIM_SECONDS})`,
    );
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await db.close();
  }
}
