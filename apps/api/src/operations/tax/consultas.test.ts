import { expect, it } from 'vitest';
import { constancia } from '../../../test/constancia.ts';
import { describeConsulta, expectCharged, expectGivenBack, prepare } from '../../../test/consulta.ts';

const MES = { desde: '2026-01-01', hasta: '2026-01-31' };

for (const { more = {}, ...consulta } of [
  { path: 'tax/notificaciones', needs: 'any', asks: ['listar-notificaciones'] },
  {
    path: 'tax/retenciones',
    needs: 'any',
    asks: ['listar-retenciones', 'solicitar-metadata'],
    more: { ejercicio: 2025 },
  },
  { path: 'tax/declaraciones-fiel', needs: 'efirma', asks: ['listar-declaraciones'], more: { ejercicio: 2025 } },
  { path: 'tax/informacion-fiscal', needs: 'any', asks: ['descargar-constancia'] },
  { path: 'tax/opinion-cumplimiento', needs: 'ciec', asks: ['consultar-opinion'] },
  { path: 'tax/facturas', needs: 'ciec', asks: ['listar-facturas'], more: MES },
  { path: 'tax/facturas-fiel', needs: 'efirma', asks: ['listar-facturas'], more: MES },
] as const)
  describeConsulta({ ...consulta, cost: 1, body: (rfc) => ({ rfc, ...more }) });

it('tax/informacion-fiscal names a regime that the catalogue does not know', async () => {
  const answers = { 'descargar-constancia': [{ constancia, pdf: Buffer.from('%PDF') }] };
  const { kit, a } = await prepare(answers, 'ciec', { rfc: 'ACU200101DB1' });
  const answer = await kit.call('tax/informacion-fiscal', { rfc: a.rfc }, { key: a.key });
  await expectCharged(kit, a, answer);
  expect(answer.json.data).toMatchObject({ regimenes: ['601', 'Régimen nuevo'], canal: 'portal', credencial: 'ciec' });
});

it.each([
  ['tax/facturas', 'ciec'],
  ['tax/facturas-fiel', 'efirma'],
] as const)('%s by %s: a period with too many goes to the bulk download, and is given back', async (path, needs) => {
  const { kit, a } = await prepare({ 'listar-facturas': [{ resultado: 'DEMASIADAS' }] }, needs);
  const answer = await kit.call(path, { rfc: a.rfc, ...MES }, { key: a.key });
  expect([answer.status, answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([400, 2001, 'hasta']);
  expect(answer.json.cfdi_texto).toContain('descarga-metadata');
  await expectGivenBack(kit, a, 1);
});

it.each([
  ['tax/retenciones', 'ciec', 2020],
  ['tax/retenciones', 'ciec', 2027],
  ['tax/declaraciones-fiel', 'efirma', 2015],
  ['tax/declaraciones-fiel', 'efirma', 2027],
] as const)('%s by %s does not ask for %i', async (path, stored, ejercicio) => {
  const { kit, a, sat } = await prepare({}, stored);
  const answer = await kit.call(path, { rfc: a.rfc, ejercicio }, { key: a.key });
  expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'ejercicio']);
  expect([sat.consultas, await kit.movimientos(a)]).toEqual([[], []]);
});
