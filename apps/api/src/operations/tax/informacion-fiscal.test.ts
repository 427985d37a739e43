import { expect, it } from 'vitest';
import { describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/informacion-fiscal';
const asks = ['descargar-constancia'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'any', asks, body: (rfc) => ({ rfc }) });

const constancia = {
  rfc: 'ACU200101AB1',
  idCif: '15020034567',
  curp: null,
  nombre: 'COMERCIALIZADORA ACUÍFERA',
  estatus: 'ACTIVO',
  fechaInicioOperaciones: '2020-01-01',
  fechaUltimoCambio: null,
  domicilio: {
    calle: 'AV. REFORMA 100',
    colonia: 'JUÁREZ',
    municipio: 'CUAUHTÉMOC',
    estado: 'CDMX',
    cp: '06600',
  },
  regimenes: [
    { clave: '601', nombre: 'General de Ley Personas Morales', desde: '2020-01-01' },
    { clave: null, nombre: 'Régimen nuevo', desde: null },
  ],
  obligaciones: [
    {
      descripcion: 'Pago definitivo mensual de IVA.',
      vencimiento: 'A más tardar el día 17 del mes',
      desde: '2020-01-01',
      hasta: null,
    },
  ],
} as const;

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
  });
});
