import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FORMATOS } from '@acuse/contract';
import { findSystemPostgres, startPostgres, startRedis } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { benchAccept } from './accept.ts';
import { benchBacklog } from './backlog.ts';
import { capacityTable } from './capacity.ts';
import { benchConsultas } from './consultas.ts';
import { benchGrowth } from './growth/growth.ts';
import { benchJobs } from './jobs.ts';
import { benchLooks } from './looks.ts';
import { benchMillion } from './million.ts';
import { benchPanel } from './panel.ts';
import { benchSoak } from './soak.ts';
import { benchTakeover } from './takeover.ts';

const SECONDS = 8;

async function run(program: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=acuse-source', '--import', 'tsx', program, ...args], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/**
 * Each figure beside its floor in the same run: compare the ratios, not the seconds of a machine. `npm run bench --
 * accept jobs backlog panel consultas assemble looks takeover million` picks. `growth` takes ten minutes, `soak
 * --minutes 30` as long as it is told: they run only where they are named. `--to 1e5` bounds the sizes of `growth`,
 * `--formato xlsx` chooses what `million` asks for. `capacity` computes what 100,000 taxpayers come to, and measures
 * nothing.
 */
const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: {
    to: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    formato: { type: 'string', default: 'csv' },
  },
});
const most = Number(values.to ?? Number.POSITIVE_INFINITY);
if (!(most > 0)) throw new Error(`--to ${values.to}: a number of things, such as 1e5`);
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: a number of minutes, such as 30`);
const formato = FORMATOS.find((each) => each === values.formato);
if (formato === undefined) throw new Error(`--formato ${values.formato}: one of ${FORMATOS.join(', ')}`);
const wants = (name: string) => asked.length === 0 || asked.includes(name);
const dir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
const log = silentLogger;
// A real server where the machine has one: installations run that.
const system = await findSystemPostgres();
const postgres = await startPostgres({
  dataDir: join(dir, 'postgres'),
  log,
  ...(system === null ? {} : { binaries: system }),
});
const redis = await startRedis({ dir: join(dir, 'redis'), log });
try {
  if (asked.includes('capacity')) console.log(capacityTable());
  if (wants('accept')) await benchAccept(postgres, { seconds: SECONDS, connections: 32 });
  if (wants('jobs')) await benchJobs({ postgres, redis }, SECONDS);
  if (wants('backlog')) await benchBacklog(postgres.url, redis?.url ?? null, 2 * SECONDS);
  if (wants('looks')) await benchLooks({ postgres, redis });
  if (wants('takeover')) await benchTakeover({ postgres, redis });
  if (wants('million')) await benchMillion({ postgres, redis }, formato);
  if (asked.includes('soak')) await benchSoak({ postgres, redis }, minutes);
  if (wants('panel')) await benchPanel(postgres.url);
  if (wants('consultas')) await benchConsultas(postgres.url);
  // In a process of its own, so that its memory is its own.
  if (wants('assemble')) await run('packages/storage/src/assemble.bench.ts', '--rounds', '1');
  if (asked.includes('growth') && !(await benchGrowth({ postgres, redis }, most))) process.exitCode = 1;
} finally {
  await redis?.stop();
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}
