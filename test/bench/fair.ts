import type { Call } from '../../packages/embedded/src/commands/account.ts';
import type { Servers } from './cpu.ts';
import { askFor, openService, waitForEnd } from './stack.ts';

/** Taxpayer whose account has many requests under way, and one that asks for one download after the other. */
const MANY = 'ACU200101DB1';
const FEW = 'BCU200101DB2';
/** Greatest time of a download beside the others, in times of the same download alone. */
const AIM = 3;
/** Downloads of the second account that are timed in each situation. */
const TIMED = 5;
/** Requests accepted at the same time. */
const LANES = 8;

const dayOf = (n: number) => new Date(Date.UTC(2021, 0, 1 + n)).toISOString().slice(0, 10);
const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/**
 * Time of one small download, alone and beside 1,000 waiting requests of another account, by each credential and with
 * each queue; and the downloads a second of the other account.
 */
export async function benchFair(servers: Servers, share: number): Promise<void> {
  const queues = servers.redis === null ? (['PostgreSQL'] as const) : (['Redis', 'PostgreSQL'] as const);
  for (const queue of queues)
    for (const by of ['efirma', 'ciec'] as const)
      await measure({ ...servers, ...(queue === 'Redis' ? {} : { redis: null }) }, share, `${queue}, ${by}`, by);
}

async function measure(servers: Servers, share: number, name: string, by: 'efirma' | 'ciec'): Promise<void> {
  const service = await openService(servers);
  try {
    const [many, few] = [await service.newCaller(MANY, by), await service.newCaller(FEW, by)];
    let day = 0;
    const timeOne = async () => {
      const startedAt = performance.now();
      day += 1;
      await waitForEnd(few, await askFor(few, FEW, dayOf(day), dayOf(day)));
      return performance.now() - startedAt;
    };
    await timeOne();
    await waitForEnd(many, await askFor(many, MANY, '2024-12-31', '2024-12-31'));
    const alone: number[] = [];
    while (alone.length < TIMED) alone.push(await timeOne());

    const total = Math.max(LANES, Math.round(share * 1_000));
    const startedAt = performance.now();
    const ids = await askAll(many, total);
    let endedAt = Number.POSITIVE_INFINITY;
    const all = (async () => {
      for (const id of ids) await waitForEnd(many, id, 1_000);
      endedAt = performance.now();
    })();
    const beside: number[] = [];
    while (beside.length < TIMED) beside.push(await timeOne());
    const lastAt = performance.now();
    await all;
    const seconds = (endedAt - startedAt) / 1_000;
    console.log(
      `fair: ${name}: ${median(alone).toFixed(0)} ms alone, ${median(beside).toFixed(0)} ms (${beside.map((ms) => ms.toFixed(0)).join(', ')}) beside ${total} of another account${lastAt < endedAt ? '' : ', which ended before the last'}: ratio ${(median(beside) / median(alone)).toFixed(1)} (aim ${AIM}) | ${(total / seconds).toFixed(1)} downloads a second of the other account`,
    );
  } finally {
    await service.close();
  }
}

async function askAll(call: Call, total: number): Promise<string[]> {
  const ids: string[] = [];
  const days = Array.from({ length: total }, (_, n) => dayOf(n)).values();
  const lane = async () => {
    for (const day of days) ids.push(await askFor(call, MANY, day, day));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return ids;
}
