import { addDays } from '@acuse/core';
import { type Call, Refused } from '../../packages/embedded/src/commands/account.ts';
import type { Servers } from './cpu.ts';
import { askFor, download, openService, waitForEnd } from './stack.ts';

const CLIENTS = 4;
const SAMPLES = 60;
const FIRST_DAY = '2022-01-01';
/** Each with a month left of the past to grow into. */
const DAYS = 1_600;
const LISTED = 'AAA080808HL8';

interface Sample {
  /** Minutes since the load began. */
  readonly at: number;
  readonly bytes: number;
}

/** Repeats a call after 503, as callers should: the list 69-B is loading, or the machine is busy. */
const patient =
  (call: Call, done: { refused: number }): Call =>
  async <T>(path: string, body: Record<string, unknown>) => {
    for (;;) {
      try {
        return await call<T>(path, body);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 503) throw error;
        done.refused += 1;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  };

/**
 * One taxpayer that does everything a customer does with downloads, one day after another and then two days each, until
 * `isOver`. Counts what it did.
 */
async function work(call: Call, rfc: string, done: { cycles: number }, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    await call('efos/consultar', { rfc: LISTED });
    const day = addDays(FIRST_DAY, n % DAYS);
    const id = await askFor(call, rfc, day, addDays(day, Math.floor(n / DAYS)));
    await waitForEnd(call, id);
    await download(call, id);
    done.cycles += 1;
  }
}

/** Bytes a minute by which a series grows, by least squares. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((all, one) => all + of(one), 0) / samples.length;
  const [at, bytes] = [mean((one) => one.at), mean((one) => one.bytes)];
  return mean((one) => (one.at - at) * (one.bytes - bytes)) / mean((one) => (one.at - at) ** 2);
}

/**
 * Runs the whole service under a mixed load for so many minutes and says what memory each process had over that time,
 * and how it grew in the second half, when caches are full and code is compiled.
 */
export async function benchSoak(servers: Servers, minutes: number): Promise<void> {
  const service = await openService(servers);
  const { programs } = service;
  try {
    const letter = (n: number) => String.fromCharCode(65 + n);
    const rfcs = Array.from({ length: CLIENTS }, (_, n) => `S${letter(n)}K200101AB1`);
    const calls = await Promise.all(rfcs.map((rfc) => service.newCaller(rfc)));
    const done = { cycles: 0, refused: 0 };
    const started = performance.now();
    const passed = () => (performance.now() - started) / 60_000;
    const isOver = () => passed() >= minutes;
    const series = programs.map(() => [] as Sample[]);
    const load = Promise.all(calls.map((call, n) => work(patient(call, done), rfcs[n] ?? '', done, isOver)));
    const watch = async () => {
      while (!isOver()) {
        await new Promise((resolve) => setTimeout(resolve, (minutes * 60_000) / SAMPLES));
        for (const [n, program] of programs.entries()) {
          const bytes = await program.residentBytes();
          if (bytes === null) throw new Error(`nothing is known of the memory of ${program.name}`);
          series[n]?.push({ at: passed(), bytes });
        }
      }
    };
    await Promise.all([load, watch()]);
    console.log(
      `soak: ${minutes} minutes, ${done.cycles} downloads from request to ZIP by ${CLIENTS} clients, ${done.refused} answers of 503`,
    );
    for (const [n, { name }] of programs.entries()) {
      const samples = series[n] ?? [];
      const shown = samples.filter((_, at) => at % Math.ceil(SAMPLES / 10) === 0 || at === samples.length - 1);
      const megabytes = shown.map(({ bytes }) => (bytes / 1e6).toFixed(0)).join(', ');
      const late = samples.filter(({ at }) => at >= minutes / 2);
      console.log(
        `soak: ${name}: ${megabytes} MB | ${(slopeOf(late) / 1e6).toFixed(2)} MB a minute in the second half`,
      );
    }
  } finally {
    await service.close();
  }
}
