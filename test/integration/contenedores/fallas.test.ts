import { migrate } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import type { StartedTestContainer } from 'testcontainers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sqlOn } from '../fixtures/database.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, saldoDe, waitForLlamadas } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../fixtures/procesos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { makeUsers } from '../fixtures/roles.ts';
import { type Caller, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';
import { type Fallible, hasEngine, openRed, startPostgres, startRedis } from './servidores.ts';

const SUBNET = '10.83.98.0/28';
const AT = { postgres: '10.83.98.5', redis: '10.83.98.6' };

describe.skipIf(!(await hasEngine()))('a download while a container fails', { timeout: 300_000 }, () => {
  let servicio: Servicio;
  let red: Awaited<ReturnType<typeof openRed>>;
  let containers: StartedTestContainer[] = [];
  let servers: Record<keyof typeof AT, Fallible>;

  beforeAll(async () => {
    red = await openRed(SUBNET);
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    containers = [postgres, redis];
    servers = { postgres: await red.join(postgres, AT.postgres), redis: await red.join(redis, AT.redis) };
    const url = `postgres://acuse:acuse@${AT.postgres}:5432/acuse`;
    await waitFor(() => migrate(url).catch(() => null));
    await makeUsers(url);
    const db = openRecords({ url, poolSize: 12, timeoutMs: 10_000, applicationName: 'acuse-test' });
    servicio = await startServicio({
      database: { db, url, sql: sqlOn(db.pool), close: () => db.close() },
      queueUrl: `redis://${AT.redis}:6379`,
      simulador: { segundos_hasta_terminar: 3 },
      apiEnv: { API_DATABASE_TIMEOUT_MS: '5000' },
      workerEnv: { LEASE_SECONDS: '3' },
    });
    for (const env of [LOOPS, STEPS]) await servicio.startWorker(env);
  });
  afterEach((context) => tellFailure(servicio, context));
  afterAll(async () => {
    await servicio?.close();
    await Promise.all(containers.map((container) => container.stop()));
    await red?.close();
  });

  const begin = async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 2 });
    const id = await askFor(caller, MES);
    await waitForLlamadas(servicio, caller, 'VerificaSolicitudDescarga', 1);
    return { caller, id };
  };
  const OTHER = { ...MES, tipo: 'emitidos' } as const;
  const expectBoth = async (caller: Caller, id: string, other: string) => {
    await expectWhole(servicio, caller, id, MES, 120);
    await expectWhole(servicio, caller, other, OTHER, 120);
    expect(await saldoDe(servicio, caller)).toBe(0);
  };

  it.each(['pause', 'kill', 'cut'] as const)('PostgreSQL: %s', async (fault) => {
    const { caller, id } = await begin();
    const end = await servers.postgres.fail(fault);
    const { status, body } = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...OTHER });
    expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
    await end();
    // A request with this answer may be accepted: repeating it charges nothing.
    const other = await waitFor(() => askFor(caller, OTHER).catch(() => null));
    await expectBoth(caller, id, other);
  });

  it.each(['pause', 'kill', 'cut'] as const)('Redis: %s', async (fault) => {
    const { caller, id } = await begin();
    const end = await servers.redis.fail(fault);
    // The queue only wakes workers: a request is accepted and charged without it.
    const other = await askFor(caller, OTHER);
    expect(await saldoDe(servicio, caller)).toBe(0);
    await end();
    await expectBoth(caller, id, other);
  });

  it.each([
    ['postgres', 512],
    ['redis', 64],
  ] as const)('%s by a network of %i kbit/s: all of it ends while that lasts', async (server, rate) => {
    const { caller, id } = await begin();
    const end = await servers[server].slow(rate);
    const other = await waitFor(() => askFor(caller, OTHER).catch(() => null));
    await expectBoth(caller, id, other);
    await end();
  });
});
