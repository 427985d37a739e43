import { randomUUID } from 'node:crypto';
import { brokenRules, createLibro, createPagos } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { expect, it } from 'vitest';
import { credit, saldoDe, seedCuenta, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
const autor = { actor: 'prueba', ip: null };

const rulesOf = async (ids: readonly string[]) =>
  (await brokenRules(t.db)).filter(({ id }) => ids.includes(id)).map(({ regla }) => regla);

it.each([
  ['a purchase without a payment', 'compra', 'inventada'],
  ['a purchase under the reference of another one', 'compra', null],
  ['a correction that no operator made', 'ajuste', null],
] as const)('finds %s, though balance and ledger agree', async (_name, tipo, pago) => {
  const { cuentaId } = await seedCuenta(t.db, { saldo: 10 });
  const op = randomUUID();
  await t.sql`SELECT libro_abona(${cuentaId}, ${op}, ${tipo}, 1000, ${pago ?? op}, 'x')`;
  expect(await saldoDe(t, { cuentaId })).toBe(1_010);
  expect(await rulesOf([cuentaId, op])).toEqual(['ingreso sin origen']);
});

it('finds a balance that is not the sum of its movements, and a credited payment without its movement', async () => {
  const { cuentaId } = await seedCuenta(t.db, { saldo: 10 });
  await t.sql`UPDATE cuenta SET saldo = saldo + 5 WHERE id = ${cuentaId}`;
  const id = uuidV7();
  await t.sql`INSERT INTO pago (id, cuenta_id, clave, referencia, proveedor, creditos, subtotal, iva, total, estado, resuelto_en)
    VALUES (${id}, ${cuentaId}, ${randomUUID()}, ${id}, 'x', 5, 0, 0, 0, 'ACREDITADO', now())`;
  expect(await rulesOf([cuentaId, id])).toEqual(['pago sin abono', 'saldo']);
});

it('is content with what the operator gave and corrected, with a payment, and with purchases older than the audit log', async () => {
  const { cuentaId } = await seedCuenta(t.db, { saldo: 10 });
  await credit(t.db, cuentaId, 5);
  await createLibro(t.db).adjust({ cuentaId, opId: randomUUID(), creditos: 3, motivo: 'x', ...autor });
  const pagos = createPagos(t.db);
  const [id, old] = [uuidV7(), randomUUID()];
  const pago = { id, cuentaId, usuarioId: null, clave: randomUUID(), referencia: id, proveedor: 'transferencia' };
  await pagos.create({ ...pago, creditos: 7, subtotal: 7, iva: 1, total: 8, ...autor }, 5);
  await pagos.confirmar({ id, ...autor });
  await t.sql`INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id, creado_en)
    VALUES ((SELECT id FROM cuenta WHERE id = ${(await seedCuenta(t.db, { saldo: 0 })).cuentaId}), ${old}, 'compra', 1, 'vieja', '2020-01-01')`;
  const movimientos = await t.sql<{ id: string }>`SELECT op_id AS id FROM movimiento WHERE cuenta_id = ${cuentaId}`;
  expect(await rulesOf([cuentaId, id, old, ...movimientos.map((each) => each.id)])).toEqual([]);
});
