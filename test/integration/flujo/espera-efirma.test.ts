import { createLlaves } from '@acuse/db';
import { afterEach, describe, expect, it } from 'vitest';
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
import { type Caller, expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const SAT = 'cfdidescargamasivasolicitud';
const VERIFICA = 'VerificaSolicitudDescarga';

describe('the hour of the e.firma’s key ends while the SAT still works', () => {
  const servicio = useServicio({ workerEnv: { REAPER_INTERVAL_MS: '200', SAT_POLL_MAX_SECONDS: '0.2' } }, {});

  // What a test leaves open would be looked at for the rest of the file.
  afterEach(
    () => servicio.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE terminada_en IS NULL`,
  );

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
    expect(await servicio.sql`SELECT FROM evento WHERE solicitud_id = ${id} AND tipo = 'CAPSULA_HECHA'`).toEqual([]);
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
    // Only the fresh copies are valid: a step with the first copies would have to wait.
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

  describe('with a capsula', () => {
    const CON_CAPSULA = { ...UN_DIA, capsula: true };
    const capsulas = async (id: string) =>
      servicio.sql<{
        expira_en: Date;
        bytes: number;
      }>`SELECT expira_en, length(sobre) AS bytes FROM capsula WHERE solicitud_id = ${id}`;
    /** A request that the SAT works on, whose capsula is made. */
    const begin = async () => {
      const caller = await newEfirmaCaller(servicio, { saldo: 4 });
      darFilas(servicio, caller.rfc, UN_DIA, 12);
      const stuck = fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
      const id = await askFor(caller, CON_CAPSULA);
      await waitForLlamadas(servicio, caller, VERIFICA, 1);
      return { caller, id, finish: () => servicio.simulador.world.faults.remove(stuck.id) };
    };

    it('goes on without the key to its package', async () => {
      const { caller, id, finish } = await begin();
      const [capsula] = await capsulas(id);
      expect(capsula?.bytes).toBeLessThan(330_000);
      expect(capsula?.expira_en.getTime()).toBeLessThanOrEqual(Date.now() + 72 * 3_600_000);
      await expireKey(caller.contribuyenteId);
      await waitForLlamadas(servicio, caller, VERIFICA, llamadas(servicio, caller, VERIFICA).length + 2);
      finish();
      expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 12 });
      await openWhole(servicio, caller, id);
      expect(await eventosDe(servicio, id)).not.toContain('ESPERA_EFIRMA');
      expect((await eventosDe(servicio, id)).filter((tipo) => tipo === 'CAPSULA_HECHA')).toHaveLength(1);
      expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
      expect(await capsulas(id)).toEqual([]);
    });

    const otherEfirma = async ({ caller }: { caller: Caller }) =>
      expectOk(registrarCer(caller, await issueEfirma(servicio, { rfc: caller.rfc })));
    it.each<[string, (begun: Awaited<ReturnType<typeof begin>>) => Promise<unknown>]>([
      [
        'the request is cancelled',
        ({ caller, id }) => expectOk(caller.call('descarga/cancelar', { solicitud_id: id })),
      ],
      [
        'the API key is revoked',
        ({ caller }) => createLlaves(servicio.db).revoke({ apiKeyId: caller.apiKeyId, actor: 'prueba', ip: null }),
      ],
      ['the API key is replaced', ({ caller }) => servicio.newKey(caller)],
      ['another e.firma is stored', otherEfirma],
      [
        'its time is over',
        async ({ caller, id }) => {
          await expireKey(caller.contribuyenteId);
          await servicio.sql`UPDATE capsula SET expira_en = now() - interval '1 second' WHERE solicitud_id = ${id}`;
        },
      ],
      [
        'the request ends',
        ({ id }) => servicio.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`,
      ],
    ])('is gone when %s', async (_name, end) => {
      const begun = await begin();
      expect(await capsulas(begun.id)).toHaveLength(1);
      await end(begun);
      await waitFor(async () => (await capsulas(begun.id)).length === 0 || null);
    });

    it('is not renewed with a replaced e.firma, and is with the new one', async () => {
      const { caller, id, finish } = await begin();
      const renewed = await issueEfirma(servicio, { rfc: caller.rfc, password: 'contraseña ñ' });
      await expectOk(registrarCer(caller, renewed));
      await waitForLlamadas(servicio, caller, VERIFICA, llamadas(servicio, caller, VERIFICA).length + 2);
      expect(await capsulas(id)).toEqual([]);
      await expectOk(storeKey(caller, renewed));
      await waitFor(async () => (await capsulas(id)).length === 1 || null);
      await expireKey(caller.contribuyenteId);
      finish();
      expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 12 });
    });

    it('that does not open is no way on: the request waits, and its charge stands', async () => {
      const spoils: ((id: string, caller: Caller) => Promise<unknown>)[] = [
        (id) =>
          servicio.sql`UPDATE capsula SET sobre = set_byte(sobre, 9000, get_byte(sobre, 9000) # 1) WHERE solicitud_id = ${id}`,
        (id) => servicio.sql`UPDATE capsula SET sobre = substring(sobre FOR 99) WHERE solicitud_id = ${id}`,
        (id) => servicio.sql`UPDATE capsula SET expira_en = expira_en + interval '1 minute' WHERE solicitud_id = ${id}`,
        // That of another request of the same taxpayer.
        async (id, caller) => {
          const other = await askFor(caller, { ...CON_CAPSULA, tipo: 'emitidos' });
          await waitFor(async () => (await capsulas(other)).length === 1 || null);
          await servicio.sql`UPDATE capsula c SET sobre = o.sobre, expira_en = o.expira_en FROM capsula o
            WHERE c.solicitud_id = ${id} AND o.solicitud_id = ${other}`;
        },
      ];
      const spoiled = spoils.map(async (spoil) => {
        const { caller, id, finish } = await begin();
        await spoil(id, caller);
        await expireKey(caller.contribuyenteId);
        await waitForEstado(caller, id, 'ESPERA_EFIRMA');
        expect(await capsulas(id)).toEqual([]);
        finish();
        await expectOk(storeKey(caller, caller.efirma));
        expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 12 });
        expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
      });
      await Promise.all(spoiled);
    });
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
