import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { benchAccept } from './accept.ts';

const dir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), log: silentLogger });
try {
  await benchAccept(postgres.url, { seconds: 8, connections: 32 });
} finally {
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}
