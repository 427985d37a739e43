import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds of one tick, in which Linux counts for all of its user interfaces (`man 5 proc`, USER_HZ). */
const TICK_MS = 10;

async function ticksOf(pid: number): Promise<Map<string, number>> {
  const ticks = new Map<string, number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    // The second field is the name of the program, in brackets, with any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, parent = 0] = fields.map(Number);
    if (Number(name) === pid || parent === pid) ticks.set(name, Number(fields[11]) + Number(fields[12]));
  }
  return ticks;
}

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
