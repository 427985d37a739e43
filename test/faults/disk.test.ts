import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startS3 } from '@acuse/embedded';
import { silentLogger as log } from '@acuse/runtime';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor, UN_DIA } from '../integration/fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../integration/fixtures/procesos.ts';
import { type Servicio, startServicio, waitFor, waitForEnd } from '../integration/fixtures/servicio.ts';
import { ownPostgres, ownRedis } from '../integration/fixtures/servidores.ts';

/** A small disk of its own in memory: only root may mount one. */
async function smallDisk(megabytes: number) {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-disco-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', dir]);
  const ballast = join(dir, 'ballast');
  return {
    dir,
    /** Takes all that is left of it. */
    fill: () => writeFile(ballast, Buffer.alloc(megabytes * 1_048_576)).catch(() => {}),
    free: () => rm(ballast, { force: true }),
    async close() {
      execFileSync('umount', ['-l', dir]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

type Disk = Awaited<ReturnType<typeof smallDisk>>;

/** Servers with a full disk; callers see 503, or waiting work, or nothing. */
const DISKS = ['PostgreSQL', 'Redis', 'storage', 'the log'] as const;

describe.skipIf(process.getuid?.() !== 0 || inject('redisUrl') === null)('the disk', { timeout: 600_000 }, () => {
  const closing: (() => Promise<unknown>)[] = [];
  let disk: Disk;
  beforeEach(async () => {
    disk = await smallDisk(160);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await disk.close();
  });

  /** Creates the files of `make` on the small disk. */
  const onDisk = async <T>(isOn: boolean, make: () => Promise<T>): Promise<T> => {
    const { TMPDIR } = process.env;
    if (isOn) process.env['TMPDIR'] = disk.dir;
    try {
      return await make();
    } finally {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    }
  };

  it.for(DISKS)(
    'of %s is full: what is refused is not charged, and the rest is done when there is room',
    async (whose, context) => {
      const postgres = await onDisk(whose === 'PostgreSQL', ownPostgres);
      const redis = await onDisk(whose === 'Redis', ownRedis);
      await redis.start();
      closing.push(() => redis.close());
      const folder = await onDisk(whose === 'storage', () => mkdtemp(join(tmpdir(), 'acuse-s3-')));
      const { accessKeyId, secretAccessKey } = inject('s3');
      const storage = await startS3({ dir: folder, buckets: [], log, accessKeyId, secretAccessKey });
      closing.push(async () => {
        await storage.stop();
        await rm(folder, { recursive: true, force: true });
      });
      const env = { S3_ENDPOINT: storage.endpoint };
      const servicio: Servicio = await onDisk(whose === 'the log', () =>
        startServicio({
          database: postgres.database,
          queueUrl: redis.url,
          apiEnv: env,
          workerEnv: { ...env, LEASE_SECONDS: '5', LOG_LEVEL: 'debug' },
        }),
      );
      closing.push(() => servicio.close());
      try {
        const api = await servicio.startApiProcess({ API_DATABASE_TIMEOUT_MS: '3000' });
        const workers = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
        const caller = (await newEfirmaCaller(servicio, { saldo: 1_000 })).at(api);
        const ids = [await askFor(caller, UN_DIA)];
        await waitForEnd(caller, ids[0] ?? '');

        await disk.fill();
        const [accepted, refused] = [[] as string[], [] as string[]];
        const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10);
        const ask = async () => {
          const at = day(accepted.length + refused.length);
          const { status, body } = await caller.call('tax/descarga-metadata', {
            rfc: caller.rfc,
            tipo: 'emitidos',
            desde: at,
            hasta: at,
          });
          if (status === 200) accepted.push(String(body.data?.['solicitud_id']));
          else refused.push(`${status}/${body.cfdi_codigo}`);
        };
        // Of the database until it has no room for what a caller asks; else of some.
        while (whose === 'PostgreSQL' ? refused.length === 0 : accepted.length < 10) await ask();
        if (whose === 'storage')
          await waitFor(async () => {
            const { rowCount } = await servicio.db.pool.query("SELECT FROM evento WHERE tipo = 'FALLO_INTERNO'");
            return (rowCount ?? 0) > 0 || null;
          });
        expect([...new Set(refused)]).toEqual(whose === 'PostgreSQL' ? ['503/5041'] : []);

        await disk.free();
        if (whose === 'PostgreSQL') {
          // Its supervisor starts it again, whether it ended by itself or not.
          await postgres.end('kill');
          await postgres.start();
        }
        // A day more, so that it is seen that requests are taken again.
        await waitFor(async () => {
          const before = accepted.length;
          await ask();
          return accepted.length > before || null;
        });
        for (const id of accepted) expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
        const { rowCount } = await servicio.db.pool.query('SELECT FROM solicitud');
        // A refused request may be written when only its answer was lost: the same call would find it.
        expect(rowCount).toBeGreaterThanOrEqual(ids.length + accepted.length);
        expect(await brokenInvariants(servicio.db)).toEqual([]);
        expect(api.isRunning()).toBe(true);
        for (const worker of workers) expect([worker.name, await worker.stop()]).toEqual([worker.name, true]);
      } catch (error) {
        await disk.free();
        console.error(error);
        await tellFailure(servicio, { task: { ...context.task, result: { state: 'fail' } } });
        throw error;
      }
    },
  );
});
