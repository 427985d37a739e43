import { createBandeja, openDatabase } from '@acuse/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptSolicitud, seedTaxpayer, type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/esperar.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  await acceptSolicitud(t.db, await seedTaxpayer(t.db));
});
afterAll(() => t.close());

const waiting = async () => (await t.db.pool.query('SELECT FROM outbox')).rowCount;

test('rings that were not delivered stay, and the connection serves again unless it is gone', async () => {
  const one = openDatabase({ url: t.url, poolSize: 1, timeoutMs: 10_000, applicationName: 'acuse-drain' });
  const bandeja = createBandeja(one);
  const pid = async () => (await one.pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  try {
    const first = await pid();
    await expect(bandeja.drain(10, () => Promise.reject(new Error('the queue is away')))).rejects.toThrow(
      'the queue is away',
    );
    expect([await waiting(), await pid()]).toEqual([1, first]);

    const ended = bandeja.drain(10, async () => {
      await t.db.pool.query('SELECT pg_terminate_backend($1)', [first]);
    });
    await expect(ended).rejects.toThrow();
    // The one that is ended says so before it lets go of the rings that it holds.
    await waitFor(async () => {
      const { rowCount } = await t.db.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [first]);
      return rowCount === 0 || null;
    });
    expect(await waiting()).toBe(1);
    expect(await pid()).not.toBe(first);

    const taken: string[] = [];
    expect(
      await bandeja.drain(10, async (timbres) => {
        taken.push(...timbres.map(({ cola }) => cola));
      }),
    ).toBe(1);
    expect([taken, await waiting()]).toEqual([['descargas'], 0]);
    expect(await bandeja.drain(10, () => Promise.reject(new Error('nothing to deliver')))).toBe(0);
  } finally {
    await one.close();
  }
});
