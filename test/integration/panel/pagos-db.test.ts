import { randomUUID } from 'node:crypto';
import { createPagos, type NuevoPago, type Pago } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { beforeAll, expect, test } from 'vitest';
import { brokenInvariants, saldoDe, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { newPago, nuevoPago } from './fixtures/pagos.ts';

const database = useDatabase();
let pagos: ReturnType<typeof createPagos>;
beforeAll(async () => {
  pagos = createPagos(database.db);
});

const account = async (saldo = 0) => (await seedTaxpayer(database.db, { saldo })).cuentaId;
const make = (cuentaId: string, change: Partial<NuevoPago> = {}) => newPago(database.db, cuentaId, change);
const comprasOf = async ({ id }: Pago): Promise<number> =>
  Number((await database.sql`SELECT count(*) FROM movimiento WHERE pago_id = ${id}`)[0]?.['count']);
const auditOf = async ({ id }: Pago): Promise<string[]> =>
  (await database.sql`SELECT accion FROM auditoria WHERE detalle->>'pago' = ${id} ORDER BY id`).map(
    ({ accion }) => accion,
  );

test('a form sent again does not wait for whoever is crediting its payment, who would wait for it', async () => {
  const cuentaId = await account();
  const form = nuevoPago(cuentaId);
  const made = await make(cuentaId, form);
  const client = await database.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`UPDATE pago SET proveedor_ref = 'c_1' WHERE id = $1`, [made.id]);
    expect(await make(cuentaId, { ...form, id: uuidV7(), referencia: randomUUID() })).toEqual(made);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

test('an account has at most so many payments waiting; one that is over makes room', async () => {
  const cuentaId = await account();
  const first = await pagos.create(nuevoPago(cuentaId), 2);
  await pagos.create(nuevoPago(cuentaId), 2);
  const clave = randomUUID();
  expect(await pagos.create(nuevoPago(cuentaId, { clave }), 2)).toBeNull();
  expect(await pagos.create(nuevoPago(await account()), 2)).not.toBeNull();
  await pagos.cancel({ cuentaId, id: first?.id ?? '', actor: 'usuario:a', ip: null });
  expect(await pagos.create(nuevoPago(cuentaId, { clave }), 2)).toMatchObject({ estado: 'PENDIENTE' });
});

test('the same form key of another account is another payment', async () => {
  const clave = randomUUID();
  const one = await make(await account(), { clave });
  const other = await make(await account(), { clave });
  expect(other.id).not.toBe(one.id);
});

test('confirmed from many places at once, a payment is credited once', async () => {
  const cuentaId = await account(7);
  const pago = await make(cuentaId);
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, n) => pagos.confirmar({ id: pago.id, actor: `operador:${n}`, ip: null })),
  );
  expect(results.filter(({ resultado }) => resultado === 'HECHO')).toHaveLength(1);
  expect(results.filter(({ resultado }) => resultado === 'REPETIDO')).toHaveLength(11);
  expect(await saldoDe(database, { cuentaId })).toBe(107);
  expect(await comprasOf(pago)).toBe(1);
  expect(await auditOf(pago)).toEqual(['crear-pago', 'acreditar-pago']);
  expect(await brokenInvariants(database.db)).toEqual([]);
});

test('confirmed and refused at once, one of both happens', async () => {
  for (let round = 0; round < 12; round += 1) {
    const cuentaId = await account();
    const pago = await make(cuentaId);
    const [confirmed, refused, cancelled] = await Promise.all([
      pagos.confirmar({ id: pago.id, actor: 'operador:a', ip: null }),
      pagos.refuse({ id: pago.id, actor: 'operador:b', ip: null, motivo: 'no llegó' }),
      pagos.cancel({ cuentaId, id: pago.id, actor: 'usuario:c', ip: null }),
    ]);
    const done = [confirmed, refused, cancelled].filter(({ resultado }) => resultado === 'HECHO');
    expect(done).toHaveLength(1);
    const isCredited = confirmed.resultado === 'HECHO';
    expect(await saldoDe(database, { cuentaId })).toBe(isCredited ? 100 : 0);
    expect(await comprasOf(pago)).toBe(isCredited ? 1 : 0);
  }
});

test.each(['rechazar', 'cancelar'] as const)('after %s, a confirmation credits nothing', async (how) => {
  const cuentaId = await account();
  const pago = await make(cuentaId);
  await (how === 'rechazar'
    ? pagos.refuse({ id: pago.id, actor: 'operador:a', ip: null, motivo: 'no llegó' })
    : pagos.cancel({ cuentaId, id: pago.id, actor: 'usuario:a', ip: null }));
  expect(await pagos.confirmar({ id: pago.id, actor: 'operador:a', ip: null })).toMatchObject({
    resultado: 'NO_PENDIENTE',
    pago: { estado: how === 'rechazar' ? 'RECHAZADO' : 'CANCELADO' },
    saldo: 0,
  });
  expect(await comprasOf(pago)).toBe(0);
});

test('a credited payment can be neither refused nor cancelled, and its row is fixed', async () => {
  const cuentaId = await account();
  const pago = await make(cuentaId);
  await pagos.confirmar({ id: pago.id, actor: 'operador:a', ip: null });
  expect(await pagos.refuse({ id: pago.id, actor: 'operador:a', ip: null, motivo: 'tarde' })).toMatchObject({
    resultado: 'NO_PENDIENTE',
  });
  expect(await pagos.cancel({ cuentaId, id: pago.id, actor: 'usuario:a', ip: null })).toMatchObject({
    resultado: 'NO_PENDIENTE',
    saldo: 100,
  });
  await expect(
    database.db.pool.query(`UPDATE pago SET estado = 'PENDIENTE', resuelto_en = NULL WHERE id = $1`, [pago.id]),
  ).rejects.toThrow(/is over/);
});

test('two payments cannot be credited for one payment of the provider', async () => {
  const cuentaId = await account();
  const [one, other] = [await make(cuentaId), await make(cuentaId)];
  const proveedorRef = randomUUID();
  expect(await pagos.confirmar({ id: one.id, actor: 'proveedor:x', ip: null, proveedorRef })).toMatchObject({
    resultado: 'HECHO',
  });
  expect(await pagos.confirmar({ id: other.id, actor: 'proveedor:x', ip: null, proveedorRef })).toEqual({
    resultado: 'REFERENCIA_USADA',
  });
  expect(await pagos.setProveedorRef(other.id, proveedorRef)).toBe(false);
  expect(await saldoDe(database, { cuentaId })).toBe(100);
});

test('an order for a payment that does not exist says so', async () => {
  const order = { id: uuidV7(), actor: 'operador:a', ip: null };
  expect(await pagos.confirmar(order)).toEqual({ resultado: 'DESCONOCIDO' });
  expect(await pagos.refuse({ ...order, motivo: 'x' })).toEqual({ resultado: 'DESCONOCIDO' });
});

test('lists pages of an account newest first, and of the operator oldest first', async () => {
  const cuentaId = await account();
  const made: Pago[] = [];
  for (let n = 0; n < 5; n += 1) made.push(await make(cuentaId));
  const ids = made.map(({ id }) => id);
  const first = await pagos.list({ cuentaId, limite: 3 });
  expect(first.map(({ id }) => id)).toEqual(ids.slice(2).reverse());
  const antes = first.at(-1)?.id ?? '';
  expect((await pagos.list({ cuentaId, antes, limite: 3 })).map(({ id }) => id)).toEqual(ids.slice(0, 2).reverse());
  const all = await pagos.listEstado({ estado: 'PENDIENTE', limite: 1_000 });
  expect(all.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids);
  expect(all.find(({ id }) => id === ids[0])).toMatchObject({ cuenta: 'Prueba', email: expect.stringContaining('@') });
  const rest = await pagos.listEstado({ estado: 'PENDIENTE', despues: ids[3] ?? '', limite: 1_000 });
  expect(rest.map(({ id }) => id)).toContain(ids[4]);
  expect(rest.map(({ id }) => id)).not.toContain(ids[3]);
});
