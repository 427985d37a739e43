import { describe, expect, it } from 'vitest';
import { describeConsulta, expectCharged, expectGivenBack, prepare } from '../../../test/consulta.ts';

const MES = { desde: '2026-01-01', hasta: '2026-01-31' };
const asks = ['listar-facturas'] as const;

const factura = {
  uuid: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A',
  emisorRfc: 'ACU200101DB1',
  emisorNombre: 'ACUÍFERA',
  receptorRfc: 'XIQB891116QE4',
  receptorNombre: null,
  fechaEmision: '2026-01-31T23:59:59',
  fechaCertificacion: null,
  pacRfc: null,
  total: 1160.5,
  efecto: 'Ingreso',
  estado: 'VIGENTE',
  estadoCancelacion: null,
  fechaCancelacion: null,
} as const;

describe.each([
  { path: 'tax/facturas', needs: 'ciec' },
  { path: 'tax/facturas-fiel', needs: 'efirma' },
] as const)('$path', ({ path, needs }) => {
  describeConsulta({ path, cost: 1, needs, asks, body: (rfc) => ({ rfc, ...MES }) });

  it('lists the received CFDI of whole days of central Mexico', async () => {
    const guion = { 'listar-facturas': [{ resultado: 'LISTA', facturas: [factura] }] } as const;
    const { kit, a, sat } = await prepare(guion, needs);
    const answer = await kit.call(path, { rfc: a.rfc, ...MES }, { key: a.key });
    expectCharged(kit, a, answer);
    expect(answer.json.data).toMatchObject({
      total: 1,
      items: [{ uuid: factura.uuid, emisor_rfc: 'ACU200101DB1', total: 1160.5, fecha: '2026-01-31' }],
    });
    const periodo = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' };
    expect(sat.consultas).toMatchObject([{ rfc: a.rfc, periodo }]);
  });

  it('answers an empty month with an empty list after two looks, and gives the credit back', async () => {
    const guion = { 'listar-facturas': [{ resultado: 'LISTA', facturas: [] }] } as const;
    const { kit, a, sat } = await prepare(guion, needs);
    const answer = await kit.call(path, { rfc: a.rfc, ...MES }, { key: a.key });
    expectGivenBack(kit, a, 1);
    expect([answer.status, sat.consultas.length]).toEqual([200, 2]);
    expect(answer.json.data).toEqual({
      ...{ total: 0, items: [], confianza: 'sin_confirmar', reembolsada: true },
      ...{ canal: 'portal', credencial: needs },
    });
  });

  it('sends a period with too many to the bulk download, and gives the credit back', async () => {
    const { kit, a } = await prepare({ 'listar-facturas': [{ resultado: 'DEMASIADAS' }] }, needs);
    const answer = await kit.call(path, { rfc: a.rfc, ...MES }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([400, 2001, 'hasta']);
    expect(answer.json.cfdi_texto).toContain('descarga-metadata');
    expectGivenBack(kit, a, 1);
  });
});
