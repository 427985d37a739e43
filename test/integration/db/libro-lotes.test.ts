import { randomUUID } from 'node:crypto';
import { createCobros, createLibro, createLlaves, createSaldos, createUso } from '@acuse/db';
import { expect, onTestFinished, test } from 'vitest';
import { acceptSolicitud, brokenInvariants, credit, seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

/** What each operation was used, by its name; of two days if midnight came in between. */
async function usoOf(cuentaId: string) {
  const uso = new Map<string, { operacion: string; llamadas: number; cargados: number; reembolsados: number }>();
  const dias = await createUso(t.db).byDay({ cuentaId, desde: '2020-01-01', hasta: '2100-01-01' });
  for (const { operacion, llamadas, cargados, reembolsados } of dias) {
    const before = uso.get(operacion) ?? { llamadas: 0, cargados: 0, reembolsados: 0 };
    uso.set(operacion, {
      operacion,
      llamadas: before.llamadas + llamadas,
      cargados: before.cargados + cargados,
      reembolsados: before.reembolsados + reembolsados,
    });
  }
  return [...uso.values()];
}

const ledger = async (cuentaId: string) =>
  (await createLibro(t.db).page({ cuentaId, filtro: {}, limite: 50 })).map(({ tipo, importe, saldo }) => [
    tipo,
    importe,
    saldo,
  ]);

test('one statement that writes movements of several accounts continues the chain of each and adds all of them to its days', async () => {
  const [ana, eva] = [await seedTaxpayer(t.db, { saldo: 10 }), await seedTaxpayer(t.db, { saldo: 20 })];
  const cuentas = [ana.cuentaId, eva.cuentaId, ana.cuentaId, ana.cuentaId];
  const operaciones = ['tax/facturas', 'tax/facturas', 'tax/facturas', 'tax/retenciones'];
  await t.sql`INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, operacion)
    SELECT c, gen_random_uuid(), 'cargo', -i, o
    FROM unnest(${cuentas}::uuid[], ${[1, 5, 2, 3]}::int[], ${operaciones}::text[]) AS n (c, i, o)`;
  expect(await ledger(ana.cuentaId)).toEqual([
    ['cargo', -3, 4],
    ['cargo', -2, 7],
    ['cargo', -1, 9],
    ['compra', 10, 10],
  ]);
  expect(await ledger(eva.cuentaId)).toEqual([
    ['cargo', -5, 15],
    ['compra', 20, 20],
  ]);
  expect(await usoOf(ana.cuentaId)).toMatchObject([
    { operacion: 'tax/facturas', llamadas: 2, cargados: 3 },
    { operacion: 'tax/retenciones', llamadas: 1, cargados: 3 },
  ]);
  expect(await usoOf(eva.cuentaId)).toMatchObject([{ operacion: 'tax/facturas', llamadas: 1, cargados: 5 }]);
});

test('a key that is revoked gives back all of its open solicitudes at once, each in the ledger and in the day', async () => {
  const ana = await seedTaxpayer(t.db, { saldo: 5 });
  for (const desde of ['2025-01-01', '2025-01-02', '2025-01-03']) await acceptSolicitud(t.db, ana, { desde });
  expect(await createLlaves(t.db).revoke({ apiKeyId: ana.apiKeyId, actor: 'prueba', ip: null })).toBe(3);
  expect((await ledger(ana.cuentaId)).map(([, , saldo]) => saldo)).toEqual([5, 4, 3, 2, 3, 4, 5]);
  expect(await usoOf(ana.cuentaId)).toMatchObject([{ llamadas: 3, cargados: 3, reembolsados: 3 }]);
  expect(await brokenInvariants(t.db)).not.toContainEqual(expect.objectContaining({ id: ana.cuentaId }));
});

test('a payment is in the ledger once, and any number of movements name none', async () => {
  const { cuentaId } = await seedTaxpayer(t.db, { saldo: 5 });
  const buy = (pagoId: string | null) =>
    t.sql`INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id)
      VALUES (${cuentaId}, ${randomUUID()}, 'compra', 1, ${pagoId})`;
  const pagoId = randomUUID();
  await buy(null);
  await buy(null);
  await buy(pagoId);
  await expect(buy(pagoId)).rejects.toMatchObject({ code: '23505' });
});

test('the cost of one operation counts since the mark, whatever else moved the balance meanwhile', async () => {
  const { cuentaId, contribuyenteId } = await seedTaxpayer(t.db, { saldo: 0 });
  const saldos = createSaldos(t.db);
  const cobros = createCobros(t.db);
  onTestFinished(async () => void (await t.sql`UPDATE operacion SET costo = 1 WHERE costo > 0`));
  await t.sql`UPDATE operacion SET costo = CASE path WHEN 'tax/facturas' THEN 2 ELSE 3 END WHERE costo > 0`;
  const charge = async (operacion: string) => {
    const opId = randomUUID();
    await saldos.charge({ opId, cuentaId, contribuyenteId, operacion, plazoSegundos: 60 });
    return opId;
  };
  const empty = await cobros.mark(cuentaId);
  expect(empty).toEqual({ saldo: 0, ultimo: null });
  await credit(t.db, cuentaId, 20);
  await charge('tax/facturas');
  expect(empty && (await cobros.since(cuentaId, 'tax/facturas', empty))).toEqual({ cobrado: 2, saldo: 18 });

  const marca = await cobros.mark(cuentaId);
  if (!marca) throw new Error('no mark');
  const since = (operacion: string) => cobros.since(cuentaId, operacion, marca);
  expect(await since('tax/facturas')).toEqual({ cobrado: 0, saldo: 18 });
  await credit(t.db, cuentaId, 5);
  await charge('tax/retenciones');
  const failed = await charge('tax/facturas');
  expect(await since('tax/facturas')).toEqual({ cobrado: 2, saldo: 18 });
  await saldos.refund(failed, 'prueba');
  expect(await since('tax/facturas')).toEqual({ cobrado: 0, saldo: 20 });
  expect(await since('tax/retenciones')).toEqual({ cobrado: 3, saldo: 20 });
  expect(await cobros.mark(randomUUID())).toBeNull();
});
