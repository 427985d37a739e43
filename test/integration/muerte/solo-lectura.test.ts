import type { Database, Records } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { freePort } from '@acuse/embedded';
import { createCargaListas } from '@acuse/listas/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../packages/db/src/transaction.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { MES } from '../fixtures/resultado.ts';
import { type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';
import { type OwnPostgres, ownPostgres } from '../fixtures/servidores.ts';
import { abrir } from '../listas/lista-fingida.ts';

type Pool = Database['pool'];

const CONNECTIONS = 4;

/** Connections that one refused write ends. */
const WRITES: [string, number, (db: Records) => Promise<unknown>][] = [
  ['SQL', 1, ({ pool }) => inTransaction(pool, (client) => client.query('DELETE FROM outbox WHERE false'))],
  ['Prisma', 1, ({ prisma }) => prisma.$transaction((tx) => tx.$executeRaw`DELETE FROM outbox WHERE false`)],
  // The one that holds its lock, and the one of its first statement.
  [
    'the loader of a list',
    2,
    (db) => createCargaListas(db).loadList({ abrir: abrir(), minFilas: 1 }, new AbortController().signal),
  ],
];

describe('a PostgreSQL that was made read-only, as a demoted primary is', () => {
  let postgres: OwnPostgres;
  let servicio: Servicio;
  beforeAll(async () => {
    postgres = await ownPostgres();
    servicio = await startServicio({ database: postgres.database });
  });
  afterAll(() => servicio.close());

  /** Open sessions follow the server at once. Later ones do what the database says, where it says something. */
  const configure = async (...orders: readonly string[]) => {
    const client = await postgres.database.db.pool.connect();
    try {
      await client.query('SET default_transaction_read_only = off');
      for (const order of [...orders, 'SELECT pg_reload_conf()']) await client.query(order);
    } finally {
      client.release(true);
    }
  };
  const followOn = async (pool: Pool, setting: 'on' | 'off') => {
    await expect
      .poll(async () => (await pool.query('SHOW default_transaction_read_only')).rows)
      .toEqual([{ default_transaction_read_only: setting }]);
  };
  const demote = async (pool: Pool) => {
    await configure('ALTER SYSTEM SET default_transaction_read_only = on');
    await followOn(pool, 'on');
  };
  const promote = async () => {
    await configure(
      'ALTER DATABASE acuse RESET default_transaction_read_only',
      'ALTER SYSTEM RESET default_transaction_read_only',
    );
    await followOn(postgres.database.db.pool, 'off');
  };
  const probe = async (url: string) => {
    const answer = await fetch(url);
    return [answer.status, ((await answer.json()) as { checks: object }).checks];
  };

  it('shows at /readyz of API and worker, while the API stays reachable and answers 503/5041', async () => {
    const caller = await newEfirmaCaller(servicio);
    const health = `${servicio.api.url}/readyz`;
    const HEALTH_PORT = String(await freePort());
    const ofWorker = `http://127.0.0.1:${HEALTH_PORT}/readyz`;
    await servicio.startWorker({ WORKER_ROLES: 'reconciler', HEALTH_PORT });
    expect(await probe(health)).toEqual([200, { database: 'ok' }]);
    await demote(postgres.database.db.pool);
    await expect.poll(() => probe(health)).toEqual([503, { database: '25006' }]);
    await expect.poll(() => probe(ofWorker)).toEqual([503, { database: '25006' }]);
    expect(await probe(`${health}?exclude=database`)).toEqual([200, {}]);
    const { status, body } = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...MES });
    expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
    await promote();
    await expect.poll(() => probe(health)).toEqual([200, { database: 'ok' }]);
    await expect.poll(() => probe(ofWorker)).toEqual([200, { database: 'ok' }]);
    expect(await waitFor(() => askFor(caller, MES).catch(() => null))).toEqual(expect.any(String));
  });

  it('gets no connection of an address with several hosts', async () => {
    const address = new URL(postgres.database.url);
    address.search = `?host=127.0.0.1,127.0.0.1&port=${await freePort()},${postgres.port}`;
    const { pool, close } = openRecords({ ...postgres.database.db.settings, url: address.href });
    await demote(postgres.database.db.pool);
    const errors = expect.arrayContaining([new Error(`127.0.0.1:${postgres.port} takes no writes`)]);
    await expect(pool.query('SELECT 1')).rejects.toMatchObject({ errors });
    await promote();
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
    await close();
  });

  it.each(WRITES)(
    'loses each connection that it refuses a write of %s, for the server that took its place',
    async (_, ended, write) => {
      const database = openRecords({
        url: postgres.database.url,
        poolSize: CONNECTIONS,
        timeoutMs: 10_000,
        applicationName: 'acuse-test',
      });
      const all = await Promise.all(Array.from({ length: CONNECTIONS }, () => database.pool.connect()));
      for (const client of all) client.release();
      await configure('ALTER DATABASE acuse SET default_transaction_read_only = off');
      await demote(database.pool);
      const outcomes: string[] = [];
      for (let n = 0; n < (2 * CONNECTIONS) / ended; n += 1)
        await write(database).then(
          () => outcomes.push('written'),
          (error) => outcomes.push(/25006/.test(`${error.code} ${error.message}`) ? '25006' : String(error)),
        );
      await database.close();
      await promote();
      expect(outcomes).toEqual([
        ...Array.from({ length: CONNECTIONS / ended }, () => '25006'),
        ...Array.from({ length: CONNECTIONS / ended }, () => 'written'),
      ]);
    },
  );
});
