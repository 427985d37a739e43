import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds of one tick, in which Linux counts for all of its user interfaces (`man 5 proc`, USER_HZ). */
const TICK_MS = 10;

/** Parent and ticks of a process; null without one. */
async function statOf(pid: string | number): Promise<{ parent: number; ticks: number } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The second field is the name of the program, in brackets, with any character.
  const [, parent = 0, ...fields] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return stat === '' ? null : { parent, ticks: (fields[9] ?? 0) + (fields[10] ?? 0) };
}

async function ticksOf(pid: number): Promise<Map<string, number>> {
  const ticks = new Map<string, number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    const stat = /^\d+$/.test(name) ? await statOf(name) : null;
    if (stat !== null && (Number(name) === pid || stat.parent === pid)) ticks.set(name, stat.ticks);
  }
  return ticks;
}

/** What a process has taken since it began, without its children: milliseconds of processor. */
export const cpuOf = async (pid: number): Promise<number> => ((await statOf(pid))?.ticks ?? 0) * TICK_MS;

/**
 * Begins to measure how long the processors work for a process and for its children; what it returns gives the
 * milliseconds since. Other work on the machine disturbs that far less than the seconds of a clock. NaN where the
 * system is not Linux.
 */
export async function startCpu(pid: number): Promise<() => Promise<number>> {
  const before = await ticksOf(pid);
  return async () => {
    let ticks = before.size === 0 ? Number.NaN : 0;
    for (const [name, after] of await ticksOf(pid)) ticks += after - (before.get(name) ?? 0);
    return ticks * TICK_MS;
  };
}

/** Begins to measure some processes; the returned function gives the milliseconds of processor of each since, by name. */
export async function startCpus(programs: readonly { readonly name: string; readonly pid: number }[]) {
  const all = await Promise.all(programs.map(async ({ name, pid }) => ({ name, since: await startCpu(pid) })));
  return () => Promise.all(all.map(async ({ name, since }) => ({ name, ms: await since() })));
}

/** Servers that the bench has started. */
export interface Servers {
  readonly postgres: { readonly url: string; readonly pid: number };
  readonly redis: { readonly url: string; readonly pid: number } | null;
}

export interface Speed {
  readonly perSecond: number;
  /** Milliseconds of processor for each, here (or in the workers), in PostgreSQL and in Redis. */
  readonly cpuMs: readonly [own: number, postgres: number, redis: number];
}

/**
 * Begins to measure; what it returns tells what each of so many pieces of work took. `workers` are the processes that do
 * it, where it is not this one.
 */
export async function startMeasure(
  { postgres, redis }: Servers,
  workers?: readonly number[],
): Promise<(pieces: number) => Promise<Speed>> {
  const inWorkers = workers && (await Promise.all(workers.map(startCpu)));
  const [inPostgres, inRedis] = [await startCpu(postgres.pid), redis && (await startCpu(redis.pid))];
  const own = process.cpuUsage();
  const started = performance.now();
  return async (pieces) => {
    const seconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(own);
    const workersMs = inWorkers && (await Promise.all(inWorkers.map((since) => since())));
    const ownMs = workersMs ? workersMs.reduce((sum, ms) => sum + ms, 0) : (user + system) / 1_000;
    const [postgresMs, redisMs] = [await inPostgres(), (await inRedis?.()) ?? 0];
    return { perSecond: pieces / seconds, cpuMs: [ownMs / pieces, postgresMs / pieces, redisMs / pieces] };
  };
}
