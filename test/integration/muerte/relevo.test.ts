import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { itThoroughly, onEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { type Pedido, pedir } from '../fixtures/pedidos.ts';
import { STEPS, tellFailure } from '../fixtures/procesos.ts';
import { askedOfSat, expectWhole } from '../fixtures/resultado.ts';
import { type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';

const LOCK = 4_711;
const RELAY = { WORKER_ROLES: 'relay' };

onEachDriver('a relay killed when the queue has the rings and the outbox still has them too', (queueUrl) => {
  let servicio: Servicio;
  beforeAll(async () => {
    servicio = await startServicio(queueUrl ? { queueUrl } : {});
  });
  afterEach((context) => tellFailure(servicio, context));
  afterAll(() => servicio.close());

  itThoroughly(queueUrl)('rings twice, which nobody notices', async () => {
    const { pool } = servicio.db;
    const caller = await newEfirmaCaller(servicio, { saldo: 6 });
    const pedidos = [1, 2, 3, 4, 5, 6].map((month): Pedido => {
      const desde = `2025-0${month}-01`;
      return { tipo: 'emitidos', desde, hasta: desde };
    });
    const ids = await Promise.all(pedidos.map((pedido) => pedir(caller, pedido)));

    // The relay hangs in its delete, after the queue has taken the rings, until it is dead.
    await pool.query(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NULL; END $$;
      CREATE TRIGGER wait_for_test BEFORE DELETE ON outbox FOR EACH STATEMENT EXECUTE FUNCTION wait_for_test()`);
    const holder = await pool.connect();
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
    const relay = await servicio.startWorker({ ...RELAY, DATABASE_TIMEOUT_MS: '120000' });
    await waitFor(async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
      );
      return rowCount === 1 || null;
    });
    const worker = await servicio.startWorker(STEPS);
    // The rings are being answered already while their relay has not told the outbox.
    await waitFor(async () => {
      const { rowCount } = await pool.query('SELECT FROM parte WHERE solicitud_id = ANY ($1::uuid[])', [ids]);
      return rowCount === ids.length || null;
    });
    relay.kill('SIGKILL');
    await waitFor(async () => !relay.isRunning() || null);
    await holder.query(`SELECT pg_advisory_unlock(${LOCK})`);
    holder.release();
    await waitFor(async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE query LIKE 'DELETE FROM outbox%' AND datname = current_database() AND state <> 'idle'`,
      );
      return rowCount === 0 || null;
    });
    const { rows } = await pool.query<{ n: number }>(
      'SELECT count(*)::integer AS n FROM outbox WHERE gen = 1',
    );
    expect(rows[0]?.n).toBe(ids.length);
    await pool.query('DROP TRIGGER wait_for_test ON outbox');

    await servicio.startWorker(RELAY);
    for (const [at, pedido] of pedidos.entries()) await expectWhole(servicio, caller, ids[at] ?? '', pedido);
    expect(askedOfSat(servicio, caller.rfc)).toMatchObject({ sends: ids.length, solicitudes: ids.length });
    // A solicitud may end before the relay has told the outbox that its last ring is delivered.
    await waitFor(async () => (await pool.query('SELECT FROM outbox')).rowCount === 0 || null);
    expect(await worker.stop()).toBe(true);
  });
});
