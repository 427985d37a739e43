import { toSeconds } from '@acuse/core';
import type { Row } from '@acuse/simulador';
import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, darFilas, llamadas, openPaquete, type Pedido, saldoDe, verificar } from '../fixtures/pedidos.ts';
import { expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const PERIODO = { desde: '2025-02-27', hasta: '2025-03-02' } as const;

describe('a download that is narrowed', () => {
  const servicio = useServicio({ simulador: { filas_por_paquete: 40 } }, {});
  const rowsOf = (rfc: string, tipo: Pedido['tipo']): Row[] => [
    ...servicio.simulador.world.taxpayers.rows(
      rfc,
      tipo,
      toSeconds(`${PERIODO.desde}T00:00:00`),
      toSeconds(`${PERIODO.hasta}T23:59:59`),
    ),
  ];

  it.each(['ciec', 'efirma'] as const)('by %s has the rows of its filters alone', async (credencial) => {
    const caller = await (credencial === 'ciec'
      ? servicio.newCiecCaller({ saldo: 13 })
      : newEfirmaCaller(servicio, { saldo: 13 }));
    for (const tipo of ['emitidos', 'recibidos'] as const) {
      darFilas(servicio, caller.rfc, { tipo, ...PERIODO }, 120);
      const all = rowsOf(caller.rfc, tipo);
      const contraparteDe = (row: Row) => (tipo === 'emitidos' ? row.rfcReceptor : row.rfcEmisor);
      const rfcs = [...new Set(all.map(contraparteDe))].slice(0, tipo === 'emitidos' ? 2 : 1).sort();
      const cases: readonly (readonly [Omit<Pedido, 'tipo' | 'desde' | 'hasta'>, (row: Row) => boolean])[] = [
        [{ estado_comprobante: 'cancelado' }, ({ estatus }) => estatus === 'Cancelado'],
        [{ tipo_comprobante: 'I', estado_comprobante: 'vigente' }, (r) => r.efecto === 'I' && r.estatus === 'Vigente'],
        [{ complemento: 'pagos20' }, ({ complemento }) => complemento === 'pagos20'],
        [
          { complemento: 'nomina12', estado_comprobante: 'vigente' },
          (row) => row.complemento === 'nomina12' && row.estatus === 'Vigente',
        ],
        [{ rfc_contraparte: rfcs }, (row) => rfcs.includes(contraparteDe(row))],
      ];
      for (const [filtros, passes] of cases) {
        const kept = all.filter(passes);
        const id = await askFor(caller, { tipo, ...PERIODO, ...filtros });
        const end = await waitForEnd(caller, id);
        expect(end).toMatchObject({ estado: 'TERMINADA', registros: kept.length, confianza: 'confirmado', filtros });
        const { csv, manifest } = await openPaquete(caller, id);
        expect(csv.map(({ uuid }) => uuid)).toEqual(kept.map(({ uuid }) => uuid.toUpperCase()));
        expect(kept).not.toEqual([]);
        expect(manifest).toMatchObject({ filtros, registros: kept.length });
      }
    }
    expect(await saldoDe(servicio, caller)).toBe(3);
  });

  it('asks the web service for no more than it wants', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 9 });
    const pedido = { tipo: 'recibidos', ...PERIODO } as const;
    darFilas(servicio, caller.rfc, pedido, 60);
    const id = await askFor(caller, { ...pedido, estado_comprobante: 'vigente' });
    await waitForEnd(caller, id);
    const { manifest } = await openPaquete(caller, id);
    expect(manifest).toMatchObject({ registros_filtrados: 0 });
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(1);
  });

  it('is another request than one with other filters, and the same as an equal one', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 9 });
    const rule = servicio.simulador.world.faults.add({
      rfc: caller.rfc,
      service: 'portalcfdi',
      operation: 'AbrirConsulta',
      kind: 'status',
    });
    const ask = (filtros: object) =>
      expectOk(caller.call('tax/descarga-metadata', { rfc: caller.rfc, tipo: 'emitidos', ...PERIODO, ...filtros }));
    const [one, two] = ['EKU9003173C9', 'XIQB891116QE4'];
    const all = await ask({});
    const narrowed = await ask({ rfc_contraparte: [two, one, two] });
    expect(narrowed['solicitud_id']).not.toBe(all['solicitud_id']);
    expect(await ask({ rfc_contraparte: [one, two] })).toMatchObject({
      solicitud_id: narrowed['solicitud_id'],
      duplicada: true,
    });
    expect(await ask({ estado_comprobante: 'todos' })).toMatchObject({
      solicitud_id: all['solicitud_id'],
      duplicada: true,
    });
    expect(await verificar(caller, String(narrowed['solicitud_id']))).toMatchObject({
      filtros: { rfc_contraparte: [one, two] },
    });
    expect(await saldoDe(servicio, caller)).toBe(7);
    servicio.simulador.world.faults.remove(rule.id);
  });

  it('refuses two issuers of received CFDI and unknown filters, charging nothing', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 9 });
    const ask = (filtros: object) =>
      caller.call('tax/descarga-metadata', { rfc: caller.rfc, tipo: 'recibidos', ...PERIODO, ...filtros });
    for (const [campo, valor] of [
      ['rfc_contraparte', ['EKU9003173C9', 'XIQB891116QE4']],
      ['rfc_contraparte', []],
      ['rfc_contraparte', ['no']],
      ['estado_comprobante', 'VIGENTE'],
      ['tipo_comprobante', 'X'],
      ['complemento', 'pago20'],
    ] as const) {
      const { status, body } = await ask({ [campo]: valor });
      expect([status, body]).toMatchObject([400, { data: { campo: expect.stringContaining(campo) } }]);
    }
    expect(await saldoDe(servicio, caller)).toBe(9);
  });
});
