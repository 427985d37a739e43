import { expect, it } from 'vitest';
import { describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';
import { createKitWithAlta } from '../../../test/kit.ts';

const PATH = 'tax/comunicados';
const asks = ['listar-comunicados'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'any', asks, body: (rfc) => ({ rfc }) });

it.each([
  [{ desde: '2026-11-21' }, 'desde'],
  [{ hasta: '2026-10-20' }, 'desde'],
  [{ hasta: '2026-11-21' }, 'hasta'],
])('checks %j against its defaults: 30 days back, and today', async (dates, campo) => {
  const { kit, a } = await createKitWithAlta();
  const answer = await kit.call(PATH, { rfc: a.rfc, ...dates }, { key: a.key });
  expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, campo]);
});

it.each([
  [{}, { desde: '2026-10-21', hasta: '2026-11-20' }],
  [{ desde: '2026-11-20' }, { desde: '2026-11-20', hasta: '2026-11-20' }],
  [{ hasta: '2026-10-21' }, { desde: '2026-10-21', hasta: '2026-10-21' }],
  [
    { desde: '2026-10-01', hasta: '2026-10-02' },
    { desde: '2026-10-01', hasta: '2026-10-02' },
  ],
])('asks for %j as %j', async (dates, asked) => {
  const comunicado = { id: 'c-1', asunto: 'Aviso <b>', fecha: '2026-11-01', leido: true };
  const { kit, a, sat } = await prepare({ 'listar-comunicados': [{ comunicados: [comunicado] }] }, 'ciec');
  const answer = await kit.call(PATH, { rfc: a.rfc, ...dates }, { key: a.key });
  await expectCharged(kit, a, answer);
  const camino = { confianza: 'confirmado', reembolsada: false, canal: 'portal', credencial: 'ciec' };
  expect(answer.json.data).toEqual({ total: 1, items: [comunicado], siguiente: null, ...camino });
  expect(sat.consultas).toEqual([{ consulta: 'listar-comunicados', rfc: a.rfc, ...asked }]);
});

it('says why it asks for a credential, and both remedies, before anything is charged', async () => {
  const { kit, a } = await createKitWithAlta();
  const { status, json } = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expect([status, json.cfdi_codigo]).toEqual([400, 4003]);
  expect(json.data?.['motivo']).toMatch(/buzón tributario.*CIEC o la e\.firma/);
  expect(json.cfdi_texto).toMatch(/rfc-guardar.*firma-registrar y firma-guardar/);
  expect(await kit.movimientos(a)).toEqual([]);
});
