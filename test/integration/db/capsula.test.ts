import { createCapsulas } from '@acuse/capsula/db';
import { createBoveda, createClaims, createLlaves, createSolicitudes } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { newLlave, newSolicitud, PAQUETE, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf, WITH_FEATURES } from '../fixtures/features.ts';

const t = useDatabase();
const SERIE = '30001000000500003415';
const HOUR_MS = 3_600_000;
let taxpayer: Taxpayer;
let id: string;

const storeCer = (noSerie: string, apiKeyId = taxpayer.apiKeyId) =>
  createBoveda(t.db).store(
    {
      id: uuidV7(),
      contribuyenteId: taxpayer.contribuyenteId,
      apiKeyId,
      tipo: 'efirma_cer',
      kid: 'k',
      sobre: Buffer.from('sealed'),
      noSerie,
      vigenteHasta: new Date(Date.now() + 1_000 * HOUR_MS),
    },
    '203.0.113.9',
  );
const expiraEn = () => new Date(Date.now() + 71 * HOUR_MS);
const sellada = (sobre = 'capsula') => ({ kid: 'w1', sobre: Buffer.from(sobre), folios: ['F'], expiraEn: expiraEn() });
const held = () => claimOf(t.db, id, 1);
const there = async () => (await t.sql`SELECT FROM capsula WHERE solicitud_id = ${id}`).length;
const autor = { actor: 'prueba', ip: null };

beforeEach(async () => {
  taxpayer = await seedTaxpayer(t.db);
  expect(await storeCer(SERIE)).toBe(true);
  const efirma = { tipo: 'efirma', kid: 'k1', sobre: Buffer.from('sealed'), expiraEn: expiraEn() } as const;
  id = await newSolicitud(t.db, taxpayer, { canal: 'soap', mayPresign: true, sellada: efirma });
});

describe('a capsula', () => {
  it('is kept for its claim, comes with the next claim, and is replaced by the next capsule', async () => {
    const capsulas = createCapsulas(t.db);
    const claimed = await held();
    expect([claimed.mayPresign, claimed.presigned]).toEqual([true, null]);
    const first = sellada();
    expect(await capsulas.keep(claimed, first, SERIE)).toBe(true);
    expect(await capsulas.read(claimed)).toEqual({ sobre: first.sobre, expiraEn: first.expiraEn });
    const next = { ...sellada('otra'), folios: ['F', 'G'] };
    expect(await capsulas.keep(claimed, next, SERIE)).toBe(true);
    const { presigned } = await createClaims(t.db, WITH_FEATURES).goOn(claimed, {});
    expect(presigned).toEqual({ folios: ['F', 'G'], expiraEn: next.expiraEn });
    const noted = await t.sql`SELECT tipo FROM evento WHERE solicitud_id = ${id}`;
    expect(noted).toEqual([{ tipo: 'CAPSULA_HECHA' }, { tipo: 'CAPSULA_HECHA' }]);
  });

  it('opens for no worker after it expires, and is deleted at the next reaping', async () => {
    const claimed = await held();
    await createCapsulas(t.db).keep(claimed, sellada(), SERIE);
    await t.sql`UPDATE capsula SET expira_en = now() - interval '1 second' WHERE solicitud_id = ${id}`;
    expect(await createCapsulas(t.db).read(claimed)).toBeNull();
    expect((await createClaims(t.db, WITH_FEATURES).goOn(claimed, {})).presigned).toBeNull();
    expect(await createBoveda(t.db).reap()).toBeGreaterThan(0);
    expect(await there()).toBe(0);
  });

  it('of more than 72 hours the database does not take', async () => {
    const long = { ...sellada(), expiraEn: new Date(Date.now() + 73 * HOUR_MS) };
    await expect(createCapsulas(t.db).keep(await held(), long, SERIE)).rejects.toThrow('capsula');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['whose claim is over', () => t.sql`UPDATE solicitud SET epoch = epoch + 1 WHERE id = ${id}`],
    ['that nobody asked for', () => t.sql`UPDATE solicitud SET capsula = false WHERE id = ${id}`],
    ['of an ended solicitud', () => createSolicitudes(t.db).cancel(taxpayer.contribuyenteId, id)],
    ['under a revoked key', () => createLlaves(t.db).revoke({ ...autor, apiKeyId: taxpayer.apiKeyId })],
    ['of an e.firma that was replaced', () => storeCer('30001000000500003499')],
  ])('%s is not kept', async (_name, change) => {
    const claimed = await held();
    await change();
    expect(await createCapsulas(t.db).keep(claimed, sellada(), SERIE)).toBe(false);
    expect(await there()).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its solicitud is cancelled', () => createSolicitudes(t.db).cancel(taxpayer.contribuyenteId, id)],
    ['the key is revoked', () => createLlaves(t.db).revoke({ ...autor, apiKeyId: taxpayer.apiKeyId })],
    [
      'the key is replaced',
      () => createLlaves(t.db).activate({ ...autor, contribuyenteId: taxpayer.contribuyenteId, llave: newLlave() }),
    ],
    [
      'the key is replaced by one that takes over the e.firma',
      () => {
        const reseal = (rows: readonly { id: string }[]) =>
          rows.map((row) => ({ id: row.id, kid: 'k', sobre: Buffer.from('anew') }));
        const relevo = { anterior: taxpayer.apiKeyId, reseal };
        const { contribuyenteId } = taxpayer;
        return createLlaves(t.db).activate({ ...autor, contribuyenteId, llave: newLlave(), relevo });
      },
    ],
    ['another e.firma is stored', () => storeCer('30001000000500003499')],
    [
      'the e.firma is deleted',
      () => t.sql`DELETE FROM credencial WHERE contribuyente_id = ${taxpayer.contribuyenteId}`,
    ],
  ])('dies in the transaction in which %s', async (_name, end) => {
    await createCapsulas(t.db).keep(await held(), sellada(), SERIE);
    expect(await there()).toBe(1);
    await end();
    expect(await there()).toBe(0);
  });

  it.each<[string, (claimed: Awaited<ReturnType<typeof held>>) => Promise<unknown>]>([
    ['ends with its package', (claimed) => createClaims(t.db, WITH_FEATURES).finish(claimed, PAQUETE)],
    [
      'ends without one',
      (claimed) => createClaims(t.db, WITH_FEATURES).fail(claimed, { estado: 'ERROR', motivo: 'SAT_ERROR' }),
    ],
    [
      'goes on at the other channel',
      (claimed) => createClaims(t.db, WITH_FEATURES).changeChannel(claimed, {}, { mayReturn: true }),
    ],
    [
      'waits for the e.firma',
      async (claimed) => {
        await t.sql`DELETE FROM credencial_sellada WHERE solicitud_id = ${id}`;
        await createClaims(t.db, WITH_FEATURES).awaitEfirma(claimed);
      },
    ],
  ])('dies when its solicitud %s', async (_name, end) => {
    const claimed = await held();
    await createCapsulas(t.db).keep(claimed, sellada(), SERIE);
    await end(claimed);
    expect(await there()).toBe(0);
  });

  it('lives on when the same e.firma is stored again, or its key deleted at its hour', async () => {
    await createCapsulas(t.db).keep(await held(), sellada(), SERIE);
    await storeCer(SERIE);
    await t.sql`DELETE FROM credencial WHERE contribuyente_id = ${taxpayer.contribuyenteId} AND tipo = 'efirma_key'`;
    expect(await there()).toBe(1);
  });
});
