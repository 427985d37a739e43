import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, darFilas, fail, filasDelSat, llamadas, type Pedido, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { expectXml } from '../fixtures/xml.ts';

const PERIODO = { desde: '2025-02-27', hasta: '2025-03-02', contenido: 'xml' } as const;
const RECIBIDOS: Pedido = { tipo: 'recibidos', ...PERIODO };
const EMITIDOS: Pedido = { tipo: 'emitidos', ...PERIODO };

describe('the CFDI themselves, by e.firma', () => {
  const servicio = useServicio({ simulador: { filas_por_paquete: 40, max_filas_cfdi: 70 } }, {});
  const solicitadas = (caller: Caller) =>
    llamadas(servicio, caller).filter(({ operation }) => operation.startsWith('SolicitaDescarga'));

  it.each([RECIBIDOS, EMITIDOS])('come with their metadata: $tipo', async (pedido) => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    darFilas(servicio, caller.rfc, pedido, 100);
    const id = await askFor(caller, pedido);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, pedido);
    const cancelled = filasDelSat(servicio, caller.rfc, pedido).filter(({ estatus }) => estatus === 'Cancelado');
    expect(cancelled.length).toBeGreaterThan(0);
    const expected = pedido.tipo === 'recibidos' ? cancelled : [];
    expect([...reasons]).toEqual(expected.map(({ uuid }) => [uuid.toUpperCase(), 'CANCELADO_RECIBIDO']));
    expect(await saldoDe(servicio, caller)).toBe(2);
    const kinds = solicitadas(caller).map(({ detail }) => detail['TipoSolicitud']);
    // More than 70: the XML were asked in two periods more.
    expect(kinds.toSorted()).toEqual(['CFDI', 'CFDI', 'CFDI', 'Metadata']);
  });

  it('are never asked for a third time in the same words', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 9 });
    darFilas(servicio, caller.rfc, RECIBIDOS, 10);
    for (let n = 0; n < 4; n += 1) {
      const id = await askFor(caller, RECIBIDOS);
      await waitForEnd(caller, id);
      await expectXml(servicio, caller, id, RECIBIDOS);
    }
    const asked = solicitadas(caller).filter(({ detail }) => detail['TipoSolicitud'] === 'CFDI');
    const periods = asked.map(({ detail }) => `${detail['FechaInicial']}/${detail['FechaFinal']}`);
    // The second equal one is refused while the first one is in force; the third one is not sent.
    const counts = new Map(periods.map((period) => [period, periods.filter((each) => each === period).length]));
    expect([...counts.values()]).toEqual([2, 2, 2, 1]);
    expect(asked.map(({ detail }) => detail['CodEstatus'])).not.toContain('5002');
  });

  it('are named as missing when the SAT gives them up, under one charge', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    darFilas(servicio, caller.rfc, RECIBIDOS, 10);
    fail(servicio, caller, {
      service: 'cfdidescargamasivasolicitud',
      operation: 'SolicitaDescargaRecibidos',
      kind: 'code',
      code: 5001,
      after: 1,
    });
    const id = await askFor(caller, RECIBIDOS);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, RECIBIDOS);
    expect(new Set(reasons.values())).toEqual(new Set(['CANCELADO_RECIBIDO', 'NO_ENTREGADO_POR_EL_SAT']));
    expect(reasons.size).toBe(10);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });
});
