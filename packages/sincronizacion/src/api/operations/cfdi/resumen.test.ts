import { expect, it } from 'vitest';
import { createKitWithAlta, guardaCiec } from '../../../../../../apps/api/test/kit.ts';
import type { DemasiadosCfdi, ResumenCfdi } from '../../../db/index.ts';

const PATH = 'cfdi/resumen';
const cero = { cfdi: 0, ingresos: '0.00', egresos: '0.00', nomina: '0.00', otros: '0.00', sinMonto: 0 };
const ceros = { vigentes: cero, cancelados: cero, ausentes: cero };
const unas = { ...ceros, vigentes: { ...cero, cfdi: 2, ingresos: '1160.00', egresos: '116.000001', sinMonto: 1 } };
const RESUMEN: ResumenCfdi = {
  total: unas,
  meses: [{ mes: '2026-01', ...unas }],
  efectos: [{ efecto: 'I', ...unas }],
  contrapartes: [{ rfc: 'EKU9003173C9', nombre: 'ESCUELA', ...unas }],
  otras: { contrapartes: 0, ...ceros },
};

async function keeping(answer: ResumenCfdi | DemasiadosCfdi) {
  const asked: object[] = [];
  const resumen = async (pedido: object) => {
    asked.push(pedido);
    return answer;
  };
  const { kit, a } = await createKitWithAlta({ deps: { almacenes: { resumen } } }, { saldo: 0 });
  await guardaCiec(kit, a);
  const ajustes = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', frecuencia: 'DIARIA' };
  const { status, text } = await kit.call('sincronizacion/crear', ajustes, { key: a.key });
  if (status !== 200) throw new Error(text);
  await kit.sql`UPDATE tramo SET fase = 'FIN', lecturas = 1 FROM sincronizacion s
    WHERE s.id = sincronizacion_id AND s.contribuyente_id = ${a.contribuyenteId} AND mes = '2026-01-01'`;
  const call = (body: object) => kit.call(PATH, { rfc: a.rfc, ...body }, { key: a.key });
  return { call, asked };
}

it('tells numbers and amounts apart by state and kind, with how far the store knows its CFDI', async () => {
  const { call, asked } = await keeping(RESUMEN);
  const { status, json } = await call({ tipo: 'emitidos', desde: '2026-01-01', contrapartes: 1 });
  const { sinMonto: _, ...nada } = cero;
  const vacia = { ...nada, sin_monto: 0 };
  const sumas = {
    vigentes: { ...nada, cfdi: 2, ingresos: '1160.00', egresos: '116.000001', sin_monto: 1 },
    cancelados: vacia,
    ausentes: vacia,
  };
  expect([status, json.data]).toEqual([
    200,
    {
      suma: sumas,
      meses: [{ mes: '2026-01', ...sumas }],
      efectos: [{ efecto_comprobante: 'I', ...sumas }],
      contrapartes: [{ contraparte_rfc: 'EKU9003173C9', contraparte_nombre: 'ESCUELA', ...sumas }],
      otras: { contrapartes: 0, vigentes: vacia, cancelados: vacia, ausentes: vacia },
      conocido_desde: '2026-01-01',
      releido_desde: '2026-02-01',
      ultima_lectura: null,
      periodos_por_leer: 10,
    },
  ]);
  expect(asked).toMatchObject([
    { almacenId: expect.any(Number), contrapartes: 1, filtro: { tipos: ['emitidos'], desde: '2026-01-01' } },
  ]);
});

it.each([
  [{}, 'CAMPO_FALTANTE', /tipo/],
  [{ tipo: 'recibidos' }, 'CAMPO_INVALIDO', /aquí solo se mantienen al día los emitidos/],
  [{ tipo: 'emitidos', contrapartes: 0 }, 'CAMPO_INVALIDO', /1 a 100/],
  [{ tipo: 'emitidos', desde: '2026-02-01', hasta: '2026-01-01' }, 'CAMPO_INVALIDO', /posterior/],
])('refuses %o: %s', async (body, nombre, why) => {
  const { call, asked } = await keeping(RESUMEN);
  const { status, json } = await call(body);
  expect([status, json['error'], JSON.stringify(json.data)]).toEqual([400, nombre, expect.stringMatching(why)]);
  expect(asked).toEqual([]);
});

it('says of more than is added up at once what to do', async () => {
  const { call } = await keeping({ demasiados: true, tope: 500_000 });
  const { status, json } = await call({ tipo: 'emitidos' });
  expect([status, json['error'], json.data]).toEqual([
    ...[400, 'CAMPO_INVALIDO'],
    expect.objectContaining({ campo: 'desde', motivo: expect.stringMatching(/más de 500,000 CFDI.*más corto/) }),
  ]);
});
