import { randomUUID } from 'node:crypto';
import { createConsultasEnCurso, createDocumentos, createIdempotencia, createSaldos } from '@acuse/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { brokenInvariants, saldoDe, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
let taxpayer: Taxpayer;

beforeEach(async () => {
  await t.sql`DELETE FROM llamada`;
  taxpayer = await seedTaxpayer(t.db);
});

const saldos = () => createSaldos(t.db);
const charge = (opId: string, plazoSegundos: number) =>
  saldos().charge({
    opId,
    cuentaId: taxpayer.cuentaId,
    contribuyenteId: taxpayer.contribuyenteId,
    operacion: 'tax/facturas',
    plazoSegundos,
  });

const saldo = () => saldoDe(t, taxpayer);
const open = async () => (await t.sql`SELECT op_id FROM llamada`).length;

describe('a charged call', () => {
  it('keeps its charge once it is settled', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, -1);
    expect(await saldos().settle(opId, null)).toBe(true);
    expect(await saldos().refundAbandoned(100)).toBe(0);
    expect([await saldo(), await open()]).toEqual([before - 1, 0]);
  });

  it('gets its charge back when its time ends unsettled, once, by any sweeper', async () => {
    const before = await saldo();
    for (let i = 0; i < 5; i += 1) await charge(randomUUID(), -1);
    await charge(randomUUID(), 60);
    const swept = await Promise.all([1, 2, 3].map(() => saldos().refundAbandoned(100)));
    expect(swept.reduce((sum, n) => sum + n, 0)).toBe(5);
    expect([await saldo(), await open()]).toEqual([before - 1, 1]);
    expect((await brokenInvariants(t.db)).filter(({ id }) => id === taxpayer.cuentaId)).toEqual([]);
  });

  it('is settled once: neither an error nor a sweep gives it back afterwards, and a second settling says the same', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, -1);
    expect([await saldos().settle(opId, null), await saldos().settle(opId, null)]).toEqual([true, true]);
    expect([await saldos().refund(opId, 'prueba'), await saldos().refundAbandoned(100)]).toEqual([false, 0]);
    expect([await saldo(), await open()]).toEqual([before - 1, 0]);
  });

  it('is refunded by the process that settled it without an answer, once', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, 60);
    await saldos().settle(opId, null);
    expect([await saldos().undo(opId, 'prueba'), await saldos().undo(opId, 'prueba')]).toEqual([true, false]);
    expect([await saldo(), await open(), await saldos().settle(opId, null)]).toEqual([before, 0, false]);
  });

  it('is settled and refunded in one, with its answer kept, and repeats it for the same call only', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    const idempotencia = createIdempotencia(t.db);
    const clave = { apiKeyId: taxpayer.apiKeyId, operacion: 'tax/facturas', clave: randomUUID() };
    const inicio = { ...clave, cuerpoHash: Buffer.alloc(32), opId, bloqueoSegundos: 60 };
    await idempotencia.begin(inicio);
    await charge(opId, 60);
    const respuesta = { ...clave, status: 200, sobre: Buffer.from('vacía') };
    const settle = (devuelve?: string) => saldos().settle(opId, respuesta, devuelve);
    expect([await settle('prueba'), await settle('prueba')]).toEqual([true, true]);
    expect([await settle(), await settle('otra')]).toEqual([false, false]);
    expect([await saldos().undo(opId, 'prueba'), await saldo(), await open()]).toEqual([false, before, 0]);
    expect(await idempotencia.begin({ ...inicio, opId: randomUUID() })).toEqual({
      resultado: 'CONTESTADA',
      status: 200,
      sobre: respuesta.sobre,
    });
    expect((await brokenInvariants(t.db)).filter(({ id }) => id === taxpayer.cuentaId)).toEqual([]);
  });

  it('is not settled and given back when a sweep gave it back before', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, -1);
    expect(await saldos().refundAbandoned(100)).toBe(1);
    expect([await saldos().settle(opId, null, 'prueba'), await saldo()]).toEqual([false, before]);
  });

  it('settled and swept in the same moment: one of the two, and the settling knows which', async () => {
    taxpayer = await seedTaxpayer(t.db, { saldo: 20 });
    const before = await saldo();
    let settled = 0;
    for (let i = 0; i < 20; i += 1) {
      const opId = randomUUID();
      expect((await charge(opId, -1)).resultado).toBe('CARGADO');
      const [isSettled, swept] = await Promise.all([saldos().settle(opId, null), saldos().refundAbandoned(100)]);
      expect(swept).toBe(isSettled ? 0 : 1);
      settled += isSettled ? 1 : 0;
    }
    expect([await saldo(), await open()]).toEqual([before - settled, 0]);
    expect((await brokenInvariants(t.db)).filter(({ id }) => id === taxpayer.cuentaId)).toEqual([]);
  });

  it('is not settled by one that waited for the sweep which gave it back', async () => {
    const opId = randomUUID();
    await charge(opId, 60);
    const client = await t.db.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('DELETE FROM llamada WHERE op_id = $1', [opId]);
      const settling = saldos().settle(opId, null);
      await waitForLocks(t.db.pool, 1);
      await client.query(`INSERT INTO movimiento (cuenta_id, op_id, tipo, importe) VALUES ($1, $2, 'reembolso', 1)`, [
        taxpayer.cuentaId,
        opId,
      ]);
      await client.query('UPDATE cuenta SET saldo = saldo + 1 WHERE id = $1', [taxpayer.cuentaId]);
      await client.query('COMMIT');
      expect(await settling).toBe(false);
    } finally {
      client.release();
    }
  });

  it('is no longer open once it was refunded, and is not refunded by the sweep again', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, -1);
    expect(await saldos().refund(opId, 'prueba')).toBe(true);
    expect(await saldos().refundAbandoned(100)).toBe(0);
    expect([await saldo(), await open()]).toEqual([before, 0]);
  });

  it('is open again, for longer, when a repetition takes over what a dead process charged', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, -1);
    expect((await charge(opId, 60)).resultado).toBe('REPETIDO');
    expect(await saldos().refundAbandoned(100)).toBe(0);
    expect(await saldos().settle(opId, null)).toBe(true);
    expect([await saldo(), await open()]).toEqual([before - 1, 0]);
  });

  it('cannot be taken up when it was given back, also in that very moment', async () => {
    const [before, opId] = [await saldo(), randomUUID()];
    await charge(opId, -1);
    expect(await saldos().refundAbandoned(100)).toBe(1);
    expect(await charge(opId, 60)).toEqual({ resultado: 'DEVUELTO', saldo: before });
    expect([await saldo(), await open()]).toEqual([before, 0]);

    for (let i = 0; i < 20; i += 1) {
      const other = randomUUID();
      await charge(other, -1);
      const [again, swept] = await Promise.all([charge(other, 60), saldos().refundAbandoned(100)]);
      expect([again.resultado, swept]).toEqual(again.resultado === 'DEVUELTO' ? ['DEVUELTO', 1] : ['REPETIDO', 0]);
      expect([await saldo(), await open()]).toEqual(swept === 1 ? [before, 0] : [before - 1, 1]);
      await saldos().refund(other, 'prueba');
    }
    expect((await brokenInvariants(t.db)).filter(({ id }) => id === taxpayer.cuentaId)).toEqual([]);
  });

  it('opens nothing when the balance is too low', async () => {
    await t.sql`UPDATE cuenta SET saldo = 0 WHERE id = ${taxpayer.cuentaId}`;
    expect((await charge(randomUUID(), 60)).resultado).toBe('INSUFICIENTE');
    expect(await open()).toBe(0);
  });
});

describe('what a query leaves behind', () => {
  const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-12-31T23:59:59' };

  it('is kept once: the first of two that ask at the same time', async () => {
    const port = createConsultasEnCurso(t.db);
    const { contribuyenteId } = taxpayer;
    const kept = await Promise.all(
      ['a', 'b', 'c'].map((folio) => port.keep(contribuyenteId, 'retenciones:2025:recibidos', { folio, periodo })),
    );
    expect(new Set(kept.map(({ folio }) => folio)).size).toBe(1);
    const found = await port.find(contribuyenteId, 'retenciones:2025:recibidos');
    expect(found).toEqual(kept[0]);
    await port.drop(contribuyenteId, 'retenciones:2025:recibidos', 'another');
    expect(await port.find(contribuyenteId, 'retenciones:2025:recibidos')).toEqual(found);
    await port.drop(contribuyenteId, 'retenciones:2025:recibidos', found?.folio ?? '');
    expect(await port.find(contribuyenteId, 'retenciones:2025:recibidos')).toBeNull();
  });
});

describe('documents', () => {
  it('are listed when their retention is over, until they are marked as deleted', async () => {
    const documentos = createDocumentos(t.db);
    const id = randomUUID();
    const { contribuyenteId } = taxpayer;
    const objectKey = `documentos/${id}.pdf`;
    await documentos.note({ id, contribuyenteId, tipo: 'opinion', objectKey, bytes: 3, sha256: 'aa' });
    expect(await documentos.old({ retentionDays: 30, limit: 10 })).toEqual([]);
    await t.sql`UPDATE documento SET creado_en = now() - interval '31 days' WHERE id = ${id}`;
    expect(await documentos.old({ retentionDays: 30, limit: 10 })).toEqual([{ id, objectKey }]);
    await documentos.deleted(id);
    expect(await documentos.old({ retentionDays: 30, limit: 10 })).toEqual([]);
  });
});

it('charges a repetition again after the sweep refunded the first one, once', async () => {
  const before = await saldo();
  const idempotencia = createIdempotencia(t.db);
  const inicio = {
    apiKeyId: taxpayer.apiKeyId,
    operacion: 'tax/facturas',
    clave: randomUUID(),
    cuerpoHash: Buffer.alloc(32),
    opId: randomUUID(),
    bloqueoSegundos: -1,
  };
  await idempotencia.begin(inicio);
  await charge(inicio.opId, -1);
  await saldos().refundAbandoned(10);
  expect(await saldo()).toBe(before);
  const opId = randomUUID();
  expect(await idempotencia.begin({ ...inicio, opId })).toEqual({ resultado: 'ADELANTE', opId });
  expect((await charge(opId, -1)).resultado).toBe('CARGADO');
  expect(await idempotencia.begin({ ...inicio, opId: randomUUID() })).toEqual({ resultado: 'ADELANTE', opId });
  expect((await charge(opId, 60)).resultado).toBe('REPETIDO');
  expect(await saldos().settle(opId, null)).toBe(true);
  expect([await saldo(), await open()]).toEqual([before - 1, 0]);
});

it('is not given back by a sweep that had seen it before a repetition took it up', async () => {
  const [before, opId] = [await saldo(), randomUUID()];
  await charge(opId, -1);
  const client = await t.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`UPDATE llamada SET vence_en = now() + interval '1 hour' WHERE op_id = $1`, [opId]);
    const swept = saldos().refundAbandoned(10);
    await waitForLocks(t.db.pool, 1);
    await client.query('COMMIT');
    expect(await swept).toBe(0);
  } finally {
    client.release();
  }
  expect([await saldo(), await open()]).toEqual([before - 1, 1]);
  expect(await saldos().settle(opId, null)).toBe(true);
});

it('goes on with an unsettled repetition at once, however soon after its end it comes', async () => {
  const idempotencia = createIdempotencia(t.db);
  const inicio = {
    apiKeyId: taxpayer.apiKeyId,
    operacion: 'tax/facturas',
    clave: randomUUID(),
    cuerpoHash: Buffer.alloc(32),
    opId: randomUUID(),
    bloqueoSegundos: 60,
  };
  await idempotencia.begin(inicio);
  for (let times = 0; times < 50; times += 1) {
    await idempotencia.reopen(inicio);
    expect(await idempotencia.begin({ ...inicio, opId: randomUUID() })).toMatchObject({ resultado: 'ADELANTE' });
  }
});
