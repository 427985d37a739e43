import { MAGIAS, type Row, type Tipo } from '@acuse/simulador';
import { beforeAll, describe, expect, it } from 'vitest';
import { cancelacionOf } from '../../../apps/simulador/src/world/taxpayers/row.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, rowsOf } from './verdad.ts';

const DIAS = { desde: '2025-01-01', hasta: '2025-06-30' };

const servicio = useServicio();
let caller: Caller;
beforeAll(async () => {
  caller = await servicio.newCaller({ saldo: 1_000 });
});

const bodyOf = ({ rfcEmisor, rfcReceptor, uuid, monto }: Row) => ({
  rfc_emisor: rfcEmisor,
  rfc_receptor: rfcReceptor,
  uuid,
  total: Number(monto),
});
const consultar = (body: object) => caller.call('descarga/consulta-cfdi', body);

/** Expected answer of the status service for a row without parties on the list 69-B. */
const answerOf = (row: Row, validacion: string) => ({
  uuid: row.uuid,
  estado: row.estatus === 'Vigente' ? 'VIGENTE' : 'CANCELADO',
  total: Number(row.monto),
  es_cancelable: cancelacionOf(row).esCancelable,
  estado_cancelacion: cancelacionOf(row).estatus || null,
  validacion_efos: validacion,
  advertencias: expect.any(Array),
});

describe('descarga/consulta-cfdi', () => {
  describe.each(CONTRIBUYENTES)('%s', (_name, rfc) => {
    it.each(['emitidos', 'recibidos'] satisfies Tipo[])('%s: as each one stands', async (tipo) => {
      const rows = rowsOf(servicio, rfc, DIAS, tipo);
      const valid = rows.filter(({ estatus }) => estatus === 'Vigente');
      const cancelled = rows.filter(({ estatus }) => estatus === 'Cancelado');
      const counterparts = (letter: string) =>
        rows.filter(({ rfcEmisor, rfcReceptor }) => (rfcEmisor === rfc ? rfcReceptor : rfcEmisor).includes(letter));
      const withoutAmount = rows.filter(({ monto }) => Number(monto) === 0);
      const kinds = [valid, cancelled, counterparts('Ñ'), counterparts('&'), withoutAmount];
      expect(kinds.map((kind) => kind.length > 0)).toEqual(kinds.map(() => true));
      for (const row of kinds.flatMap((kind) => kind.slice(0, 6))) {
        const validacion = row.tercero === null ? '200' : '201';
        expect(await expectOk(consultar(bodyOf(row)))).toEqual(answerOf(row, validacion));
      }
    });
  });

  it('the UUID in lower case, and a total with more decimals than it needs', async () => {
    const rfc = CONTRIBUYENTES[0][1];
    const row = rowsOf(servicio, rfc, DIAS).find(({ monto, tercero }) => Number(monto) > 0 && tercero === null);
    if (row === undefined) throw new Error('no row');
    const data = await expectOk(consultar({ ...bodyOf(row), uuid: row.uuid.toLowerCase() }));
    expect(data).toMatchObject({ estado: answerOf(row, '200').estado, total: Number(row.monto) });
  });

  it('not found, and not charged: another total, another issuer, another receiver, another UUID', async () => {
    const [, rfc] = CONTRIBUYENTES[0];
    const row = rowsOf(servicio, rfc, DIAS).find(({ monto }) => Number(monto) > 0);
    if (row === undefined) throw new Error('no row');
    const right = bodyOf(row);
    const before = await saldoDe(servicio, caller);
    const others = [
      { total: Number((right.total + 0.01).toFixed(2)) },
      { total: 0 },
      { rfc_emisor: 'EKU9003173C9' },
      { rfc_receptor: 'EKU9003173C9' },
      { rfc_emisor: right.rfc_receptor, rfc_receptor: right.rfc_emisor },
      { uuid: '00000000-0000-4000-8000-000000000000' },
    ];
    for (const other of others) {
      const { status, body } = await consultar({ ...right, ...other });
      expect([other, status, body.cfdi_codigo]).toEqual([other, 404, 2002]);
    }
    expect(await saldoDe(servicio, caller)).toBe(before);
    await expectOk(consultar(right));
    expect(await saldoDe(servicio, caller)).toBe(before - 1);
  });

  it.each(MAGIAS.filter(({ listado69b }) => listado69b !== undefined))(
    'tells that an issuer is listed in 69-B, as the SAT does: $clave',
    async ({ moral, fisica, listado69b }) => {
      for (const rfc of [moral, fisica]) {
        const row = rowsOf(servicio, rfc, DIAS, 'emitidos').find(({ tercero }) => tercero === null);
        if (row === undefined) throw new Error('no row');
        const adverse = listado69b?.some(({ situacion }) => ['Presunto', 'Definitivo'].includes(situacion));
        expect(await expectOk(consultar(bodyOf(row)))).toEqual(answerOf(row, adverse ? '100' : '200'));
      }
    },
  );
});
