import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Formato } from '@acuse/contract';
import { benchAccept } from './accept.ts';
import { benchAlmacen } from './almacen.ts';
import { benchBacklog } from './backlog.ts';
import { capacityTable } from './capacity.ts';
import { benchConsultas } from './consultas.ts';
import type { Servers } from './cpu.ts';
import { benchFair } from './fair.ts';
import { benchGrowth, benchYear } from './growth/growth.ts';
import { benchJobs } from './jobs.ts';
import { benchLooks } from './looks.ts';
import { benchMillion } from './million.ts';
import { benchPanel } from './panel.ts';
import { benchSmall } from './small.ts';
import { benchSoak } from './soak.ts';
import { benchSpread } from './spread.ts';
import { benchTakeover } from './takeover.ts';
import { benchXml } from './xml.ts';

/** Whole seconds, as autocannon and pgbench take them. */
const secondsOf = (share: number) => Math.ceil(8 * share);

export interface Options {
  /** Part of the usual sizes and seconds, above 0 and at most 1: its figures show that a measure runs, and no more. */
  readonly share: number;
  /** The greatest size of `growth` and of `almacen`. */
  readonly most: number;
  /** How long `soak` takes. */
  readonly minutes: number;
  /** What `million` asks for. */
  readonly formato: Formato;
}

async function run(program: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=acuse-source', '--import', 'tsx', program, ...args], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** What runs unless something else is named, in this order. Each says false when what it found must not be. */
export const USUAL: Readonly<Record<string, (servers: Servers, options: Options) => unknown>> = {
  accept: ({ postgres }, { share }) => benchAccept(postgres, { seconds: secondsOf(share), connections: 32 }),
  jobs: (servers, { share }) => benchJobs(servers, secondsOf(share)),
  backlog: ({ postgres, redis }, { share }) => benchBacklog(postgres.url, redis?.url ?? null, share),
  looks: (servers, { share }) => benchLooks(servers, share),
  takeover: (servers) => benchTakeover(servers),
  small: (servers, { share }) => benchSmall(servers, share),
  spread: (servers, { share }) => benchSpread(servers, share),
  fair: (servers, { share }) => benchFair(servers, share),
  million: (servers, { formato, share }) => benchMillion(servers, formato, share),
  panel: ({ postgres }, { share }) => benchPanel(postgres.url, Math.ceil(share * 400)),
  consultas: ({ postgres }, { share }) => benchConsultas(postgres.url, share * 1_000_000),
  // In a process of its own, so that its memory is its own.
  assemble: (_, { share }) =>
    run('packages/storage/src/assemble.bench.ts', '--rounds', '1', '--rows', String(Math.ceil(share * 300_000))),
};

/** What takes long, or measures nothing, and runs only where it is named. */
export const NAMED: typeof USUAL = {
  almacen: ({ postgres }, { most, share }) => benchAlmacen(postgres.url, most, share * 100_000),
  growth: (servers, { most }) => benchGrowth(servers, most),
  year: (servers, { share }) => benchYear(servers, share),
  soak: (servers, { minutes }) => benchSoak(servers, minutes),
  xml: (servers, { share }) => benchXml(servers, share),
  capacity: () => console.log(capacityTable()),
};
