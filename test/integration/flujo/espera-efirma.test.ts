import { describe, expect, it } from 'vitest';
import { issueEfirma, newEfirmaCaller, registrarCer, storeKey } from '../fixtures/efirma.ts';
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
  waitForEstado,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const SAT = 'cfdidescargamasivasolicitud';
const VERIFICA = 'VerificaSolicitudDescarga';

describe('the hour of the e.firma’s key ends while the SAT still works', () => {
  const servicio = useServicio({ workerEnv: { REAPER_INTERVAL_MS: '200' } }, {});

  const expireKey = async (contribuyenteId: string) => {
    await servicio.sql`WITH llave AS (UPDATE credencial SET expira_en = now() - interval '1 second'
      WHERE contribuyente_id = ${contribuyenteId} AND tipo = 'efirma_key')
       UPDATE credencial_sellada c SET expira_en = now() - interval '1 second' FROM solicitud s
         WHERE s.id = c.solicitud_id AND s.contribuyente_id = ${contribuyenteId}`;
  };
  const selladas = async (id: string) => {
    return await servicio.sql<{ expira_en: Date }>`SELECT expira_en FROM credencial_sellada WHERE solicitud_id = ${id}`;
  };

  it('waits as ESPERA_EFIRMA and goes on by itself when the key is stored again', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 4 });
    darFilas(servicio, caller.rfc, UN_DIA, 12);
    const stuck = fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, VERIFICA, 2);
    await expireKey(caller.contribuyenteId);

    expect(await waitForEstado(caller, id, 'ESPERA_EFIRMA')).toMatchObject({
      motivo: 'EFIRMA_EXPIRADA',
      proxima_consulta: null,
      terminada_en: null,
    });
    expect(await selladas(id)).toEqual([]);
    const paquete = await caller.call('descarga/paquete', { solicitud_id: id });
    expect([paquete.status, paquete.body.cfdi_codigo]).toEqual([409, 3002]);
    servicio.simulador.world.faults.remove(stuck.id);
    const asked = llamadas(servicio, caller, VERIFICA).length;

    await expectOk(storeKey(caller, caller.efirma));
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 12, motivo: null });
    expect(llamadas(servicio, caller, VERIFICA).length).toBeGreaterThan(asked);
    await openWhole(servicio, caller, id);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(1);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    expect(await saldoDe(servicio, caller)).toBe(3);
    expect(await eventosDe(servicio, id)).toContain('ESPERA_EFIRMA');
  });

  it('answers the same solicitud to the same request while it waits, without a charge', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 4 });
    fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, VERIFICA, 1);
    await expireKey(caller.contribuyenteId);
    await waitForEstado(caller, id, 'ESPERA_EFIRMA');
    await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: 'C'.repeat(16) }));
    const again = await expectOk(caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA }));
    expect(again).toEqual({ solicitud_id: id, estado: 'ESPERA_EFIRMA', duplicada: true });
    expect(await saldoDe(servicio, caller)).toBe(3);

    await servicio.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`;
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
    expect(await saldoDe(servicio, caller)).toBe(4);
  });

  it('goes on with a renewed e.firma', async () => {
    const caller = await newEfirmaCaller(servicio);
    const stuck = fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, VERIFICA, 1);
    await expireKey(caller.contribuyenteId);
    await waitForEstado(caller, id, 'ESPERA_EFIRMA');
    servicio.simulador.world.faults.remove(stuck.id);
    servicio.simulador.world.pki.revoke(caller.efirma.numero);
    const renewed = await issueEfirma(servicio, { rfc: caller.rfc, password: 'contraseña ñ' });
    await expectOk(registrarCer(caller, renewed));
    await expectOk(storeKey(caller, renewed));
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
  });

  it('refreshes the copies of all running ones when the key is stored before its hour is over', async () => {
    const caller = await newEfirmaCaller(servicio);
    const stuck = fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const ids = [await askFor(caller), await askFor(caller, { ...UN_DIA, tipo: 'emitidos' })];
    await waitForLlamadas(servicio, caller, VERIFICA, 2);
    const before = (await Promise.all(ids.map(selladas))).flat();
    await expectOk(storeKey(caller, caller.efirma));
    const after = (await Promise.all(ids.map(selladas))).flat();
    expect(after).toHaveLength(2);
    for (const [i, row] of after.entries()) {
      expect(row.expira_en.getTime()).toBeGreaterThan(Number(before[i]?.expira_en.getTime()));
    }
    // Only the fresh copies are good now: whoever still used the first ones would have to wait.
    servicio.simulador.world.faults.remove(stuck.id);
    for (const id of ids) expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    for (const id of ids) expect(await eventosDe(servicio, id)).not.toContain('ESPERA_EFIRMA');
  });

  it('goes on with the e.firma that is stored under a new API key', async () => {
    const caller = await newEfirmaCaller(servicio);
    const stuck = fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, VERIFICA, 1);
    const renewed = await servicio.newKey(caller);
    await expireKey(caller.contribuyenteId);
    await waitForEstado(renewed, id, 'ESPERA_EFIRMA');
    servicio.simulador.world.faults.remove(stuck.id);
    await expectOk(registrarCer(renewed, caller.efirma));
    await expectOk(storeKey(renewed, caller.efirma));
    expect(await waitForEnd(renewed, id)).toMatchObject({ estado: 'TERMINADA' });
  });

  it('deletes the key and every copy of it within the reaper’s turn', async () => {
    const caller = await newEfirmaCaller(servicio);
    fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await expireKey(caller.contribuyenteId);
    await waitFor(async () => {
      const keys = await servicio.sql`SELECT FROM credencial
        WHERE contribuyente_id = ${caller.contribuyenteId} AND tipo = 'efirma_key'`;
      return (keys.length === 0 && (await selladas(id)).length === 0) || null;
    });
    const estado = await expectOk(caller.call('vault/firma-estado', { rfc: caller.rfc }));
    expect(estado).toMatchObject({ tiene_cer: true, tiene_key: false, vigente: true });
  });
});
