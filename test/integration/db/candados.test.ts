import { createBoveda, createClaims, createLlaves } from '@acuse/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { brokenInvariants, newSolicitud, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';

const t = useDatabase();
let taxpayer: Taxpayer;

beforeEach(async () => {
  taxpayer = await seedTaxpayer(t.db);
});

const store = (tipo: 'ciec' | 'efirma_cer' = 'ciec') =>
  createBoveda(t.db).store(
    {
      id: crypto.randomUUID(),
      contribuyenteId: taxpayer.contribuyenteId,
      apiKeyId: taxpayer.apiKeyId,
      tipo,
      kid: 'k1',
      sobre: Buffer.from('sealed'),
    },
    '192.0.2.1',
  );

/** Runs `other` so that it comes upon a change of the taxpayer's keys half done, which then goes on. */
async function meet(other: () => Promise<unknown>, goOn: string, values: unknown[]) {
  const client = await t.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM contribuyente WHERE id = $1 FOR UPDATE', [taxpayer.contribuyenteId]);
    const met = other().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await waitForLocks(t.db.pool, 1);
    await client.query(goOn, values);
    await client.query('COMMIT');
    return await met;
  } finally {
    client.release();
  }
}

describe('a change of keys and another change of the same taxpayer never wait for each other', () => {
  const REVOKE = `UPDATE api_key SET estado = 'REVOCADA' WHERE id = $1`;

  it('storing a credential: refused, since the key is gone', async () => {
    expect(await meet(() => store(), REVOKE, [taxpayer.apiKeyId])).toEqual({ value: false });
  });

  it('registering the RFC', async () => {
    await t.sql`UPDATE api_key SET registrada_en = NULL WHERE id = ${taxpayer.apiKeyId}`;
    const { apiKeyId, contribuyenteId } = taxpayer;
    const register = () => createBoveda(t.db).register({ apiKeyId, contribuyenteId, ip: '192.0.2.1' });
    expect(await meet(register, REVOKE, [apiKeyId])).toEqual({ value: undefined });
    const rows = await t.sql`SELECT registrada_en FROM api_key WHERE id = ${apiKeyId}`;
    expect(rows).toEqual([{ registrada_en: null }]);
  });

  it('noting that the SAT refused a credential', async () => {
    await store();
    const claims = createClaims(t.db);
    const claimed = await claimOf(t.db, await newSolicitud(t.db, taxpayer));
    const forget = 'DELETE FROM credencial WHERE contribuyente_id = $1';
    expect(await meet(() => claims.markRefused(claimed, claimed.canal), forget, [taxpayer.contribuyenteId])).toEqual({
      value: undefined,
    });
  });
});

it('a revocation that meets other work in a deadlock is made again', async () => {
  const id = await newSolicitud(t.db, taxpayer);
  const [client, gate] = [await t.db.pool.connect(), await t.db.pool.connect()];
  try {
    // PostgreSQL gives up the one who has waited for a while, looks for a deadlock and finds one: only the revocation
    // shall look.
    await client.query('BEGIN');
    await client.query(`SET LOCAL deadlock_timeout = '1h'`);
    await client.query('UPDATE solicitud SET intentos = 1 WHERE id = $1', [id]);
    await gate.query('BEGIN');
    await gate.query('SELECT FROM api_key WHERE id = $1 FOR UPDATE', [taxpayer.apiKeyId]);
    const revoked = createLlaves(t.db).revoke({ apiKeyId: taxpayer.apiKeyId, actor: 'prueba', ip: null });
    await waitForLocks(t.db.pool, 1);
    const values = [taxpayer.contribuyenteId, 'x'];
    const other = client.query('UPDATE contribuyente SET nombre = $2 WHERE id = $1', values);
    await waitForLocks(t.db.pool, 2);
    await gate.query('COMMIT');
    await other;
    await client.query('COMMIT');
    expect(await revoked).toBe(1);
  } finally {
    client.release(true);
    gate.release(true);
  }
  expect(await brokenInvariants(t.db)).toEqual([]);
});

describe('a credential that the SAT refused', () => {
  it('comes with every claim of a solicitud that carries it, until it is stored again', async () => {
    await store();
    const claims = createClaims(t.db);
    const claim = async (hasta: string) => claimOf(t.db, await newSolicitud(t.db, taxpayer, { hasta }));
    const first = await claim('2025-03-01');
    expect(first.isCredencialRechazada).toBe(false);
    await claims.markRefused(first, first.canal);
    expect((await claim('2025-03-02')).isCredencialRechazada).toBe(true);
    expect((await claims.goOn(first, {})).isCredencialRechazada).toBe(true);
    await store('efirma_cer');
    expect((await claim('2025-03-03')).isCredencialRechazada).toBe(true);
    await store();
    expect((await claim('2025-03-04')).isCredencialRechazada).toBe(false);
  });
});
