import { expect, it } from 'vitest';
import { describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/opinion-cumplimiento';
const asks = ['consultar-opinion'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'ciec', asks, body: (rfc) => ({ rfc }) });

it.each([
  ['POSITIVO', null],
  ['NEGATIVO', 'Declaración anual 2024 sin presentar'],
  ['EN_SUSPENSION', 'En suspensión de actividades'],
  ['INSCRITO_SIN_OBLIGACIONES', 'Sin obligaciones'],
  ['NO_INSCRITO', 'No inscrito'],
] as const)('tells %s and why', async (sentido, motivo) => {
  const opinion = { sentido, folio: null, fecha: null, motivo, pdf: Buffer.from('%PDF') };
  const { kit, a } = await prepare({ 'consultar-opinion': [opinion] }, 'ciec', { saldo: 1 });
  const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expectCharged(kit, a, answer);
  expect(answer.json.data).toEqual({
    rfc: a.rfc,
    opinion: sentido,
    motivo,
    saldo: 0,
    fecha_consulta: '2026-11-20T18:00:00.000Z',
    ...{ canal: 'portal', credencial: 'ciec' },
  });
});
