import { toSeconds } from '@acuse/core';
import { expect, test } from 'vitest';
import { publish } from '../almacen/listar.ts';
import { askFor, darFilas, UN_DIA } from '../fixtures/pedidos.ts';
import { logOf } from '../fixtures/procesos.ts';
import { expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const own = useServicio();

test('listed counterparties of a download are shown to its owner, page by page, with the words of the SAT', async () => {
  const caller = await own.newCiecCaller({ saldo: 5 });
  darFilas(own, caller.rfc, UN_DIA, 60);
  const dia = ['T00:00:00', 'T23:59:59'].map((hora) => toSeconds(`${UN_DIA.desde}${hora}`));
  const rows = [...own.simulador.world.taxpayers.rows(caller.rfc, 'recibidos', dia[0] ?? 0, dia[1] ?? 0)];
  const [uno = '', dos = ''] = [...new Set(rows.map(({ rfcEmisor }) => rfcEmisor))].sort();
  const cfdiOf = (rfc: string) => {
    const sumOf = (efecto: string) => {
      const suyas = rows.filter((r) => r.rfcEmisor === rfc && r.estatus === 'Vigente' && r.efecto === efecto);
      const centavos = suyas.reduce((sum, { monto }) => sum + Math.round(Number(monto) * 100), 0);
      return { cfdi: suyas.length, monto: (centavos / 100).toFixed(2) };
    };
    return { ingresos: sumOf('I'), egresos: sumOf('E') };
  };
  await publish(own, [
    { rfc: uno, situacion: 'PRESUNTO', publicada: '2026-03-05' },
    { rfc: dos, situacion: 'DESVIRTUADO' },
    { rfc: 'NAD010101AB1', situacion: 'DEFINITIVO' },
  ]);
  await own.startWorker();
  await waitFor(async () => (await logOf(own, 'worker-1')).includes('"listed_rfcs_held"') || null);
  const id = await askFor(caller, UN_DIA);
  const ask = (de: typeof caller, body = {}) => de.call('riesgo/paquete', { solicitud_id: id, ...body });
  expect((await ask(caller)).body.cfdi_codigo).toBe(3002);
  const contrapartes_listadas = { total: 2, adversas: 1 };
  expect(await waitForEnd(caller, id)).toMatchObject({ contrapartes_listadas });

  const first = await expectOk(ask(caller, { limite: 1 }));
  const second = await expectOk(ask(caller, { cursor: first['siguiente'] }));
  const page = { solicitud_id: id, contrapartes_listadas, total: 1 };
  const fila = { proveedor_nombre: expect.any(String), lista: '69-B' };
  expect([first, second]).toEqual([
    {
      ...page,
      siguiente: expect.any(String),
      items: [
        {
          ...fila,
          proveedor_rfc: uno,
          supuesto: 'Presunto',
          adverso: true,
          publicado_en: '2026-03-05',
          cfdi: cfdiOf(uno),
        },
      ],
    },
    {
      ...page,
      siguiente: null,
      items: [
        { ...fila, proveedor_rfc: dos, supuesto: 'Desvirtuado', adverso: false, publicado_en: null, cfdi: cfdiOf(dos) },
      ],
    },
  ]);
  expect(await expectOk(caller.call('descarga/paquete', { solicitud_id: id }))).toMatchObject({
    contrapartes_listadas,
  });
  const { items } = await expectOk(caller.call('descarga/listar', { limite: 1 }));
  expect(items).toMatchObject([{ solicitud_id: id, contrapartes_listadas }]);

  // Another taxpayer, and a key of the other mode, get the answer for an unknown solicitud.
  const nadie = await caller.call('riesgo/paquete', { solicitud_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f' });
  const answers = [nadie, await ask(await own.newCaller()), await ask(await own.newKey(caller, 'live'))];
  for (const { status, body } of answers)
    expect([status, body.cfdi_codigo, body.cfdi_texto]).toEqual([404, 2002, nadie.body.cfdi_texto]);
});
