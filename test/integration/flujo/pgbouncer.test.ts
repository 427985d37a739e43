import { type Database, inTransaction } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { noPgBouncer, startPgBouncer } from '../fixtures/pgbouncer.ts';
import { MES } from '../fixtures/resultado.ts';
import { urlAs } from '../fixtures/roles.ts';
import { download, startServicio, waitForEnd } from '../fixtures/servicio.ts';

/** Fewer than the programs have connections to PgBouncer. */
const SERVER_CONNECTIONS = 2;
const HANG = 'SELECT pg_sleep(3600)';

if (noPgBouncer) console.warn(`Skipped: ${noPgBouncer}`);
/** With TEST_PGBOUNCER the programs are behind another one already. */
const isBehind = process.env['ACUSE_PGBOUNCER'] !== undefined;

describe.skipIf(noPgBouncer ?? isBehind)('behind PgBouncer in transaction mode', () => {
  const own = duringTests(async () => {
    const database = await testDatabase();
    const bouncer = await startPgBouncer(database.url, SERVER_CONNECTIONS);
    const behind = (rol: 'api' | 'worker') => ({ DATABASE_URL: bouncer.through(urlAs(database.url, rol)) });
    const servicio = await startServicio({ database, apiEnv: behind('api'), workerEnv: behind('worker') });
    return {
      servicio,
      bouncer,
      async close() {
        await servicio.close();
        await bouncer.stop();
      },
    };
  });
  const open = (mode?: 'prepared', timeoutMs = 10_000) =>
    openRecords({
      url: own.bouncer.through(own.servicio.databaseUrl, mode),
      poolSize: 4,
      timeoutMs,
      applicationName: 'acuse-test',
    });

  it('carries a solicitud to its ZIP', async () => {
    await own.servicio.startWorker();
    const caller = await own.servicio.newCiecCaller();
    const id = await askFor(caller, MES);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect((await download(caller, id)).zip.length).toBeGreaterThan(100);
    expect(
      await own.servicio.sql`SELECT DISTINCT application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND usename = 'acuse_prueba_worker' AND application_name <> 'acuse-worker'`,
    ).toEqual([{ name: 'acuse-worker-roles' }]);
  });

  it.each<[string, (db: ReturnType<typeof open>) => Promise<unknown>]>([
    ['alone', ({ pool }) => pool.query(HANG)],
    ['in a transaction', ({ pool }) => inTransaction(pool, (client) => client.query(HANG))],
    ['in a transaction of Prisma', ({ prisma }) => prisma.$transaction((tx) => tx.$queryRawUnsafe(HANG))],
  ])('ends a statement that hangs, %s', async (_, hang) => {
    const db = open(undefined, 1_000);
    try {
      await expect(hang(db)).rejects.toThrow(/timeout/);
      const running = () => own.servicio.sql`SELECT FROM pg_stat_activity WHERE state = 'active' AND query = ${HANG}`;
      await expect.poll(running).toEqual([]);
    } finally {
      await db.close();
    }
  });

  it.each([
    [undefined, 0],
    ['prepared', 1],
  ] as const)('with pgbouncer=%s, keeps %s named statements on a server connection', async (mode, kept) => {
    const db: Database = open(mode);
    try {
      const text = 'SELECT count(*)::int AS n FROM pg_prepared_statements WHERE name = $1';
      const { rows } = await db.pool.query({ name: 'one', text, values: ['one'] });
      expect(rows).toEqual([{ n: kept }]);
    } finally {
      await db.close();
    }
  });

  it('is refused an address that says nothing of it', async () => {
    const address = new URL(own.bouncer.through(own.servicio.databaseUrl));
    address.search = '';
    const db = openRecords({ ...open().settings, url: address.href });
    await expect(db.pool.query('SELECT 1')).rejects.toMatchObject({ code: '08P01' });
    await db.close();
  });
});
