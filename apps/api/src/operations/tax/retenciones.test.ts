import { expect, it } from 'vitest';
import { conRenglones, describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/retenciones';
const asks = ['listar-retenciones', 'solicitar-metadata'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'any', asks, body: (rfc) => ({ rfc, ejercicio: 2025 }) });

const retencion = {
  uuid: '7A1B2C3D-4E5F-4061-8273-94A5B6C7D8E9',
  tipo: 'RECIBIDA',
  emisorRfc: 'ACU200101DB1',
  receptorRfc: null,
  total: 10.5,
  fecha: '2025-03-01',
  estado: 'VIGENTE',
} as const;

it('lists those of the portal with a CIEC', async () => {
  const { kit, a } = await prepare({ 'listar-retenciones': [{ retenciones: [retencion] }] }, 'ciec');
  const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
  expectCharged(kit, a, answer);
  const { uuid, tipo, total, fecha, estado } = retencion;
  const item = { uuid, emisor_rfc: 'ACU200101DB1', receptor_rfc: null, total, fecha, estado, tipo };
  expect(answer.json.data).toEqual({ total: 1, items: [item], ...conRenglones('ciec') });
});

it.each([2020, 2027])('does not ask for %i', async (ejercicio) => {
  const { kit, a, sat } = await prepare({}, 'ciec');
  const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio }, { key: a.key });
  expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'ejercicio']);
  expect([sat.consultas, kit.store.movimientos]).toEqual([[], []]);
});
