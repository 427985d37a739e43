import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { benchAccept } from './accept.ts';
import { benchJobs } from './jobs.ts';

const SECONDS = 8;

/** Each figure beside its floor in the same run: compare the ratios, not the seconds of a machine. `npm run bench -- accept jobs assemble` picks. */
const asked = process.argv.slice(2);
const wants = (name: string) => asked.length === 0 || asked.includes(name);
const dir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
const log = silentLogger;
const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), log });
const redis = await startRedis({ dir: join(dir, 'redis'), log });
try {
  if (wants('accept')) await benchAccept(postgres.url, { seconds: SECONDS, connections: 32 });
  if (wants('jobs')) await benchJobs(postgres.url, redis?.url ?? null, SECONDS);
} finally {
  await redis?.stop();
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}
