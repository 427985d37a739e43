import type { AppProcess } from '../process-group.ts';

export interface MemoryUse {
  readonly name: string;
  readonly idle: number;
  readonly peak: number;
}

/** Watches the resident memory of programs from now on: what they have idle, and the most that they have until asked. */
export async function watchMemory(apps: readonly AppProcess[], everyMs: number) {
  const seen = new Map<string, { idle: number; peak: number }>();
  const sample = async () => {
    for (const app of apps) {
      const bytes = await app.residentBytes();
      if (bytes === null) continue;
      const known = seen.get(app.name);
      if (known) known.peak = Math.max(known.peak, bytes);
      else seen.set(app.name, { idle: bytes, peak: bytes });
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
