import { type QueueName, StaleEpoch } from '@acuse/core';
import {
  createAccessSnapshots,
  createBoveda,
  createClaims,
  createLlaves,
  createSaldos,
  createSolicitudes,
  createSweeper,
} from '@acuse/db';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  brokenInvariants,
  newLlave,
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

const claim = (gen = 1, queue: QueueName = 'descargas') =>
  createClaims(t.db).claim({ solicitudId: id, gen, queue, leaseSeconds: 60 });

const newClaim = (gen = 1) => claimOf(t.db, id, gen);

const row = async () => (await t.sql`SELECT * FROM solicitud WHERE id = ${id}`)[0] ?? {};
const expireSellada = () =>
  t.sql`UPDATE credencial_sellada SET expira_en = now() - interval '1 second' WHERE solicitud_id = ${id}`;
const saldo = async () => (await createAccessSnapshots(t.db).load(taxpayer.apiKeyId))?.saldo;
const periodos = [
  { inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' },
  { inicio: '2025-02-01T00:00:00', fin: '2025-02-28T23:59:59' },
];

describe('claiming', () => {
  it('gives a solicitud to exactly one of 20 at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => claim()));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('gives each of many that are claimed together to its own wake-up, and none to one that is stale', async () => {
    const ids = [
      id,
      await newSolicitud(t.db, await seedTaxpayer(t.db)),
      await newSolicitud(t.db, await seedTaxpayer(t.db)),
    ];
    const claims = createClaims(t.db);
    const taken = await Promise.all(
      ids.map((solicitudId, at) =>
        claims.claim({ solicitudId, gen: at === 1 ? 9 : 1, queue: 'descargas', leaseSeconds: 60 }),
      ),
    );
    expect(taken.map((claimed) => claimed?.id ?? null)).toEqual([ids[0], null, ids[2]]);
  });

  it('refuses a wake-up of another generation, another phase, and one that has ended', async () => {
    expect(await claim(2)).toBeNull();
    expect(await claim(1, 'ensambles')).toBeNull();
    await createClaims(t.db).fail(await newClaim(), { estado: 'ERROR', motivo: 'SAT_ERROR' });
    expect(await claim((await row()).gen)).toBeNull();
  });

  it('is open to another once the lease is over, and the first one can write nothing any more', async () => {
    const first = await newClaim();
    expect(await claim()).toBeNull();
    await t.sql`UPDATE solicitud SET lease_until = now() - interval '1 second' WHERE id = ${id}`;
    const second = await newClaim();
    expect(second.epoch).toBe(first.epoch + 1);

    for (const write of writesOf(t.db, first)) await expect(write()).rejects.toBeInstanceOf(StaleEpoch);
    expect(await row()).toMatchObject({ estado: 'EN_PROCESO', epoch: second.epoch });
    expect((await t.sql`SELECT FROM evento WHERE solicitud_id = ${id}`).length).toBe(0);
    expect(await saldo()).toBe(9);
  });
});

describe('progress', () => {
  it('keeps parts in order of period, with their packages in the order of the SAT', async () => {
    const claims = createClaims(t.db);
    const claimed = await claims.goOn(await newClaim(), {
      nuevas: { reemplaza: null, periodos: [...periodos].reverse() },
    });
    expect(claimed.partes.map((p) => p.periodo)).toEqual(periodos);
    const parteId = claimed.partes[0]?.id ?? '';
    const after = await claims.goOn(claimed, {
      consultado: true,
      partes: [{ parteId, estado: 'DISPONIBLE', folio: 'F', paquetes: ['B', 'A'], registros: 7, dueInSeconds: 0 }],
    });
    expect(after.partes[0]).toMatchObject({ estado: 'DISPONIBLE', folio: 'F' });
    expect(after.partes[0]?.paquetes.map((p) => p.paquete)).toEqual(['B', 'A']);
    const stored = await claims.goOn(after, {
      partes: [{ parteId, guardado: { paquete: 'A', objectKey: 'key', bytes: 5, sha256: 'ff' } }],
    });
    expect(stored.partes[0]?.paquetes.map((p) => p.objectKey)).toEqual([null, 'key']);
    const vista = await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id);
    expect(vista).toMatchObject({ intentos: 1, registros: 7 });
    expect(vista?.progreso).toBeGreaterThan(0);
    expect(vista?.progreso).toBeLessThan(0.9);
  });

  it('replaces the list of the packages of a part, also by one that names some of them again', async () => {
    const claims = createClaims(t.db);
    const nuevas = { reemplaza: null, periodos: periodos.slice(0, 1) };
    const claimed = await claims.goOn(await newClaim(), { nuevas });
    const parteId = claimed.partes[0]?.id ?? '';
    await claims.save(claimed, { partes: [{ parteId, paquetes: ['A', 'B'] }] });
    await claims.save(claimed, {
      partes: [{ parteId, guardado: { paquete: 'B', objectKey: 'key', bytes: 5, sha256: 'ff' } }],
    });
    const [listed] = (await claims.goOn(claimed, { partes: [{ parteId, paquetes: ['B', 'C'] }] })).partes;
    expect(listed?.paquetes).toEqual([
      { paquete: 'B', orden: 1, objectKey: null, relecturas: 0 },
      { paquete: 'C', orden: 2, objectKey: null, relecturas: 0 },
    ]);
  });

  it('puts halves in the place of a period', async () => {
    const claims = createClaims(t.db);
    const claimed = await claims.goOn(await newClaim(), {
      nuevas: { reemplaza: null, periodos: [{ inicio: '2025-01-01T00:00:00', fin: '2025-02-28T23:59:59' }] },
    });
    const after = await claims.goOn(claimed, { nuevas: { reemplaza: claimed.partes[0]?.id ?? null, periodos } });
    expect(after.partes.map((p) => p.periodo)).toEqual(periodos);
  });

  it('wakes again under a new generation, in the queue that is asked for', async () => {
    const claims = createClaims(t.db);
    await claims.release(await newClaim(), {}, { queue: 'ensambles', inSeconds: 120 });
    const rows = await t.sql`SELECT gen, cola, due_at > now() + interval '100 seconds' AS later FROM outbox
        WHERE solicitud_id = ${id}`;
    expect(rows).toEqual([{ gen: 2, cola: 'ensambles', later: true }]);
    expect(await row()).toMatchObject({ gen: 2, fase: 'ENSAMBLE', lease_until: null });
  });

  it('is no claim any more once it was given back, also for who did not hear that it was', async () => {
    const claimed = await newClaim();
    await createClaims(t.db).release(claimed, {}, { queue: 'ensambles', inSeconds: 120 });
    const after = await row();
    for (const write of writesOf(t.db, claimed)) await expect(write()).rejects.toBeInstanceOf(StaleEpoch);
    expect(await row()).toEqual(after);
  });
});

describe('what several write at once', () => {
  it('is kept, except stale writes and writes that the database refuses', async () => {
    const claims = createClaims(t.db);
    const others = [];
    for (let n = 0; n < 3; n += 1) others.push(await newSolicitud(t.db, await seedTaxpayer(t.db)));
    const [first, stale, broken, last] = await Promise.all([id, ...others].map((each) => claimOf(t.db, each, 1)));
    if (!first || !stale || !broken || !last) throw new Error('not claimed');
    const next = { queue: 'descargas', inSeconds: 60 } as const;
    const note = { eventos: [{ tipo: 'SAT_EN_PROCESO' }] } as const;
    const results = await Promise.allSettled([
      claims.release(first, note, next),
      claims.release({ ...stale, epoch: stale.epoch - 1 }, note, next),
      claims.release(broken, { eventos: [{ tipo: 'OTRA_COSA' as 'SIN_CFDI' }] }, next),
      claims.save(last, note),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: expect.any(StaleEpoch) });
    const { rows } = await t.db.pool.query(
      `SELECT id, gen, lease_until IS NULL AS free, (SELECT count(*)::int FROM evento e WHERE e.solicitud_id = s.id) AS notes
       FROM solicitud s WHERE id = ANY ($1::uuid[])`,
      [[first.id, stale.id, broken.id, last.id]],
    );
    const now = new Map(rows.map(({ id: of, ...rest }) => [of, rest]));
    expect([first, stale, broken, last].map((each) => now.get(each.id))).toEqual([
      { gen: 2, free: true, notes: 1 },
      { gen: 1, free: false, notes: 0 },
      { gen: 1, free: false, notes: 0 },
      { gen: 1, free: false, notes: 1 },
    ]);
  });
});

it('notes a text of the SAT that is cut in the middle of a character, or has half of one', async () => {
  const detalle = `${'a'.repeat(499)}\u{1f600}`;
  await createClaims(t.db).save(await newClaim(), { eventos: [{ tipo: 'REPETIDA', codigo: '5\ud800', detalle }] });
  const { rows } = await t.db.pool.query('SELECT codigo, detalle FROM evento WHERE solicitud_id = $1', [id]);
  expect(rows).toEqual([{ codigo: '5\ufffd', detalle: `${'a'.repeat(499)}\ufffd` }]);
});

describe('a change of channel', () => {
  const claims = () => createClaims(t.db);
  const selladas = async () => await t.sql`SELECT tipo FROM credencial_sellada WHERE solicitud_id = ${id}`;
  const held = async () => newClaim((await row()).gen);

  it('keeps the copy of the credential that it leaves for a way back, and forgets that of a refused one', async () => {
    await claims().save(await newClaim(), { nuevas: { reemplaza: null, periodos } });
    await t.sql`UPDATE solicitud SET lease_until = NULL WHERE id = ${id}`;
    const [nuevo] = periodos;
    const avance = { nuevas: { reemplaza: null, periodos: nuevo ? [nuevo] : [] } };
    await claims().changeChannel(await held(), avance, { mayReturn: true });
    const away = await held();
    expect(away).toMatchObject({ canal: 'soap', canalDejado: 'portal', sellada: null, otra: { tipo: 'ciec' } });
    expect(away.partes.map(({ periodo, canal }) => [periodo, canal])).toEqual([[nuevo, 'soap']]);

    await claims().changeChannel(away, avance, { mayReturn: false });
    expect(await held()).toMatchObject({ canal: 'portal', canalDejado: 'portal', sellada: { tipo: 'ciec' } });
    expect(await selladas()).toEqual([{ tipo: 'ciec' }]);
    expect(await saldo()).toBe(9);
  });

  it('hands a new e.firma to what left its channel without a refusal', async () => {
    const waiting = () => createBoveda(t.db).waitingForEfirma(taxpayer.contribuyenteId);
    expect(await waiting()).toEqual([]);
    await t.sql`UPDATE solicitud SET canal_dejado = 'soap' WHERE id = ${id}`;
    expect((await waiting()).map(({ solicitudId }) => solicitudId)).toEqual([id]);
  });
});

describe('ends', () => {
  it('refunds once, deletes the sealed credential and the wake-ups, whatever ends it first', async () => {
    const claims = createClaims(t.db);
    const claimed = await newClaim();
    await t.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`;
    const ends = await Promise.allSettled([
      claims.fail(claimed, { estado: 'ERROR', motivo: 'SAT_ERROR', codigo: '404' }),
      createSweeper(t.db).expire(100),
      createSweeper(t.db).expire(100),
      createLlaves(t.db).revoke({ apiKeyId: taxpayer.apiKeyId, actor: 'p', ip: null }),
    ]);
    expect(ends.some((end) => end.status === 'fulfilled')).toBe(true);
    expect(await saldo()).toBe(10);
    expect((await t.sql`SELECT FROM credencial_sellada WHERE solicitud_id = ${id}`).length).toBe(0);
    expect((await t.sql`SELECT FROM outbox WHERE solicitud_id = ${id}`).length).toBe(0);
    expect(await brokenInvariants(t.db)).toEqual([]);
  });

  it('keeps the charge of a finished one', async () => {
    const claims = createClaims(t.db);
    await claims.finish(await newClaim(), { ...PAQUETE, registros: 0 });
    expect(await saldo()).toBe(9);
    expect(await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id)).toMatchObject({
      estado: 'TERMINADA',
      progreso: 1,
      registros: 0,
      confianza: 'confirmado',
      objectKey: 'k',
    });
    expect(await brokenInvariants(t.db)).toEqual([]);
  });

  it('waits for the e.firma and goes on with a new copy', async () => {
    const claims = createClaims(t.db);
    await t.sql`UPDATE solicitud SET canal = 'soap' WHERE id = ${id}`;
    await expireSellada();
    await claims.awaitEfirma(await newClaim());
    expect(await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id)).toMatchObject({
      estado: 'ESPERA_EFIRMA',
      motivo: 'EFIRMA_EXPIRADA',
      proximaConsulta: null,
    });
    const boveda = createBoveda(t.db);
    expect((await boveda.waitingForEfirma(taxpayer.contribuyenteId)).map((w) => w.solicitudId)).toEqual([id]);
    const expiraEn = new Date(Date.now() + 3_600_000);
    expect(await boveda.resume({ solicitudId: id, kid: 'k2', sobre: Buffer.from('new'), expiraEn })).toBe(true);
    const claimed = await newClaim((await row()).gen);
    expect(claimed.sellada).toMatchObject({ tipo: 'efirma', kid: 'k2', sobre: Buffer.from('new') });
    expect(claimed.sellada?.expiraEn.getTime()).toBe(expiraEn.getTime());
    // A key stored again while it works is no news.
    expect(await boveda.resume({ solicitudId: id, kid: 'k3', sobre: Buffer.from('newer'), expiraEn })).toBe(true);
    const rows = await t.sql`SELECT tipo FROM evento WHERE solicitud_id = ${id} ORDER BY id`;
    expect(rows.map(({ tipo }) => tipo)).toEqual(['ESPERA_EFIRMA', 'REANUDADA']);
  });

  it('does not wait for an e.firma that was stored since the claim', async () => {
    const claims = createClaims(t.db);
    await t.sql`UPDATE solicitud SET canal = 'soap' WHERE id = ${id}`;
    await expireSellada();
    const claimed = await newClaim();
    expect(claimed.sellada).toBeNull();
    const expiraEn = new Date(Date.now() + 3_600_000);
    await createBoveda(t.db).resume({ solicitudId: id, kid: 'k2', sobre: Buffer.from('new'), expiraEn });
    await claims.awaitEfirma(claimed);
    expect(await row()).toMatchObject({ estado: 'EN_PROCESO', motivo: null, lease_until: null });
    expect((await newClaim((await row()).gen)).sellada).toMatchObject({ sobre: Buffer.from('new') });
  });

  it('hands the e.firma of a new API key to what an earlier one asked for', async () => {
    await t.sql`UPDATE solicitud SET canal = 'soap' WHERE id = ${id}`;
    const { contribuyenteId } = taxpayer;
    await createLlaves(t.db).activate({ contribuyenteId, llave: newLlave(), actor: 'prueba', ip: null });
    const waiting = await createBoveda(t.db).waitingForEfirma(contribuyenteId);
    expect(waiting.map(({ solicitudId }) => solicitudId)).toEqual([id]);
    expect(await createBoveda(t.db).waitingForEfirma((await seedTaxpayer(t.db)).contribuyenteId)).toEqual([]);
  });

  it('gives no sealed credential from the moment it expires', async () => {
    await expireSellada();
    expect((await newClaim()).sellada).toBeNull();
    await createBoveda(t.db).reap();
    expect((await t.sql`SELECT FROM credencial_sellada WHERE solicitud_id = ${id}`).length).toBe(0);
  });
});

describe('the reconciler', () => {
  const wakeOverdue = async (findLost = false) =>
    (await createSweeper(t.db).wakeOverdue({ limit: 100, findLost })).woken;

  it('lets go of a claim that lapsed: its solicitud is woken under the next generation', async () => {
    await t.sql`UPDATE outbox SET rung_at = now() WHERE solicitud_id = ${id}`;
    const claimed = await newClaim();
    expect(await wakeOverdue()).toBe(0);
    await t.sql`UPDATE solicitud SET lease_until = now() - interval '1 second' WHERE id = ${id}`;
    expect(await wakeOverdue()).toBe(1);
    expect(await row()).toMatchObject({ gen: 2, epoch: claimed.epoch, lease_until: null });
    const rows = await t.sql`SELECT gen, rung_at FROM outbox WHERE solicitud_id = ${id}`;
    expect(rows).toEqual([{ gen: 2, rung_at: null }]);
    expect(await wakeOverdue()).toBe(0);
    expect(await claim(1)).toBeNull();
    expect(await claim(2)).not.toBeNull();
  });

  it('says in the same look whether a solicitud is past its deadline, and a call without its answer', async () => {
    const [sweeper, saldos] = [createSweeper(t.db), createSaldos(t.db)];
    const look = async () => {
      const { isLate, isAbandoned } = await sweeper.wakeOverdue({ limit: 100, findLost: false });
      return [isLate, isAbandoned];
    };
    await Promise.all([sweeper.expire(1_000), saldos.refundAbandoned(1_000)]);
    expect(await look()).toEqual([false, false]);
    await t.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`;
    expect(await look()).toEqual([true, false]);
    expect(await sweeper.expire(1_000)).toEqual([id]);
    const { cuentaId, contribuyenteId } = await seedTaxpayer(t.db, { saldo: 1 });
    const cargo = { cuentaId, contribuyenteId, operacion: 'tax/facturas' };
    await saldos.charge({ ...cargo, opId: crypto.randomUUID(), plazoSegundos: -1 });
    expect(await look()).toEqual([false, true]);
    expect(await saldos.refundAbandoned(1_000)).toBe(1);
    expect(await look()).toEqual([false, false]);
  });

  it('gives a wake-up of its present generation to a solicitud that has none and no holder', async () => {
    expect(await wakeOverdue(true)).toBe(0);
    await t.sql`DELETE FROM outbox WHERE solicitud_id = ${id}`;
    expect([await wakeOverdue(), await wakeOverdue(true)]).toEqual([0, 1]);
    expect(await row()).toMatchObject({ gen: 1 });
    expect(await wakeOverdue(true)).toBe(0);
    expect(await claim(1)).not.toBeNull();
    await t.sql`DELETE FROM outbox WHERE solicitud_id = ${id}`;
    expect(await wakeOverdue(true)).toBe(0);
  });

  it('lets a solicitud of XML end without its e.firma when its metadata is whole and a tenth of its time is left', async () => {
    const contenidos = ['metadata', 'xml'] as const;
    const saved = await createClaims(t.db).goOn(await newClaim(), {
      nuevas: { reemplaza: null, periodos: periodos.slice(0, 1), contenidos },
    });
    await expireSellada();
    await createClaims(t.db).awaitEfirma(saved);
    await t.sql`UPDATE solicitud SET filtros = '{"contenido":"xml"}', creada_en = now() - interval '9 days',
      deadline_at = now() + interval '2 days' WHERE id = ${id}`;
    const metadata = saved.partes.find(({ contenido }) => contenido === 'metadata')?.id ?? '';
    const store = () => t.sql`UPDATE parte SET estado = 'DESCARGADA' WHERE id = ${metadata}`;
    const end = (left: string) => t.sql`UPDATE solicitud SET deadline_at = now() + ${left}::interval WHERE id = ${id}`;
    await store();
    expect([await wakeOverdue(), (await row()).estado]).toEqual([0, 'ESPERA_EFIRMA']);
    await end('23 hours');
    await t.sql`UPDATE parte SET estado = 'PENDIENTE' WHERE id = ${metadata}`;
    expect([await wakeOverdue(), (await row()).estado]).toEqual([0, 'ESPERA_EFIRMA']);
    await store();
    expect([await wakeOverdue(), (await row()).estado]).toEqual([1, 'EN_PROCESO']);
    expect(await claim((await row()).gen)).not.toBeNull();
  });

  it('retires packages after their retention and names their objects until they are deleted', async () => {
    const sweeper = createSweeper(t.db);
    await createClaims(t.db).finish(await newClaim(), PAQUETE);
    expect(await sweeper.retire({ retentionDays: 30, limit: 1_000 })).toBe(0);
    await t.sql`UPDATE solicitud SET terminada_en = now() - interval '31 days' WHERE id = ${id}`;
    expect(await sweeper.retire({ retentionDays: 30, limit: 1_000 })).toBe(1);
    expect(await sweeper.purgeable({ graceSeconds: 60, limit: 1_000 })).not.toContain(id);
    expect(await sweeper.purgeable({ graceSeconds: 0, limit: 1_000 })).toContain(id);
    await sweeper.purged(id);
    expect(await sweeper.purgeable({ graceSeconds: 0, limit: 1_000 })).not.toContain(id);
  });
});
