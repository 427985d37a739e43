import { randomUUID } from 'node:crypto';
import type { SatMeasurement } from '@acuse/core';
import { createSatMetrics, openDatabase } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';

const NUNCA = 3_600_000;
const MINUTO = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;

describe('the sums of requests to the authority', () => {
  const database = useDatabase();

  const seen = (host: string, resultado: SatMeasurement['resultado'], ms = 3): SatMeasurement => ({
    host,
    resultado,
    ms,
    canal: 'portal',
  });
  const rowsOf = async (host: string) =>
    await database.sql`SELECT extract(epoch
      FROM minuto)::float8 * 1000 AS minuto, exitos, rechazos, fallos, canceladas, evitadas, cubetas
         FROM salud_sat WHERE host = ${host} ORDER BY minuto`;

  it('of several processes come together in one row a minute, element by element', async () => {
    const host = randomUUID();
    let now = MINUTO + 5_000;
    const [a, b] = [0, 1].map(() => createSatMetrics(database.db, { everyMs: NUNCA, now: () => now }));
    if (!a || !b) throw new Error('two processes');
    for (const ms of [1, 3, 3, 100]) a.record(seen(host, 'exito', ms));
    a.record(seen(host, 'cancelada', 100));
    b.record(seen(host, 'fallo', 3));
    b.record(seen(host, 'rechazo', 100));
    b.record(seen(host, 'evitada', 0));
    await Promise.all([a.flush(), b.flush()]);
    a.record(seen(host, 'desmentida', 3));
    now += 60_000;
    b.record(seen(host, 'exito', 1));
    await Promise.all([a.close(), b.close()]);

    const rows = await rowsOf(host);
    expect(rows.map(({ cubetas: _, ...row }) => row)).toEqual([
      { minuto: MINUTO, exitos: 3, rechazos: 1, fallos: 2, canceladas: 1, evitadas: 1 },
      { minuto: MINUTO + 60_000, exitos: 1, rechazos: 0, fallos: 0, canceladas: 0, evitadas: 0 },
    ]);
    const counted = (cubetas: number[]) => cubetas.flatMap((n, i) => (n > 0 ? [[i, n]] : []));
    expect(rows.map(({ cubetas }) => counted(cubetas))).toEqual([
      [
        [0, 1],
        [4, 3],
        [14, 2],
      ],
      [[0, 1]],
    ]);
  });

  it('do not block a close while their row is locked', async () => {
    const host = randomUUID();
    const record = (errors: unknown[]) => {
      const options = {
        everyMs: NUNCA,
        now: () => MINUTO,
        lastMs: 50,
        onError: (error: unknown) => errors.push(error),
      };
      const metrics = createSatMetrics(database.db, options);
      metrics.record(seen(host, 'exito'));
      return metrics;
    };
    await record([]).close();
    const client = await database.db.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('UPDATE salud_sat SET exitos = 9 WHERE host = $1', [host]);
      const errors: unknown[] = [];
      await record(errors).close();
      expect(errors.map(String)).toEqual(['Error: the last sums were not written within 50 ms']);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('wait while the database is away, and are written once when it is back', async () => {
    const host = randomUUID();
    const errors: unknown[] = [];
    let isAway = true;
    const pool = {
      query: (...args: Parameters<typeof database.db.pool.query>) =>
        isAway ? Promise.reject(new Error('away')) : database.db.pool.query(...args),
    };
    const metrics = createSatMetrics(
      // Only `query` of the pool is used.
      { pool: pool as unknown as typeof database.db.pool },
      { everyMs: NUNCA, now: () => MINUTO, onError: (error) => errors.push(error) },
    );
    for (let round = 0; round < 3; round += 1) {
      metrics.record(seen(host, 'exito'));
      await metrics.flush();
    }
    expect(errors).toHaveLength(3);
    isAway = false;
    await metrics.close();
    await metrics.flush();
    expect(await rowsOf(host)).toMatchObject([{ exitos: 3 }]);
  });

  it('are written once also when old rows cannot be dropped', async () => {
    const host = randomUUID();
    let now = MINUTO - 3_600_000;
    const errors: unknown[] = [];
    const pool = {
      query: (config: { text: string }) =>
        config.text.startsWith('DELETE') ? Promise.reject(new Error('away')) : database.db.pool.query(config),
    };
    const metrics = createSatMetrics(
      { pool: pool as unknown as typeof database.db.pool },
      { everyMs: NUNCA, now: () => now, onError: (error) => errors.push(error) },
    );
    now = MINUTO;
    metrics.record(seen(host, 'exito'));
    await metrics.flush();
    metrics.record(seen(host, 'exito'));
    await metrics.close();
    expect(errors).toHaveLength(1);
    expect(await rowsOf(host)).toMatchObject([{ exitos: 2 }]);
  });

  it('never fail the one who is counted, nor the process: not even without a server', async () => {
    const nowhere = openDatabase({
      url: 'postgres://nobody@127.0.0.1:1/none',
      poolSize: 1,
      timeoutMs: 300,
      applicationName: 'acuse-test',
    });
    const errors: unknown[] = [];
    const metrics = createSatMetrics(nowhere, { everyMs: NUNCA, onError: (error) => errors.push(error) });
    metrics.record(seen(randomUUID(), 'exito'));
    await metrics.close();
    expect(errors).toHaveLength(1);
    await nowhere.close();
  });

  it('are dropped each hour, after the day that the panel shows, and an hour', async () => {
    const host = randomUUID();
    const insert = `INSERT INTO salud_sat (minuto, host, canal, cubetas) VALUES (now() - $2::interval, $1, 'soap', '{}')`;
    await database.db.pool.query(insert, [host, '26 hours']);
    await database.db.pool.query(insert, [host, '24 hours']);
    let now = Date.now();
    const metrics = createSatMetrics(database.db, { everyMs: NUNCA, now: () => now });
    now += 3_600_000;
    metrics.record(seen(randomUUID(), 'exito'));
    await metrics.close();
    expect(await rowsOf(host)).toHaveLength(1);
  });
});
