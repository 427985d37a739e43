import { expect, it } from 'vitest';
import { describeConsulta, expectGivenBack, prepare } from '../../../test/consulta.ts';

const PATH = 'descarga/consulta-cfdi';
const asks = ['consultar-cfdi'] as const;
const bodyOf = (rfc: string) => ({
  rfc_emisor: rfc,
  rfc_receptor: 'XIQB891116QE4',
  uuid: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A',
  total: 1160.5,
});

describeConsulta({ path: PATH, cost: 1, needs: null, asks, body: bodyOf });

const encontrado = {
  resultado: 'ENCONTRADO',
  estado: 'CANCELADO',
  esCancelable: 'Cancelable con aceptación',
  estatusCancelacion: null,
  validacionEfos: '200',
} as const;

it('answers 404/2002 for a CFDI that the SAT does not know, and charges nothing', async () => {
  const { kit, a } = await prepare({ 'consultar-cfdi': [{ resultado: 'NO_ENCONTRADO' }] }, null);
  const answer = await kit.call(PATH, bodyOf('EKU9003173C8'), { key: a.key });
  expect([answer.status, answer.json.cfdi_codigo]).toEqual([404, 2002]);
  expect(answer.json.data).toEqual({ motivo: expect.stringMatching('dígito verificador de EKU9003173C8') });
  await expectGivenBack(kit, a, 1);
});

it('warns of each RFC whose check digit is wrong, and of no other', async () => {
  const warned = async (rfc_emisor: string, rfc_receptor: string) => {
    const { kit, a } = await prepare({ 'consultar-cfdi': [encontrado] }, null);
    const body = { ...bodyOf(a.rfc), rfc_emisor, rfc_receptor };
    return (await kit.call(PATH, body, { key: a.key })).json.data?.['advertencias'];
  };
  expect(await warned('EKU9003173C9', 'XAXX010101000')).toEqual([]);
  expect(await warned('EKU9003173C8', 'EKU9003173C8')).toHaveLength(1);
  expect(await warned('EKU9003173C8', 'XIQB891116QE5')).toEqual([
    expect.stringContaining('EKU9003173C8'),
    expect.stringContaining('XIQB891116QE5'),
  ]);
});

it.each([-1, 1e12, 0.0000001, '1160.5', null])('refuses the total %j', async (total) => {
  const { kit, a, sat } = await prepare({ 'consultar-cfdi': [encontrado] }, null);
  const answer = await kit.call(PATH, { ...bodyOf(a.rfc), total }, { key: a.key });
  expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'total']);
  expect([sat.consultas, await kit.movimientos(a)]).toEqual([[], []]);
});
