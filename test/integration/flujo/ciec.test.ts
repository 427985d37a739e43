import { describe, expect, it } from 'vitest';
import { askFor, llamadas, movimientosDe, openWhole, saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { ciecOf, expectOk, startServicio, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const WRONG = 'Equivocada-12345';

describe('the CIEC', () => {
  const servicio = useServicio({}, {});

  it('that the SAT refuses is sent once: ERROR with a refund, and no retry until it is stored again', async () => {
    const caller = await servicio.newCaller({ saldo: 3 });
    await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: WRONG }));
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'ERROR', motivo: 'CIEC_RECHAZADA' });
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(3);

    const again = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    expect([again.status, again.body.cfdi_codigo]).toEqual([400, 4004]);
    expect(again.body.cfdi_texto).toMatch(/rfc-guardar/);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
    expect(await saldoDe(servicio, caller)).toBe(3);

    await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
    const right = await askFor(caller);
    expect(await waitForEnd(caller, right)).toMatchObject({ estado: 'TERMINADA' });
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(2);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });

  it('that the SAT refuses is sent once also when several solicitudes carry it', async () => {
    const other = await startServicio();
    try {
      const caller = await other.newCaller({ saldo: 3 });
      await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: WRONG }));
      // All are accepted before the first of them can be refused.
      const ids = await Promise.all([
        askFor(caller),
        askFor(caller, { ...UN_DIA, tipo: 'emitidos' }),
        askFor(caller, { ...UN_DIA, hasta: '2025-05-20' }),
      ]);
      await other.startWorker();
      for (const id of ids) expect(await waitForEnd(caller, id)).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
      expect(llamadas(other, caller, 'EntrarCiec')).toHaveLength(1);
      expect(await saldoDe(other, caller)).toBe(3);
    } finally {
      await other.close();
    }
  });

  it('that the SAT refuses is not sent by another worker either', async () => {
    const other = await startServicio();
    try {
      const caller = await other.newCaller({ saldo: 3 });
      await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: WRONG }));
      const ids = [await askFor(caller), await askFor(caller, { ...UN_DIA, tipo: 'emitidos' })] as const;
      const lease = (until: string) =>
        other.db.pool.query(`UPDATE solicitud SET lease_until = ${until} WHERE id = $1`, [ids[1]]);
      await lease(`now() + interval '1 hour'`);
      const first = await other.startWorker();
      expect(await waitForEnd(caller, ids[0])).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
      await first.stop();
      await other.startWorker();
      await lease('NULL');
      expect(await waitForEnd(caller, ids[1])).toMatchObject({ estado: 'ERROR', motivo: 'CIEC_RECHAZADA' });
      expect(llamadas(other, caller, 'EntrarCiec')).toHaveLength(1);
      expect(await saldoDe(other, caller)).toBe(3);
    } finally {
      await other.close();
    }
  });

  it.each(['Ñ&O850412H73', 'ÑUÑ010203AB1'])('of %s, with letters beyond ASCII, opens the portal', async (rfc) => {
    const ciec = 'Ñandú&=+% 1234áü';
    servicio.simulador.world.taxpayers.change(rfc, { ciec });
    const caller = await servicio.newCaller({ rfc });
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec }));
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', motivo: null });
    await openWhole(servicio, caller, id);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
  });

  it('gets a new captcha when one is refused, twice, and then is in', async () => {
    const caller = await servicio.newCiecCaller();
    servicio.simulador.world.settings.captchas_rechazados = 2;
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(servicio.simulador.world.settings.captchas_rechazados).toBe(0);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(3);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
  });

  it('goes on trying when the captchas of one log-in are used up', async () => {
    const caller = await servicio.newCiecCaller();
    servicio.simulador.world.settings.captchas_rechazados = 4;
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(5);
  });

  it('is useless without a reader of captchas: ERROR with a refund, a reason, and no log-in', async () => {
    const other = await startServicio({ workerEnv: { CAPTCHA_RESOLVER: 'ninguno' } });
    try {
      await other.startWorker();
      const caller = await other.newCiecCaller({ saldo: 1 });
      const id = await askFor(caller);
      const end = await waitForEnd(caller, id);
      expect(end).toMatchObject({ estado: 'ERROR', motivo: 'SIN_RESOLVEDOR_DE_CAPTCHA' });
      expect(llamadas(other, caller, 'EntrarCiec')).toEqual([]);
      expect(await movimientosDe(other, id)).toEqual(['cargo -1', 'reembolso 1']);
      expect(await saldoDe(other, caller)).toBe(1);
      // The CIEC itself is not to blame: it stays good.
      expect((await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA })).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
