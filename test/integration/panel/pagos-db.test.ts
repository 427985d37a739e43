import { randomUUID } from 'node:crypto';
import { createPagos, type NuevoPago, type Pago } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenInvariants, seedTaxpayer, type TestDatabase, testDatabase } from '../fixtures/database.ts';

let database: TestDatabase;
let pagos: ReturnType<typeof createPagos>;
beforeAll(async () => {
  database = await testDatabase();
  pagos = createPagos(database.db);
});
afterAll(() => database.close());

const account = async (saldo = 0) => (await seedTaxpayer(database.db, { saldo })).cuentaId;
const nuevo = (cuentaId: string, input: Partial<NuevoPago> = {}): NuevoPago => ({
  id: uuidV7(),
  cuentaId,
  usuarioId: null,
  clave: randomUUID(),
  referencia: randomUUID(),
  proveedor: 'transferencia',
  creditos: 100,
  subtotal: 9_900,
  iva: 1_584,
  total: 11_484,
  actor: 'prueba',
  ip: null,
  ...input,
});
async function make(input: NuevoPago): Promise<Pago> {
  const pago = await pagos.create(input, 10);
  if (!pago) throw new Error('no payment');
  return pago;
}
const saldoOf = async (cuentaId: string): Promise<number> =>
  (await database.db.pool.query('SELECT saldo FROM cuenta WHERE id = $1', [cuentaId])).rows[0].saldo;
const comprasOf = async ({ id }: Pago): Promise<number> =>
  Number((await database.db.pool.query(`SELECT count(*) FROM movimiento WHERE pago_id = $1`, [id])).rows[0].count);
const auditOf = async ({ id }: Pago): Promise<string[]> =>
  (await database.db.pool.query(`SELECT accion FROM auditoria WHERE detalle->>'pago' = $1 ORDER BY id`, [id])).rows.map(
    ({ accion }) => accion,
  );

test('a form sent many times at once makes one payment', async () => {
  const cuentaId = await account();
  const clave = randomUUID();
  const made = await Promise.all(
    Array.from({ length: 12 }, () => make(nuevo(cuentaId, { clave, referencia: randomUUID() }))),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  const [first] = made;
  if (!first) throw new Error('no payment');
  expect(await auditOf(first)).toEqual(['crear-pago']);
  expect(await pagos.list({ cuentaId, limite: 10 })).toEqual([first]);
});

test('a form sent again does not wait for whoever is crediting its payment, who would wait for it', async () => {
  const cuentaId = await account();
  const form = nuevo(cuentaId);
  const made = await make(form);
  const client = await database.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`UPDATE pago SET proveedor_ref = 'c_1' WHERE id = $1`, [made.id]);
    expect(await make({ ...form, id: uuidV7(), referencia: randomUUID() })).toEqual(made);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

test('an account has at most so many payments waiting; one that is over makes room', async () => {
  const cuentaId = await account();
  const first = await pagos.create(nuevo(cuentaId), 2);
  await pagos.create(nuevo(cuentaId), 2);
  const clave = randomUUID();
  expect(await pagos.create(nuevo(cuentaId, { clave }), 2)).toBeNull();
  expect(await pagos.create(nuevo(await account()), 2)).not.toBeNull();
  await pagos.cancelar({ cuentaId, id: first?.id ?? '', actor: 'usuario:a', ip: null });
  expect(await pagos.create(nuevo(cuentaId, { clave }), 2)).toMatchObject({ estado: 'PENDIENTE' });
});

test('the same form key of another account is another payment', async () => {
  const clave = randomUUID();
  const one = await make(nuevo(await account(), { clave }));
  const other = await make(nuevo(await account(), { clave }));
  expect(other.id).not.toBe(one.id);
});

test('confirmed from many places at once, a payment is credited once', async () => {
  const cuentaId = await account(7);
  const pago = await make(nuevo(cuentaId));
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, n) => pagos.confirmar({ id: pago.id, actor: `operador:${n}`, ip: null })),
  );
  expect(results.filter(({ resultado }) => resultado === 'HECHO')).toHaveLength(1);
  expect(results.filter(({ resultado }) => resultado === 'REPETIDO')).toHaveLength(11);
  expect(await saldoOf(cuentaId)).toBe(107);
  expect(await comprasOf(pago)).toBe(1);
  expect(await auditOf(pago)).toEqual(['crear-pago', 'acreditar-pago']);
  expect(await brokenInvariants(database.db)).toEqual([]);
});

test('confirmed and refused at once, one of both happens', async () => {
  for (let round = 0; round < 12; round += 1) {
    const cuentaId = await account();
    const pago = await make(nuevo(cuentaId));
    const [confirmed, refused, cancelled] = await Promise.all([
      pagos.confirmar({ id: pago.id, actor: 'operador:a', ip: null }),
      pagos.rechazar({ id: pago.id, actor: 'operador:b', ip: null, motivo: 'no llegó' }),
      pagos.cancelar({ cuentaId, id: pago.id, actor: 'usuario:c', ip: null }),
    ]);
    const done = [confirmed, refused, cancelled].filter(({ resultado }) => resultado === 'HECHO');
    expect(done).toHaveLength(1);
    const isCredited = confirmed.resultado === 'HECHO';
    expect(await saldoOf(cuentaId)).toBe(isCredited ? 100 : 0);
    expect(await comprasOf(pago)).toBe(isCredited ? 1 : 0);
  }
});

test.each(['rechazar', 'cancelar'] as const)('after %s, a confirmation credits nothing', async (how) => {
  const cuentaId = await account();
  const pago = await make(nuevo(cuentaId));
  await (how === 'rechazar'
    ? pagos.rechazar({ id: pago.id, actor: 'operador:a', ip: null, motivo: 'no llegó' })
    : pagos.cancelar({ cuentaId, id: pago.id, actor: 'usuario:a', ip: null }));
  expect(await pagos.confirmar({ id: pago.id, actor: 'operador:a', ip: null })).toMatchObject({
    resultado: 'NO_PENDIENTE',
    pago: { estado: how === 'rechazar' ? 'RECHAZADO' : 'CANCELADO' },
    saldo: 0,
  });
  expect(await comprasOf(pago)).toBe(0);
});

test('a credited payment can be neither refused nor cancelled, and its row is fixed', async () => {
  const cuentaId = await account();
  const pago = await make(nuevo(cuentaId));
  await pagos.confirmar({ id: pago.id, actor: 'operador:a', ip: null });
  expect(await pagos.rechazar({ id: pago.id, actor: 'operador:a', ip: null, motivo: 'tarde' })).toMatchObject({
    resultado: 'NO_PENDIENTE',
  });
  expect(await pagos.cancelar({ cuentaId, id: pago.id, actor: 'usuario:a', ip: null })).toMatchObject({
    resultado: 'NO_PENDIENTE',
    saldo: 100,
  });
  await expect(
    database.db.pool.query(`UPDATE pago SET estado = 'PENDIENTE', resuelto_en = NULL WHERE id = $1`, [pago.id]),
  ).rejects.toThrow(/is over/);
});

test('two payments cannot be credited for one payment of the provider', async () => {
  const cuentaId = await account();
  const [one, other] = [await make(nuevo(cuentaId)), await make(nuevo(cuentaId))];
  const proveedorRef = randomUUID();
  expect(await pagos.confirmar({ id: one.id, actor: 'proveedor:x', ip: null, proveedorRef })).toMatchObject({
    resultado: 'HECHO',
  });
  expect(await pagos.confirmar({ id: other.id, actor: 'proveedor:x', ip: null, proveedorRef })).toEqual({
    resultado: 'REFERENCIA_USADA',
  });
  expect(await pagos.setProveedorRef(other.id, proveedorRef)).toBe(false);
  expect(await saldoOf(cuentaId)).toBe(100);
});

test("another account's payment is not there, and cannot be cancelled", async () => {
  const pago = await make(nuevo(await account()));
  const stranger = await account();
  expect(await pagos.find(stranger, pago.id)).toBeNull();
  await pagos.cancelar({ cuentaId: stranger, id: pago.id, actor: 'usuario:x', ip: null });
  expect(await pagos.findAny(pago.id)).toMatchObject({ estado: 'PENDIENTE' });
});

test('an order for a payment that does not exist says so', async () => {
  const id = uuidV7();
  expect(await pagos.confirmar({ id, actor: 'operador:a', ip: null })).toEqual({ resultado: 'DESCONOCIDO' });
  expect(await pagos.rechazar({ id, actor: 'operador:a', ip: null, motivo: 'x' })).toEqual({
    resultado: 'DESCONOCIDO',
  });
});

test('lists pages of an account newest first, and of the operator oldest first', async () => {
  const cuentaId = await account();
  const made: Pago[] = [];
  for (let n = 0; n < 5; n += 1) made.push(await make(nuevo(cuentaId)));
  const ids = made.map(({ id }) => id);
  const first = await pagos.list({ cuentaId, limite: 3 });
  expect(first.map(({ id }) => id)).toEqual(ids.slice(2).reverse());
  const antes = first.at(-1)?.id ?? '';
  expect((await pagos.list({ cuentaId, antes, limite: 3 })).map(({ id }) => id)).toEqual(ids.slice(0, 2).reverse());
  const all = await pagos.listEstado({ estado: 'PENDIENTE', limite: 1_000 });
  expect(all.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids);
  expect(all.find(({ id }) => id === ids[0])).toMatchObject({
    cuenta: 'Prueba',
    email: expect.stringContaining('@'),
  });
  const rest = await pagos.listEstado({ estado: 'PENDIENTE', despues: ids[3] ?? '', limite: 1_000 });
  expect(rest.map(({ id }) => id)).toContain(ids[4]);
  expect(rest.map(({ id }) => id)).not.toContain(ids[3]);
});
