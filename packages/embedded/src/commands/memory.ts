import { residentBytes } from '../children/processes.ts';

export interface MemoryUse {
  readonly name: string;
  readonly idle: number;
  readonly peak: number;
}

/**
 * Watches the resident memory of processes from now on: what they have idle, and the most that they have until asked.
 */
export async function watchMemory(processes: Readonly<Record<string, number>>, everyMs: number) {
  const seen = new Map<string, { idle: number; peak: number }>();
  const sample = async () => {
    for (const [name, pid] of Object.entries(processes)) {
      const bytes = await residentBytes(pid);
      if (bytes === null) continue;
      const known = seen.get(name);
      if (known) known.peak = Math.max(known.peak, bytes);
      else seen.set(name, { idle: bytes, peak: bytes });
    }
  };
  await sample();
  const timer = setInterval(() => void sample(), everyMs);
  return {
    stop(): MemoryUse[] {
      clearInterval(timer);
      return [...seen].map(([name, use]) => ({ name, ...use }));
    },
  };
}
