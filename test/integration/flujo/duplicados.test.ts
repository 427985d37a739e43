import { describe, expect, it } from 'vitest';
import { askFor, fail, llamadas, movimientosDe, saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const UNKNOWN = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';

describe('the same request again', () => {
  const servicio = useServicio({}, {});

  const ask = (caller: Caller, clave?: string, pedido: object = UN_DIA) =>
    caller.call(
      'tax/descarga-metadata',
      { rfc: caller.rfc, ...pedido },
      clave === undefined ? {} : { 'idempotency-key': clave },
    );
  /** The SAT is away for this caller until the returned function is called. */
  const hold = (caller: Caller) => {
    const rule = fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
    return () => servicio.simulador.world.faults.remove(rule.id);
  };

  it('while it runs: the same solicitud, nothing charged, however many ask at once', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const release = hold(caller);
    const answers = await Promise.all(Array.from({ length: 8 }, () => expectOk(ask(caller))));
    const ids = new Set(answers.map((data) => String(data['solicitud_id'])));
    expect(ids.size).toBe(1);
    expect(answers.filter((data) => data['duplicada'] === true)).toHaveLength(7);
    expect(answers.filter((data) => data['duplicada'] === undefined)).toHaveLength(1);
    expect(await saldoDe(servicio, caller)).toBe(4);
    const other = await expectOk(ask(caller, undefined, { ...UN_DIA, tipo: 'emitidos' }));
    expect(ids.has(String(other['solicitud_id']))).toBe(false);
    release();
    for (const id of [...ids, String(other['solicitud_id'])]) await waitForEnd(caller, id);
    expect(llamadas(servicio, caller, 'Buscar')).toHaveLength(2);
    expect(await saldoDe(servicio, caller)).toBe(3);
  });

  it('after its end: a new solicitud, charged again', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const first = await askFor(caller);
    await waitForEnd(caller, first);
    const second = await askFor(caller);
    expect(second).not.toBe(first);
    await waitForEnd(caller, second);
    expect(await saldoDe(servicio, caller)).toBe(3);
  });

  it('of another key: another solicitud', async () => {
    const [a, b] = [await servicio.newCiecCaller(), await servicio.newCiecCaller()];
    const releases = [hold(a), hold(b)];
    expect(await askFor(a)).not.toBe(await askFor(b));
    for (const release of releases) release();
  });

  it('with an Idempotency-Key: the first answer byte for byte, also after the end, charged once', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const first = await ask(caller, 'pedido-1');
    expect(first.status).toBe(200);
    const again = await ask(caller, 'pedido-1');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const id = String(first.body.data?.['solicitud_id']);
    await waitForEnd(caller, id);
    const late = await ask(caller, 'pedido-1');
    expect([late.status, late.text]).toEqual([200, first.text]);
    expect(await saldoDe(servicio, caller)).toBe(4);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);

    const fresh = await ask(caller, 'pedido-2');
    expect(fresh.body.data?.['solicitud_id']).not.toBe(id);
    expect(await saldoDe(servicio, caller)).toBe(3);
  });

  it('with an Idempotency-Key and another body: 9409, nothing charged', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    await expectOk(ask(caller, 'a'));
    const other = await ask(caller, 'a', { ...UN_DIA, tipo: 'emitidos' });
    expect([other.status, other.body.cfdi_codigo]).toEqual([409, 9409]);
    expect(await saldoDe(servicio, caller)).toBe(4);
  });

  it('with an Idempotency-Key that is in flight: 9409, and the answer afterwards', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const lock = await servicio.db.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('SELECT FROM cuenta WHERE id = $1 FOR UPDATE', [caller.cuentaId]);
      const both = [ask(caller, 'a'), ask(caller, 'a')] as const;
      // One of them waits for the lock, so that the first answer is the other one's.
      const meanwhile = await Promise.race(both);
      expect([meanwhile.status, meanwhile.body.cfdi_codigo]).toEqual([409, 9409]);
      expect(Number(meanwhile.headers.get('retry-after'))).toBeGreaterThan(0);
      await lock.query('COMMIT');
      expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    } finally {
      lock.release();
    }
    const after = await ask(caller, 'a');
    expect(after.status).toBe(200);
    expect(await saldoDe(servicio, caller)).toBe(4);
  });

  it('with an Idempotency-Key whose first attempt was refused: is made again', async () => {
    const caller = await servicio.newCaller({ saldo: 5 });
    const refused = await ask(caller, 'a');
    expect([refused.status, refused.body.cfdi_codigo]).toEqual([400, 4003]);
    await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
    expect((await ask(caller, 'a')).status).toBe(200);
    expect(await saldoDe(servicio, caller)).toBe(4);
  });

  it('without credits: 1004, nothing is made', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 1 });
    await askFor(caller);
    const { status, body } = await ask(caller, undefined, { ...UN_DIA, tipo: 'emitidos' });
    expect([status, body.cfdi_codigo]).toEqual([402, 1004]);
    expect(await servicio.sql`SELECT FROM solicitud WHERE cuenta_id = ${caller.cuentaId}`).toHaveLength(1);
  });

  it('a solicitud of another account is answered like an unknown one, byte for byte', async () => {
    const [owner, stranger] = [await servicio.newCiecCaller(), await servicio.newCiecCaller()];
    const id = await askFor(owner);
    await waitForEnd(owner, id);
    for (const path of ['descarga/verificar', 'descarga/paquete']) {
      expect((await owner.call(path, { solicitud_id: id })).status).toBe(200);
      const [foreign, unknown] = [
        await stranger.call(path, { solicitud_id: id }),
        await stranger.call(path, { solicitud_id: UNKNOWN }),
      ];
      expect([foreign.status, foreign.body.cfdi_codigo]).toEqual([404, 2002]);
      expect(foreign.text).toBe(unknown.text);
      expect(withoutOwn(foreign.headers)).toEqual(withoutOwn(unknown.headers));
    }
  });
});

/** Header fields but for the two that differ between any two answers. */
function withoutOwn(headers: Headers): Record<string, string> {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return rest;
}
