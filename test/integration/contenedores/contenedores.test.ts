import { createAccessSnapshots, createSolicitudes, migrate, openDatabase } from '@acuse/db';
import { createConsumer, createQueue } from '@acuse/queue';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSolicitud, brokenInvariants, seedTaxpayer } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/servicio.ts';

/** Images come from the environment where none can be pulled; each must start its server by its own command. */
const POSTGRES_IMAGE = process.env['ACUSE_TEST_POSTGRES_IMAGE'] ?? 'postgres:18';
const REDIS_IMAGE = process.env['ACUSE_TEST_REDIS_IMAGE'] ?? 'redis:8';

/** An engine that answers and has, or can get, both images. Without one these tests are reported as skipped. */
async function hasEngine(): Promise<boolean> {
  try {
    const { container } = await getContainerRuntimeClient();
    const images = await container.dockerode.listImages();
    const tags = new Set(images.flatMap((image) => image.RepoTags ?? []));
    const isLocal = (name: string) => tags.has(name) || tags.has(`${name}:latest`);
    return (isLocal(POSTGRES_IMAGE) && isLocal(REDIS_IMAGE)) || process.env['ACUSE_TEST_PULL'] === 'true';
  } catch {
    return false;
  }
}

describe.skipIf(!(await hasEngine()))('PostgreSQL and Redis in containers', () => {
  let postgres: StartedTestContainer;
  let redis: StartedTestContainer;

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([
      new GenericContainer(POSTGRES_IMAGE)
        .withEnvironment({ POSTGRES_USER: 'acuse', POSTGRES_PASSWORD: 'acuse', POSTGRES_DB: 'acuse' })
        .withExposedPorts(5432)
        .withWaitStrategy(Wait.forListeningPorts())
        .start(),
      new GenericContainer(REDIS_IMAGE).withExposedPorts(6379).withWaitStrategy(Wait.forListeningPorts()).start(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([postgres?.stop(), redis?.stop()]);
  });

  const databaseUrl = () => `postgres://acuse:acuse@${postgres.getHost()}:${postgres.getMappedPort(5432)}/acuse`;

  it('migrates an empty server, accepts, charges once and answers a duplicate', async () => {
    const url = databaseUrl();
    await waitFor(() => migrate(url).catch(() => null), 30);
    expect(await migrate(url)).toEqual([]);
    const db = openDatabase({ url, poolSize: 4, timeoutMs: 10_000, applicationName: 'acuse-test' });
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

  it('rings through Redis, and again after all of its data was wiped', async () => {
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
    const ring = (solicitudId: string) =>
      waitFor(
        () =>
          queue
            .ring([{ solicitudId, gen: 1, queue: 'descargas' }], AbortSignal.timeout(3_000))
            .then(() => true)
            .catch(() => null),
        30,
      );
    try {
      await ring('uno');
      await waitFor(async () => heard.has('uno') || null, 30);
      expect((await redis.exec(['redis-cli', 'flushall'])).exitCode).toBe(0);
      await ring('dos');
      await waitFor(async () => heard.has('dos') || null, 30);
    } finally {
      await queue.close();
      await consumer.close(1_000);
    }
  });
});
