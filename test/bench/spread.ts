import type { Env } from '../../packages/embedded/src/stack-env.ts';
import type { Servers } from './cpu.ts';
import { LANES, openDownloads } from './downloads.ts';

/** Roles of the coordinator, and of the other workers. */
const COORDINATOR = { WORKER_ROLES: 'relay,reconciler,reaper,listas,sincronizacion' };
const worker = (slots: number) => ({
  WORKER_ROLES: 'descargas,ensambles',
  DESCARGAS_CONCURRENCY: String(slots),
  ENSAMBLES_CONCURRENCY: String(slots),
});
/** Slots of all workers, and the greatest part that the transactions may grow by when each slot is a process. */
const SLOTS = 20;
const AIM_SPREAD = 0.1;
/** Seconds at rest: with the report of the counters a minute, in which the slowest loop of each process turns once. */
const REST_SECONDS = 50;

/** Transactions of one small download by 20 workers of one slot, beside one worker of 20 slots; rest subtracted. */
export async function benchSpread(servers: Servers, share: number): Promise<void> {
  const downloads = Math.max(LANES, Math.ceil(share * 100));
  const measure = async (workers: readonly Env[]) => {
    const { run, rest, counters, close } = await openDownloads(servers, [COORDINATOR, ...workers]);
    try {
      await run(0, LANES * 5);
      const atRest = await rest(Math.ceil(REST_SECONDS * share));
      const [before, started] = [await counters(), performance.now()];
      await run(LANES * 5, LANES * 5 + downloads);
      const after = await counters();
      const seconds = (performance.now() - started) / 1_000;
      return { each: (after.transactions - before.transactions - atRest * seconds) / downloads, atRest };
    } finally {
      await close();
    }
  };
  const one = await measure([worker(SLOTS)]);
  const many = await measure(Array.from({ length: SLOTS }, () => worker(1)));
  console.log(
    `spread: ${downloads} downloads of a day: ${many.each.toFixed(1)} transactions for each by ${SLOTS} workers of 1 slot, ${one.each.toFixed(1)} by 1 of ${SLOTS}: ratio ${(many.each / one.each).toFixed(2)} (aim ${1 + AIM_SPREAD}); at rest ${many.atRest.toFixed(1)} and ${one.atRest.toFixed(1)} transactions a second`,
  );
}
