import { createLlaves } from '@acuse/db';
import type { AppProcess } from '@acuse/embedded';
import { beforeAll, describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import {
  askFor,
  fail,
  llamadas,
  movimientosDe,
  openPaquete,
  saldoDe,
  UN_DIA,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const VERIFICA = 'VerificaSolicitudDescarga';

describe('an API key ends while solicitudes run', () => {
  const servicio = useServicio();
  let worker: AppProcess;
  beforeAll(async () => {
    worker = await servicio.startWorker();
  });

  const hold = (caller: Caller) =>
    fail(servicio, caller, { service: 'cfdidescargamasivasolicitud', operation: VERIFICA, kind: 'stuck' }).id;
  const credenciales = async ({ contribuyenteId }: Caller) => {
    return (await servicio.sql`SELECT FROM credencial WHERE contribuyente_id = ${contribuyenteId}`).length;
  };

  it('replaced: they end well, the old key is dead, the new one starts without credentials', async () => {
    const old = await newEfirmaCaller(servicio, { saldo: 5 });
    const held = hold(old);
    const id = await askFor(old);
    await waitForLlamadas(servicio, old, VERIFICA, 1);
    const renewed = await servicio.newKey(old);
    expect(await credenciales(old)).toBe(0);

    for (const path of ['descarga/verificar', 'descarga/paquete']) {
      const dead = await old.call(path, { solicitud_id: id });
      expect([dead.status, dead.body.cfdi_codigo]).toEqual([401, 1002]);
    }
    const deadAsk = await old.call('tax/descarga-metadata', { rfc: old.rfc, ...UN_DIA });
    expect([deadAsk.status, deadAsk.body.cfdi_codigo]).toEqual([401, 1002]);
    const empty = await renewed.call('tax/descarga-metadata', { rfc: old.rfc, ...UN_DIA, tipo: 'emitidos' });
    expect([empty.status, empty.body.cfdi_codigo]).toEqual([400, 4003]);

    servicio.simulador.world.faults.remove(held);
    expect(await waitForEnd(renewed, id)).toMatchObject({ estado: 'TERMINADA' });
    expect((await openPaquete(renewed, id)).manifest).toMatchObject({ rfc: old.rfc });
    expect(await saldoDe(servicio, old)).toBe(4);

    await expectOk(renewed.call('vault/rfc-guardar', { rfc: old.rfc, ciec: ciecOf(old.rfc) }));
    expect(await waitForEnd(renewed, await askFor(renewed))).toMatchObject({ estado: 'TERMINADA' });
  });

  it('revoked: they end with a refund, and the worker leaves the SAT alone', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 5 });
    const held = hold(caller);
    const ids = [await askFor(caller), await askFor(caller, { ...UN_DIA, tipo: 'emitidos' })];
    await waitForLlamadas(servicio, caller, VERIFICA, 2);
    const { apiKeyId } = caller;
    expect(await createLlaves(servicio.db).revoke({ apiKeyId, actor: 'prueba', ip: null })).toBe(2);
    expect(await credenciales(caller)).toBe(0);
    const dead = await caller.call('descarga/verificar', { solicitud_id: ids[0] });
    expect([dead.status, dead.body.cfdi_codigo]).toEqual([401, 1002]);
    for (const id of ids) expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(5);

    // A delivery under way arrives before its worker ends; then another solicitud runs to its end without an event of
    // this one.
    await worker.stop();
    const asked = llamadas(servicio, caller).length;
    servicio.simulador.world.faults.remove(held);
    worker = await servicio.startWorker();
    const witness = await servicio.newCiecCaller();
    await waitForEnd(witness, await askFor(witness));
    expect(llamadas(servicio, caller)).toHaveLength(asked);

    const renewed = await servicio.newKey(caller);
    for (const id of ids) {
      const data = await expectOk(renewed.call('descarga/verificar', { solicitud_id: id }));
      expect(data).toMatchObject({ estado: 'ERROR', motivo: 'API_KEY_REVOCADA' });
      const paquete = await renewed.call('descarga/paquete', { solicitud_id: id });
      expect([paquete.status, paquete.body.cfdi_codigo]).toEqual([409, 3003]);
      expect(paquete.body.data).toEqual({ motivo: 'API_KEY_REVOCADA' });
    }
  });
});
