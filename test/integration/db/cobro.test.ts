import { randomUUID } from 'node:crypto';
import { createCobros, createLibro, createSaldos } from '@acuse/db';
import { expect, it } from 'vitest';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

it('counts what one operation cost since the mark, whatever else moved the balance meanwhile', async () => {
  const { cuentaId, contribuyenteId } = await seedTaxpayer(t.db, { saldo: 0 });
  const saldos = createSaldos(t.db);
  const cobros = createCobros(t.db);
  const charge = async (operacion: string, importe: number) => {
    const opId = randomUUID();
    await saldos.charge({ opId, cuentaId, contribuyenteId, operacion, importe, plazoSegundos: 60 });
    return opId;
  };
  const buy = (creditos: number) =>
    createLibro(t.db).credit({
      cuentaId,
      creditos,
      referencia: randomUUID(),
      detalle: 'prueba',
      actor: 'prueba',
      ip: null,
    });
  const empty = await cobros.mark(cuentaId);
  expect(empty).toEqual({ saldo: 0, ultimo: null });
  await buy(20);
  await charge('tax/facturas', 2);
  expect(empty && (await cobros.since(cuentaId, 'tax/facturas', empty))).toEqual({ cobrado: 2, saldo: 18 });

  const marca = await cobros.mark(cuentaId);
  if (!marca) throw new Error('no mark');
  const since = (operacion: string) => cobros.since(cuentaId, operacion, marca);
  expect(await since('tax/facturas')).toEqual({ cobrado: 0, saldo: 18 });
  await buy(5);
  await charge('tax/retenciones', 3);
  const failed = await charge('tax/facturas', 2);
  expect(await since('tax/facturas')).toEqual({ cobrado: 2, saldo: 18 });
  await saldos.refund(failed, 'prueba');
  expect(await since('tax/facturas')).toEqual({ cobrado: 0, saldo: 20 });
  expect(await since('tax/retenciones')).toEqual({ cobrado: 3, saldo: 20 });
  expect(await cobros.mark(randomUUID())).toBeNull();
});
