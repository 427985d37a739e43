import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { QueueSettings } from '@acuse/queue';
import { schedule, seedOpen } from '../../integration/fixtures/abiertas.ts';
import { queueOf } from '../backlog.ts';
import { type Servers, type Speed, startMeasure } from '../cpu.ts';
import { openFilled } from './axes.ts';
import type { Axis } from './report.ts';

const SECONDS = 8;
/** More than all slots of all workers, so that none waits for work. */
const OPEN = 4_096;
/** Steps that each worker has made before anything is measured: by then its code is compiled. */
const WARM = 2_000;

/** A worker in a process of its own, which looks at each solicitud again after so many seconds. */
export function startWorker(name: string, databaseUrl: string, queue: QueueSettings, seconds: number): ChildProcess {
  return fork(
    fileURLToPath(new URL('worker.ts', import.meta.url)),
    [name, databaseUrl, JSON.stringify(queue), String(seconds)],
    { execArgv: ['--conditions=acuse-source', '--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
}

/** How many steps each has made since it began. */
export async function stepsOf(workers: readonly ChildProcess[]): Promise<number[]> {
  return Promise.all(
    workers.map(async (worker) => {
      worker.send('steps');
      const [steps] = (await once(worker, 'message')) as [number];
      return steps;
    }),
  );
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);

/** Looks of so many processes at one database: what one costs, and how many there are in a second. */
async function looksOf(servers: Servers, many: number): Promise<Speed> {
  const { db, url } = await openFilled(servers, async (_, { pool }) => {
    await schedule(pool, await seedOpen(pool, { open: OPEN, cuentas: 20 }));
    return {};
  });
  const settings = queueOf(servers.redis?.url ?? url);
  const workers = Array.from({ length: many }, (_, n) => startWorker(`w${n}`, url, settings, 0));
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    while (Math.min(...(await stepsOf(workers))) < WARM) await pause(100);
    const from = sum(await stepsOf(workers));
    const measured = await startMeasure(
      servers,
      workers.map(({ pid }) => pid ?? 0),
    );
    await pause(SECONDS * 1_000);
    return await measured(sum(await stepsOf(workers)) - from);
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await db.close();
  }
}

/** What a look costs, and how many there are in a second, with so many workers at one database and one queue. */
export async function measureWorkers(servers: Servers, most: number): Promise<Axis> {
  const all: { size: number; speed: Speed }[] = [];
  for (const size of [1, 2, 4, 8].filter((workers) => workers <= most)) {
    const speed = await looksOf(servers, size);
    console.log(
      `growth: ${size} workers: ${speed.perSecond.toFixed(0)}/s, ms ${speed.cpuMs.map((ms) => ms.toFixed(3)).join(' + ')}`,
    );
    all.push({ size, speed });
  }
  const points = (cost: (speed: Speed) => number) => all.map(({ size, speed }) => ({ size, cost: cost(speed) }));
  return {
    title: `Workers, queue on ${servers.redis ? 'Redis' : 'PostgreSQL'}`,
    of: 'worker processes',
    series: [
      { name: 'a look, in the worker', unit: 'ms', points: points(({ cpuMs }) => cpuMs[0]) },
      { name: 'a look, in PostgreSQL', unit: 'ms', points: points(({ cpuMs }) => cpuMs[1]) },
      ...(servers.redis ? [{ name: 'a look, in Redis', unit: 'ms', points: points(({ cpuMs }) => cpuMs[2]) }] : []),
      {
        name: 'looks, all together',
        unit: 'a second',
        points: points(({ perSecond }) => perSecond),
        isShownOnly: true,
      },
    ],
  };
}
