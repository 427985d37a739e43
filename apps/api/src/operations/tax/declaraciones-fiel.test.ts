import { expect, it } from 'vitest';
import { conRenglones, describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/declaraciones-fiel';
const asks = ['listar-declaraciones'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'efirma', asks, body: (rfc) => ({ rfc, ejercicio: 2025 }) });

const declaracion = {
  numeroOperacion: '451',
  tipo: 'Normal',
  tipoComplementaria: null,
  lineaCaptura: null,
  periodicidad: 'Mensual',
  periodo: 'Enero',
  ejercicio: 2025,
  fecha: '2025-02-17',
  complementaria: false,
  estado: 'Presentada',
};

it('lists the returns of the year', async () => {
  const { kit, a } = await prepare({ 'listar-declaraciones': [{ declaraciones: [declaracion] }] }, 'efirma');
  const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
  expectCharged(kit, a, answer);
  const item = {
    id: '451',
    tipo: 'Normal',
    periodicidad: 'Mensual',
    periodo: 'Enero',
    ejercicio: 2025,
    fecha: '2025-02-17',
    complementaria: false,
    estado: 'Presentada',
    tipo_complementaria: null,
    linea_captura: null,
  };
  expect(answer.json.data).toEqual({ total: 1, items: [item], ...conRenglones('efirma') });
});

it.each([2015, 2027])('does not ask for %i', async (ejercicio) => {
  const { kit, a, sat } = await prepare({}, 'efirma');
  const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio }, { key: a.key });
  expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'ejercicio']);
  expect([sat.consultas, kit.store.movimientos]).toEqual([[], []]);
});
