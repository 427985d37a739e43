import type { AppProcess } from '@acuse/embedded';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import {
  askFor,
  darFilas,
  eventosDe,
  fail,
  llamadas,
  movimientosDe,
  openWhole,
  saldoDe,
  UN_DIA,
  verificar,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { type Caller, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const SAT = 'cfdidescargamasivasolicitud';
const VERIFICA = 'VerificaSolicitudDescarga';
const SOLICITA = 'SolicitaDescargaRecibidos';
const OTRO_DIA = { ...UN_DIA, hasta: '2025-05-15' };

describe('what the SAT refuses or gives up', () => {
  const servicio = useServicio({ workerEnv: { SAT_POLL_MAX_SECONDS: '0.2' } });
  let worker: AppProcess;
  beforeAll(async () => {
    worker = await servicio.startWorker();
  });

  const finales = (caller: Caller) => llamadas(servicio, caller, SOLICITA).map(({ detail }) => detail['FechaFinal']);

  it('5005, an equal request in force: the end moves by a second, and the row of that second is left out', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 5 });
    // Evenly spread over two days: number 10 is issued in the very second after the day that is asked for.
    darFilas(servicio, caller.rfc, OTRO_DIA, 20);
    const first = await askFor(caller);
    await waitForEnd(caller, first);
    const second = await askFor(caller);
    expect(second).not.toBe(first);
    expect(await waitForEnd(caller, second)).toMatchObject({ estado: 'TERMINADA', registros: 10 });
    expect(finales(caller)).toEqual(['2025-05-14T23:59:59', '2025-05-14T23:59:59', '2025-05-15T00:00:00']);
    await openWhole(servicio, caller, second);
    expect(await eventosDe(servicio, second)).toContain('REPETIDA');
    expect(await saldoDe(servicio, caller)).toBe(3);
  });

  it('5002, the quota of these criteria is spent: another second is another request', async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, OTRO_DIA, 20);
    fail(servicio, caller, { service: SAT, operation: SOLICITA, kind: 'code', code: 5002, times: 2 });
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 10 });
    expect(finales(caller)).toEqual(['2025-05-14T23:59:59', '2025-05-15T00:00:00', '2025-05-15T00:00:01']);
    await openWhole(servicio, caller, id);
  });

  it('5002 every time: ends with a refund after a handful of seconds', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 2 });
    fail(servicio, caller, { service: SAT, operation: SOLICITA, kind: 'code', code: 5002 });
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'ERROR', motivo: 'SOLICITUDES_AGOTADAS' });
    expect(new Set(finales(caller)).size).toBe(7);
    expect(finales(caller)).toHaveLength(7);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });

  it('5001 at the request: RECHAZADA with a refund, asked once', async () => {
    const caller = await newEfirmaCaller(servicio);
    fail(servicio, caller, { service: SAT, operation: SOLICITA, kind: 'code', code: 5001 });
    const id = await askFor(caller);
    const end = await waitForEnd(caller, id);
    expect(end).toMatchObject({ estado: 'RECHAZADA', motivo: 'SAT_RECHAZO_LA_SOLICITUD' });
    expect(finales(caller)).toHaveLength(1);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    const paquete = await caller.call('descarga/paquete', { solicitud_id: id });
    expect([paquete.status, paquete.body.cfdi_codigo]).toEqual([409, 3003]);
    expect(paquete.body.data).toEqual({ motivo: 'SAT_RECHAZO_LA_SOLICITUD' });
  });

  eachAtLength([4, 5, 6])('state %i twice: asked anew twice, then a result, charged once', async (estado) => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 7);
    fail(servicio, caller, {
      service: SAT,
      operation: VERIFICA,
      kind: 'code',
      times: 2,
      code: 5000,
      estado,
      codigoEstado: 5000,
    });
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 7 });
    expect(finales(caller)).toHaveLength(3);
    expect(new Set(finales(caller)).size).toBe(3);
    expect((await eventosDe(servicio, id)).filter((tipo) => tipo === 'REENVIADA')).toHaveLength(2);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
  });

  eachAtLength([
    [4, 'ERROR', 'SAT_ERROR'],
    [5, 'RECHAZADA', 'SAT_RECHAZADA'],
    [6, 'ERROR', 'SAT_VENCIDA'],
  ] as const)('state %i every time: %s with a refund after three requests', async (estado, final, motivo) => {
    const caller = await newEfirmaCaller(servicio, { saldo: 2 });
    fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'code', code: 5000, estado, codigoEstado: 5000 });
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: final, motivo });
    expect(finales(caller)).toHaveLength(3);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(2);
    const paquete = await caller.call('descarga/paquete', { solicitud_id: id });
    expect([paquete.status, paquete.body.cfdi_codigo, paquete.body.data]).toEqual([409, 3003, { motivo }]);
  });

  it('asks the SAT again when it no longer knows a folio', async () => {
    const caller = await newEfirmaCaller(servicio);
    fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'code', times: 1, code: 5004 });
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(finales(caller)).toHaveLength(2);
  });

  it('state 1 for ever: VENCIDA with a refund at the deadline, and never asked again', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 2 });
    fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, VERIFICA, 2);
    expect(await verificar(caller, id)).toMatchObject({ estado: 'EN_PROCESO', motivo: null });
    expect(Number((await verificar(caller, id))['intentos'])).toBeGreaterThanOrEqual(2);
    expect(await saldoDe(servicio, caller)).toBe(1);
    await servicio.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`;
    expect(await waitForEnd(caller, id)).toMatchObject({
      estado: 'VENCIDA',
      motivo: 'PLAZO_AGOTADO',
      proxima_consulta: null,
    });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(2);
    const paquete = await caller.call('descarga/paquete', { solicitud_id: id });
    expect([paquete.status, paquete.body.cfdi_codigo]).toEqual([409, 3003]);
    expect(paquete.body.data).toEqual({ motivo: 'PLAZO_AGOTADO' });

    // Another solicitud of this taxpayer runs to its end without an event of the ended one, once deliveries under way
    // have arrived.
    await worker.stop();
    const asked = llamadas(servicio, caller, VERIFICA).length;
    servicio.simulador.world.faults.remove();
    worker = await servicio.startWorker();
    await waitForEnd(caller, await askFor(caller, { ...UN_DIA, tipo: 'emitidos' }));
    expect(llamadas(servicio, caller, VERIFICA).length - asked).toBe(2);
  });
});
