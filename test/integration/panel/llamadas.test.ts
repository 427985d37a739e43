import { randomUUID } from 'node:crypto';
import { createSaldos } from '@acuse/db';
import { createLlamadas } from '@acuse/llamadas/db';
import { expect, it } from 'vitest';
import { credit } from '../fixtures/database.ts';
import { addRfc, newMiembro, usePanel } from './fixtures/panel.ts';

const panel = usePanel();

it('leads from each charge of the ledger to its call, for those who may see calls', async () => {
  const ana = await panel.registrar();
  const { rfc, id: contribuyenteId } = await addRfc(panel.db, ana);
  await credit(panel.db, ana.cuentaId, 10, randomUUID());
  const noted = async (requestId: string, status: number, operacion: string) => {
    const opId = randomUUID();
    const call = {
      contribuyenteId,
      at: new Date(),
      opId,
      operacion,
      status,
      codigo: status === 200 ? 1 : 5041,
      ms: 1_234,
    };
    await createLlamadas(panel.db).note([{ ...call, requestId, idempotencyKey: 'clave-1' }]);
    return opId;
  };
  const opId = await noted('cobrada', 200, 'tax/facturas');
  await noted('fallida', 503, 'tax/retenciones');
  const charge = { opId, cuentaId: ana.cuentaId, contribuyenteId, operacion: 'tax/facturas', plazoSegundos: 60 };
  await createSaldos(panel.db).charge(charge);

  const { $ } = await ana.get('/saldo/movimientos');
  const href = $(`a[href*="${opId}"]`).attr('href');
  expect(href).toBe(`/rfcs/${rfc}/llamadas?op=${opId}`);
  const one = (await ana.get(href ?? '')).main;
  expect(one).toMatch(/HTTP 200.*cfdi_codigo 1.*cobrada.*clave-1.*1,234.*1/s);
  expect(one).not.toContain('fallida');

  const path = `/rfcs/${rfc}/llamadas`;
  expect((await ana.get(`${path}?resultado=FALLA`)).main).toMatch(/HTTP 503.*fallida/s);
  expect((await ana.get(`${path}?operacion=tax/retenciones`)).main).not.toContain('cobrada');
  expect((await ana.get(`${path}?hasta=2020-01-01`)).main).toContain('Ninguna llamada coincide');

  const contador = await newMiembro(panel, ana, 'CONTADOR');
  expect((await contador.get('/saldo/movimientos')).$(`a[href*="${opId}"]`)).toHaveLength(0);
  expect((await contador.get(path)).status).toBe(403);
});
