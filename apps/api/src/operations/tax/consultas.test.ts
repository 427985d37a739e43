import { expect, it } from 'vitest';
import { constancia } from '../../../test/constancia.ts';
import { conRenglones, describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const UUID = '7A1B2C3D-4E5F-4061-8273-94A5B6C7D8E9';
const retencion = { uuid: UUID, tipo: 'RECIBIDA', total: 10.5, fecha: '2025-03-01', estado: 'VIGENTE' } as const;
const declaracion = {
  ...{ tipo: 'Normal', periodicidad: 'Mensual', periodo: 'Enero', ejercicio: 2025, fecha: '2025-02-17' },
  ...{ complementaria: false, estado: 'Presentada' },
};
const aviso = { autoridad: 'SAT', asunto: 'Requerimiento', fecha: '2026-11-02' };
const obligacion = {
  tipo: 'Pago definitivo mensual de IVA.',
  periodicidad: 'Mensual',
  vencimiento: 'A más tardar el día 17 del mes',
  desde: '2020-01-01',
  hasta: null,
};
const item = (each: object, credencial: 'ciec' | 'efirma') => ({
  ...{ total: 1, items: [each] },
  ...conRenglones(credencial),
});

/** The queries that put one question, with an answer of the SAT and what is made of it. */
const CASES = [
  {
    ...({
      path: 'tax/notificaciones',
      needs: 'any',
      stored: 'efirma',
      asks: ['listar-notificaciones'],
      more: {},
    } as const),
    answers: { 'listar-notificaciones': [{ notificaciones: [{ folio: '500-1', ...aviso }] }] },
    data: item({ id: '500-1', ...aviso }, 'efirma'),
  },
  {
    ...({ path: 'tax/retenciones', needs: 'any', stored: 'ciec', more: { ejercicio: 2025 } } as const),
    asks: ['listar-retenciones', 'solicitar-metadata'],
    answers: {
      'listar-retenciones': [{ retenciones: [{ ...retencion, emisorRfc: 'ACU200101DB1', receptorRfc: null }] }],
    },
    data: item({ ...retencion, emisor_rfc: 'ACU200101DB1', receptor_rfc: null }, 'ciec'),
  },
  {
    ...({ path: 'tax/declaraciones-fiel', needs: 'efirma', stored: 'efirma', more: { ejercicio: 2025 } } as const),
    asks: ['listar-declaraciones'],
    answers: {
      'listar-declaraciones': [
        { declaraciones: [{ ...declaracion, numeroOperacion: '451', tipoComplementaria: null, lineaCaptura: null }] },
      ],
    },
    data: item({ ...declaracion, id: '451', tipo_complementaria: null, linea_captura: null }, 'efirma'),
  },
  {
    ...({
      path: 'tax/informacion-fiscal',
      needs: 'any',
      stored: 'ciec',
      asks: ['descargar-constancia'],
      more: {},
    } as const),
    answers: { 'descargar-constancia': [{ constancia, pdf: Buffer.from('%PDF') }] },
    data: {
      ...{ rfc: 'ACU200101DB1', regimenes: ['601', 'Régimen nuevo'], obligaciones: [obligacion] },
      ...{ canal: 'portal', credencial: 'ciec' },
    },
  },
] as const;

for (const { path, needs, asks, more } of CASES)
  describeConsulta({ path, cost: 1, needs, asks, body: (rfc) => ({ rfc, ...more }) });

it.each(CASES)('$path answers what the SAT said', async ({ path, stored, more, answers, data }) => {
  const { kit, a } = await prepare(answers, stored, { rfc: 'ACU200101DB1' });
  const answer = await kit.call(path, { rfc: a.rfc, ...more }, { key: a.key });
  expectCharged(kit, a, answer);
  expect(answer.json.data).toEqual(data);
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
  expect([sat.consultas, kit.store.movimientos]).toEqual([[], []]);
});
