import { createAccessSnapshots, createSolicitudes, migrate } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { createConsumer, createQueue } from '@acuse/queue';
import type { StartedTestContainer } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSolicitud, brokenInvariants, seedTaxpayer } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/servicio.ts';
import { hasEngine, startPostgres, startRedis } from './servidores.ts';

describe.skipIf(!(await hasEngine()))('PostgreSQL and Redis in containers', () => {
  let postgres: StartedTestContainer;
  let redis: StartedTestContainer;

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([postgres?.stop(), redis?.stop()]);
  });

  const databaseUrl = () => `postgres://acuse:acuse@${postgres.getHost()}:${postgres.getMappedPort(5432)}/acuse`;

  it('migrates an empty server, accepts, charges once and answers a duplicate', async () => {
    const url = databaseUrl();
    await waitFor(() => migrate(url).catch(() => null), 30);
    expect((await migrate(url)).aplicadas).toEqual([]);
    const db = openRecords({ url, poolSize: 4, timeoutMs: 10_000, applicationName: 'acuse-test' });
    try {
      const taxpayer = await seedTaxpayer(db, { saldo: 3 });
      const accepted = await acceptSolicitud(db, taxpayer);
      expect(accepted.resultado).toBe('ACEPTADA');
      expect((await acceptSolicitud(db, taxpayer)).resultado).toBe('DUPLICADA');
      expect((await createAccessSnapshots(db).load(taxpayer.apiKeyId))?.saldo).toBe(2);
      const id = accepted.resultado === 'ACEPTADA' ? accepted.solicitudId : '';
      expect(await createSolicitudes(db).find(taxpayer.contribuyenteId, id)).toMatchObject({ estado: 'EN_PROCESO' });
      expect(await brokenInvariants(db)).toEqual([]);
    } finally {
      await db.close();
    }
  });

  it('wakes workers through Redis, and again after all of its data was wiped', async () => {
    const settings = { url: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`, namespace: 'contenedor' };
    const heard = new Set<string>();
    const consumer = createConsumer(settings, {
      queue: 'descargas',
      concurrency: 2,
      handle: async ({ solicitudId }) => {
        heard.add(solicitudId);
      },
      onError: () => {},
    });
    const queue = createQueue(settings);
    const wake = (solicitudId: string) =>
      waitFor(
        () =>
          queue
            .wake([{ solicitudId, gen: 1, queue: 'descargas' }], AbortSignal.timeout(3_000))
            .then(() => true)
            .catch(() => null),
        30,
      );
    try {
      await wake('uno');
      await waitFor(async () => heard.has('uno') || null, 30);
      expect((await redis.exec(['redis-cli', 'flushall'])).exitCode).toBe(0);
      await wake('dos');
      await waitFor(async () => heard.has('dos') || null, 30);
    } finally {
      await queue.close();
      await consumer.close(1_000);
    }
  });
});
