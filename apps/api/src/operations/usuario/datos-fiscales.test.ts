import { expect, it } from 'vitest';
import { constancia } from '../../../test/constancia.ts';
import { describeConsulta, expectCharged, expectGivenBack, prepare } from '../../../test/consulta.ts';
import { createKitWithAlta } from '../../../test/kit.ts';

const PATH = 'usuario/datos-fiscales';
const asks = ['descargar-constancia'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'any', asks, body: (rfc) => ({ rfc }) });

it('answers and charges all the same when the name cannot be kept', async () => {
  const guion = { 'descargar-constancia': [{ constancia, pdf: Buffer.from('%PDF') }] };
  const { kit, a } = await prepare(guion, 'ciec');
  kit.watch.fault = { kind: 'reject', only: /UPDATE contribuyente SET nombre/ };
  await expectCharged(kit, a, await kit.call(PATH, { rfc: a.rfc }, { key: a.key }));
});

it('says what to do about an idCIF that is not of this RFC, and charges nothing', async () => {
  const guion = { 'consultar-constancia-qr': [{ resultado: 'NO_ENCONTRADA' }] } as const;
  const { kit, a } = await prepare(guion, null);
  await kit.call('vault/rfc-registrar', { rfc: a.rfc, id_cif: '15020034567' }, { key: a.key });
  const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 4003]);
  expect(answer.json.data?.['motivo']).toMatch(/idCIF.*rfc-registrar/s);
  await expectGivenBack(kit, a, 1);
});

it('names both remedies when there is neither', async () => {
  const { kit, a } = await createKitWithAlta();
  const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expect(answer.json.data?.['motivo']).toMatch(/CIEC.*idCIF/s);
});
