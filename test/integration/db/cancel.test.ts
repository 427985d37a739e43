import { StaleEpoch } from '@acuse/core';
import { createClaims, createSolicitudes, createSweeper } from '@acuse/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import {
  acceptSolicitud,
  brokenInvariants,
  newSolicitud,
  PAQUETE,
  seedTaxpayer,
  type Taxpayer,
  useDatabase,
} from '../fixtures/database.ts';
import { claimOf, writesOf } from '../fixtures/features.ts';

const t = useDatabase();
let taxpayer: Taxpayer;
let id: string;

beforeEach(async () => {
  taxpayer = await seedTaxpayer(t.db);
  id = await newSolicitud(t.db, taxpayer);
});

const cancel = (contribuyenteId = taxpayer.contribuyenteId) => createSolicitudes(t.db).cancel(contribuyenteId, id);

const newClaim = () => claimOf(t.db, id);
const movimientos = async () => {
  return await t.sql`SELECT tipo, importe, detalle FROM movimiento WHERE op_id = ${id} ORDER BY id`;
};
const estado = async () => (await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id))?.estado;

describe('cancelling', () => {
  it('ends an open one once: one refund, no credential, no wake-up, its objects to be purged', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => cancel()));
    const repeated = { resultado: 'CANCELADA', isRepetida: true };
    expect(answers).toHaveLength(5);
    expect(answers).toEqual(expect.arrayContaining([{ resultado: 'CANCELADA' }, repeated]));
    expect(answers.filter((answer) => answer !== null && 'isRepetida' in answer)).toEqual(
      Array.from({ length: 4 }, () => repeated),
    );
    expect(await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id)).toMatchObject({
      estado: 'CANCELADA',
      motivo: 'CANCELADA_POR_EL_CLIENTE',
      progreso: 1,
      proximaConsulta: null,
      terminadaEn: expect.any(Date),
    });
    expect(await movimientos()).toEqual([
      { tipo: 'cargo', importe: -1, detalle: null },
      { tipo: 'reembolso', importe: 1, detalle: 'CANCELADA_POR_EL_CLIENTE' },
    ]);
    expect(
      (
        await t.sql`SELECT FROM credencial_sellada WHERE solicitud_id = ${id} UNION ALL SELECT FROM outbox
          WHERE solicitud_id = ${id}`
      ).length,
    ).toBe(0);
    expect(await createSweeper(t.db).purgeable({ graceSeconds: 0, limit: 500 })).toContain(id);
    const again = await acceptSolicitud(t.db, taxpayer);
    expect(again.resultado).toBe('ACEPTADA');
  });

  it('ends one that waits for the e.firma', async () => {
    await t.sql`UPDATE solicitud SET estado = 'ESPERA_EFIRMA' WHERE id = ${id}`;
    expect(await cancel()).toEqual({ resultado: 'CANCELADA' });
  });

  it("does not know another taxpayer's, a missing one, or an invalid id", async () => {
    const { contribuyenteId } = await seedTaxpayer(t.db);
    const solicitudes = createSolicitudes(t.db);
    expect(await cancel(contribuyenteId)).toBeNull();
    expect(await solicitudes.cancel(taxpayer.contribuyenteId, 'x')).toBeNull();
    expect(await estado()).toBe('EN_PROCESO');
  });

  it('leaves one that has ended as it is, and says how it ended', async () => {
    await createClaims(t.db).finish(await newClaim(), PAQUETE);
    expect(await cancel()).toEqual({ resultado: 'TERMINADA', estado: 'TERMINADA' });
    expect(await movimientos()).toHaveLength(1);
  });

  it('makes the epoch of a worker inside a step stale: it can write, finish and fail no more', async () => {
    const claimed = await newClaim();
    await cancel();
    for (const write of writesOf(t.db, claimed)) await expect(write()).rejects.toBeInstanceOf(StaleEpoch);
    expect(await estado()).toBe('CANCELADA');
  });
});

describe('a race with the worker that finishes, fails, or with the deadline', () => {
  it.each(['finish', 'fail', 'expire'] as const)('ends once, with its one refund or none: %s', async (other) => {
    const claimed = await newClaim();
    if (other === 'expire')
      await t.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`;
    const claims = createClaims(t.db);
    const run = {
      finish: () => claims.finish(claimed, PAQUETE),
      fail: () => claims.fail(claimed, { estado: 'ERROR', motivo: 'SAT_ERROR' }),
      expire: () => createSweeper(t.db).expire(500),
    }[other];
    const client = await t.db.pool.connect();
    try {
      // Both statements have begun and wait for the row.
      await client.query('BEGIN');
      await client.query('SELECT FROM solicitud WHERE id = $1 FOR UPDATE', [id]);
      const both = Promise.allSettled([run(), cancel()]);
      await waitForLocks(t.db.pool, 2);
      await client.query('COMMIT');
      await both;
    } finally {
      client.release(true);
    }
    const end = await estado();
    expect(['TERMINADA', 'ERROR', 'VENCIDA', 'CANCELADA']).toContain(end);
    expect(await movimientos()).toHaveLength(end === 'TERMINADA' ? 1 : 2);
    expect(await brokenInvariants(t.db)).toEqual([]);
  });
});
