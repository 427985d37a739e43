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
import { benchGrowth } from './growth/growth.ts';
import { benchJobs } from './jobs.ts';
import { benchLooks } from './looks.ts';
import { benchMillion } from './million.ts';
import { benchPanel } from './panel.ts';
import { benchSoak } from './soak.ts';
import { benchTakeover } from './takeover.ts';

const SECONDS = 8;

export interface Options {
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
  accept: ({ postgres }) => benchAccept(postgres, { seconds: SECONDS, connections: 32 }),
  jobs: (servers) => benchJobs(servers, SECONDS),
  backlog: ({ postgres, redis }) => benchBacklog(postgres.url, redis?.url ?? null, 2 * SECONDS),
  looks: (servers) => benchLooks(servers),
  takeover: (servers) => benchTakeover(servers),
  million: (servers, { formato }) => benchMillion(servers, formato),
  panel: ({ postgres }) => benchPanel(postgres.url),
  consultas: ({ postgres }) => benchConsultas(postgres.url),
  // In a process of its own, so that its memory is its own.
  assemble: () => run('packages/storage/src/assemble.bench.ts', '--rounds', '1'),
};

/** What takes long, or measures nothing, and runs only where it is named. */
export const NAMED: typeof USUAL = {
  almacen: ({ postgres }, { most }) => benchAlmacen(postgres.url, most),
  growth: (servers, { most }) => benchGrowth(servers, most),
  soak: (servers, { minutes }) => benchSoak(servers, minutes),
  capacity: () => console.log(capacityTable()),
};
