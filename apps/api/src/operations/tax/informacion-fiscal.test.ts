import { expect, it } from 'vitest';
import { constancia } from '../../../test/constancia.ts';
import { describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/informacion-fiscal';
const asks = ['descargar-constancia'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'any', asks, body: (rfc) => ({ rfc }) });

it('tells regimes and obligations', async () => {
  const guion = { 'descargar-constancia': [{ constancia, pdf: Buffer.from('%PDF') }] };
  const { kit, a } = await prepare(guion, 'ciec');
  const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expectCharged(kit, a, answer);
  expect(answer.json.data).toEqual({
    rfc: a.rfc,
    regimenes: ['601', 'Régimen nuevo'],
    obligaciones: [
      {
        tipo: 'Pago definitivo mensual de IVA.',
        periodicidad: 'Mensual',
        vencimiento: 'A más tardar el día 17 del mes',
        desde: '2020-01-01',
        hasta: null,
      },
    ],
    ...{ canal: 'portal', credencial: 'ciec' },
  });
});
