import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKitWithAlta, guardaCiec } from '../../../../../../apps/api/test/kit.ts';
import type { FiltroCfdi, LugarCfdi, PaginaCfdi } from '../../../db/index.ts';

const PATH = 'cfdi/consultar';
const SOLICITUD = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
const RUTA = 'cfdi/2026-01/5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A.xml';
const UUID = '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A';
const LUGAR: LugarCfdi = { emitidaEn: '2026-01-31T10:32:07', uuid: UUID, tipo: 'recibidos' };
const FILA: PaginaCfdi['filas'][number] = {
  ...LUGAR,
  isVigente: false,
  canceladaEn: '2026-02-01T09:00:00',
  certificadaEn: null,
  efecto: 'I',
  monto: '1160.00',
  contraparte: { rfc: 'EKU9003173C9', nombre: 'ESCUELA' },
  rfcPac: null,
  tercero: null,
  xml: { solicitudId: SOLICITUD, ruta: RUTA },
  vistoEn: new Date('2026-02-02T00:00:00Z'),
  leidoEn: new Date('2026-05-08T00:00:00Z'),
  ausenteDesde: null,
};

/** A service that keeps the received CFDI of a taxpayer up to date, and what its store was asked. */
async function keeping() {
  const asked: { filtro: FiltroCfdi; despuesDe: LugarCfdi | null; limite: number }[] = [];
  const page = async (pedido: (typeof asked)[number]): Promise<PaginaCfdi> => {
    asked.push(pedido);
    return { filas: [FILA], siguiente: LUGAR };
  };
  const { kit, a } = await createKitWithAlta({ deps: { almacenes: { page } } }, { saldo: 0 });
  await guardaCiec(kit, a);
  /** A new subscription. */
  const subscribe = async () => {
    await kit.call('sincronizacion/borrar', { rfc: a.rfc }, { key: a.key });
    const ajustes = { rfc: a.rfc, tipo: 'recibidos', desde: '2026-01-01', frecuencia: 'DIARIA' };
    const { status, text } = await kit.call('sincronizacion/crear', ajustes, { key: a.key });
    if (status !== 200) throw new Error(text);
    const suyas = await kit.filas<{ id: string; estado: string; almacen_id: number }>('sincronizacion', a);
    const suya = suyas.find(({ estado }) => estado === 'ACTIVA');
    if (suya === undefined) throw new Error('no subscription');
    await kit.sql`UPDATE tramo SET fase = 'FIN', lecturas = 1 WHERE sincronizacion_id = ${suya.id} AND mes = '2026-01-01'`;
    await kit.sql`INSERT INTO lectura (almacen_id, n, solicitud_id, tipo, desde, hasta, pedida_en, filas, nuevos, cambiados, ausentes, es_dudosa)
      VALUES (${suya.almacen_id}, 1, ${suya.id}, 'recibidos', '2026-01-01', '2026-01-31', now(), 1, 1, 0, 0, false)`;
    return suya;
  };
  const { id, almacen_id: almacenId } = await subscribe();
  const call = (body: object = {}) => kit.call(PATH, { rfc: a.rfc, ...body }, { key: a.key });
  return { call, asked, subscribe, id, almacenId };
}

it('gives a page in the words of sincronizacion/cambios, with how far the store knows its CFDI, free of charge', async () => {
  const { call, asked, almacenId } = await keeping();
  const filtro = {
    tipo: 'recibidos',
    desde: '2026-01-01',
    hasta: '2026-01-31',
    contraparte_rfc: ' eku9003173c9',
    estado: 'CANCELADO',
    efecto_comprobante: 'I',
    monto_min: '-1',
    monto_max: '50000.000001',
    uuid: UUID.toLowerCase(),
  };
  const { status, json } = await call({ ...filtro, limite: 1_000 });
  expect([status, json.cfdi_codigo]).toEqual([200, 1]);
  expect(json.data).toEqual({
    total: 1,
    items: [
      {
        tipo: 'recibidos',
        uuid: UUID,
        estado: 'CANCELADO',
        fecha: '2026-01-31',
        fecha_emision: LUGAR.emitidaEn,
        fecha_certificacion: null,
        fecha_cancelacion: '2026-02-01T09:00:00',
        contraparte_rfc: 'EKU9003173C9',
        contraparte_nombre: 'ESCUELA',
        rfc_pac: null,
        efecto_comprobante: 'I',
        monto: '1160.00',
        tercero_rfc: null,
        xml: { solicitud_id: SOLICITUD, ruta: RUTA },
        visto_en: '2026-02-02T00:00:00.000Z',
        leido_en: '2026-05-08T00:00:00.000Z',
        ausente_desde: null,
      },
    ],
    siguiente: expect.any(String),
    conocido_desde: '2026-01-01',
    releido_desde: '2026-02-01',
    ultima_lectura: '2026-11-20T18:00:00.000Z',
    periodos_por_leer: 10,
  });
  expect(asked).toEqual([
    {
      almacenId,
      despuesDe: null,
      limite: 1_000,
      filtro: {
        tipos: ['recibidos'],
        desde: '2026-01-01',
        hasta: '2026-01-31',
        contraparte: 'EKU9003173C9',
        estado: 'CANCELADO',
        efecto: 'I',
        montoMin: '-1',
        montoMax: '50000.000001',
        uuid: UUID,
      },
    },
  ]);
});

it('goes on where a cursor says, of the same filters, of the same subscription, and of no other', async () => {
  const { call, asked, subscribe } = await keeping();
  const cursor = (await call({ desde: '2026-01-01' })).json.data?.['siguiente'];
  expect((await call({ desde: '2026-01-01', limite: 5, cursor })).status).toBe(200);
  expect(asked.at(-1)).toMatchObject({ despuesDe: LUGAR, limite: 5 });
  const forged = `${String(cursor).slice(0, 17)}${Buffer.from(`2026-13-45T10:00:00${UUID}r`).toString('base64url')}`;
  for (const body of [{ cursor }, { desde: '2026-01-02', cursor }, { desde: '2026-01-01', cursor: forged }]) {
    const { status, json } = await call(body);
    expect([status, json['error'], json.data]).toEqual([
      400,
      'CAMPO_INVALIDO',
      expect.objectContaining({ campo: 'cursor' }),
    ]);
  }
  await subscribe();
  expect((await call({ desde: '2026-01-01', cursor })).json['error']).toBe('CAMPO_INVALIDO');
  expect(asked).toHaveLength(2);
});

it.each([
  ['2026-13-45T10:00:00', UUID],
  ['2026-02-30T10:00:00', UUID],
  ['2026-01-31T24:00:00', UUID],
  ['2026-01-31T10:60:00', UUID],
  ['0000-01-01T10:00:00', UUID],
  [LUGAR.emitidaEn, '-'.repeat(36)],
  [LUGAR.emitidaEn, UUID.replace('-', '0')],
])('refuses a cursor whose mark is right and whose place %s %s there cannot be', async (emitidaEn, uuid) => {
  const { call, asked, id } = await keeping();
  const lugar = `${emitidaEn}${uuid}r`;
  const bound = JSON.stringify([id, Array(9).fill(null), lugar]);
  const mark = createHash('sha256').update(bound).digest('hex').slice(0, 16);
  const { status, json } = await call({ cursor: `${mark}.${Buffer.from(lugar).toString('base64url')}` });
  expect([status, json.data]).toEqual([400, expect.objectContaining({ campo: 'cursor' })]);
  expect(asked).toEqual([]);
});

it.each([
  [{ tipo: 'emitidos' }, /aquí solo se mantienen al día los recibidos/],
  [{ desde: '2026-02-01', hasta: '2026-01-31' }, /no puede ser posterior a hasta/],
  [{ monto_min: '10.01', monto_max: '10' }, /no puede ser mayor que monto_max/],
  [{ monto_min: '1e5' }, /decimal/],
  [{ monto_max: 1160 }, /decimal/],
  [{ estado: 'cancelado' }, /VIGENTE, CANCELADO o AUSENTE/],
  [{ efecto_comprobante: 'X' }, /I, E, T, N o P/],
  [{ uuid: 'no' }, /UUID/],
  [{ contraparte_rfc: 'no' }, /RFC/],
  [{ limite: 1_001 }, /1 a 1000/],
])('refuses %o, and says what to do', async (body, why) => {
  const { call, asked } = await keeping();
  const { status, json } = await call(body);
  expect([status, JSON.stringify(json.data)]).toEqual([400, expect.stringMatching(why)]);
  expect(asked).toEqual([]);
});

it('says of an RFC that is not kept up to date how to begin', async () => {
  const { kit, a } = await createKitWithAlta({}, { saldo: 0 });
  const { status, json } = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expect([status, json.cfdi_codigo, json['error']]).toEqual([404, 2002, 'SINCRONIZACION_NO_ENCONTRADA']);
});
