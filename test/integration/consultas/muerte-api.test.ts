import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abiertas, libroDe } from '../fixtures/consultas.ts';
import { fail, llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { isStopped, STEPS } from '../fixtures/procesos.ts';
import { type Answer, type Caller, expectOk, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';

const PATH = 'tax/informacion-fiscal';
const CARGO = `cargo -1 ${PATH}`;
const REEMBOLSO = `reembolso 1 ${PATH}`;
const RECONCILER = { WORKER_ROLES: 'reconciler' };
/** Of the process that ends. A call of it is given up for dead so many seconds after its charge. */
const ENV = { SAT_PRESUPUESTO_MS: '30000', SAT_GRACIA_SECONDS: '90' };
const VIDA_SECONDS = 120;

/** Several processes are started in each test. */
const PATIENT = { timeout: 400_000 };

describe('an API whose process ends while the authority thinks', PATIENT, () => {
  let servicio: Servicio;
  beforeEach(async () => {
    servicio = await startServicio();
  });
  afterEach(() => servicio.close());

  /** A caller with nine credits and a session with the portal; the SAT then stays silent for a minute. */
  async function startCall(env: Record<string, string> = ENV, headers: Record<string, string> = {}) {
    const caller = await servicio.newCiecCaller({ saldo: 10 });
    const { rfc } = caller;
    await expectOk(caller.call(PATH, { rfc }));
    const api = await servicio.startApiProcess(env);
    const rule = fail(servicio, caller, { service: '*', kind: 'slow', ms: 60_000 });
    const before = llamadas(servicio, caller).length;
    const answer = caller.at(api).call(PATH, { rfc }, headers);
    // Looked at later, and rejected by then in some tests.
    answer.catch(() => {});
    await waitFor(async () => (llamadas(servicio, caller).length > before ? true : null));
    expect(await libro(caller)).toEqual([CARGO]);
    expect(await abiertas(servicio)).toBe(1);
    const heal = () => servicio.simulador.world.faults.remove(rule.id);
    return { caller, api, answer, heal, again: () => caller.call(PATH, { rfc }, headers) };
  }
  /** What the ledger says of the calls after the first. */
  const libro = async (caller: Caller) => (await libroDe(servicio, caller)).slice(1);
  const expectGivenBack = async (caller: Caller) => {
    expect(await libro(caller)).toEqual([CARGO, REEMBOLSO]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([9, 0]);
  };
  /** The time of every open call is over: of exactly what a call may take, nothing is left. */
  async function passVida(): Promise<void> {
    const vida = `interval '${VIDA_SECONDS} seconds'`;
    const { rows } = await servicio.db.pool.query(
      `UPDATE llamada l SET vence_en = l.vence_en - ${vida} FROM movimiento m
       WHERE m.op_id = l.op_id AND m.tipo = 'cargo' RETURNING (l.vence_en - m.creado_en)::text AS resto`,
    );
    expect(rows).toEqual([{ resto: '00:00:00' }]);
    await servicio.db.pool.query(
      `UPDATE idempotencia SET bloqueada_hasta = bloqueada_hasta - ${vida} WHERE status IS NULL`,
    );
  }
  const untilGivenBack = () => waitFor(async () => ((await abiertas(servicio)) === 0 ? true : null));
  const untilFree = (call: () => Promise<Answer>) =>
    waitFor(async () => {
      const answer = await call();
      return answer.status === 409 ? null : answer;
    });

  it('by SIGKILL: the credit is given back when the time of the call is over, once', { tags: ['slow'] }, async () => {
    const { caller, api, answer, heal } = await startCall();
    api.kill('SIGKILL');
    await expect(answer).rejects.toThrow();
    await Promise.all([servicio.startWorker(RECONCILER), servicio.startWorker(RECONCILER)]);
    expect(await libro(caller)).toEqual([CARGO]);
    await passVida();
    await untilGivenBack();
    await expectGivenBack(caller);
    heal();
    await expectOk(caller.call(PATH, { rfc: caller.rfc }));
    expect(await libro(caller)).toEqual([CARGO, REEMBOLSO, CARGO]);
  });

  it('by SIGKILL, with an Idempotency-Key: its repetition waits, then is charged again for an answer, once', {
    tags: ['slow'],
  }, async () => {
    const { caller, api, answer, heal, again } = await startCall(ENV, { 'idempotency-key': randomUUID() });
    api.kill('SIGKILL');
    await expect(answer).rejects.toThrow();
    const early = await again();
    expect([early.status, early.body.data?.['reintentar_en']]).toEqual([409, expect.any(Number)]);
    await servicio.startWorker(RECONCILER);
    await passVida();
    await untilGivenBack();
    await expectGivenBack(caller);
    heal();
    const right = await untilFree(again);
    expect([right.status, right.body.saldo ?? null, right.body.cfdi_codigo]).toEqual([200, null, 1]);
    const repeated = await again();
    expect([repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([right.text, 'true']);
    expect(await libro(caller)).toEqual([CARGO, REEMBOLSO, CARGO]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([8, 0]);
  });

  it('by SIGKILL, with an Idempotency-Key repeated before anything was given back: one charge, one answer', async () => {
    const { caller, api, answer, heal, again } = await startCall(ENV, { 'idempotency-key': randomUUID() });
    api.kill('SIGKILL');
    await expect(answer).rejects.toThrow();
    heal();
    expect((await again()).status).toBe(409);
    await passVida();
    expect((await untilFree(again)).status).toBe(200);
    expect([await libro(caller), await abiertas(servicio)]).toEqual([[CARGO], 0]);
    await servicio.startWorker(RECONCILER);
    const other = await startCall();
    other.api.kill('SIGKILL');
    await passVida();
    await untilGivenBack();
    await expectGivenBack(other.caller);
    expect([await libro(caller), await saldoDe(servicio, caller)]).toEqual([[CARGO], 8]);
  });

  it('by a standstill: a refund meanwhile is not repeated on waking, and there is no answer', {
    tags: ['slow'],
  }, async () => {
    const { caller, api, answer } = await startCall({ SAT_PRESUPUESTO_MS: '8000', SAT_GRACIA_SECONDS: '112' });
    api.kill('SIGSTOP');
    await waitFor(async () => ((await isStopped(api.pid)) ? true : null));
    await servicio.startWorker(RECONCILER);
    await passVida();
    await untilGivenBack();
    api.kill('SIGCONT');
    const { status, body } = await answer;
    expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
    await expectGivenBack(caller);
  });

  it.each([
    ['an API', () => servicio.startApiProcess(ENV)],
    ['a worker', () => servicio.startWorker(STEPS)],
  ])('by SIGKILL, with the CIEC sent: %s started on its host ends the turn before the lease does', async (_, start) => {
    const caller = await servicio.newCiecCaller({ saldo: 10 });
    const { rfc } = caller;
    const dead = await servicio.startApiProcess(ENV);
    const sent = () => servicio.simulador.world.log.count({ operation: 'EntrarCiec', rfc });
    const rule = fail(servicio, caller, { service: '*', operation: 'EntrarCiec', kind: 'slow', ms: 60_000 });
    const answer = caller.at(dead).call(PATH, { rfc });
    answer.catch(() => {});
    await waitFor(async () => sent() === 1 || null);
    dead.kill('SIGKILL');
    await expect(answer).rejects.toThrow();
    servicio.simulador.world.faults.remove(rule.id);
    await start();
    await expectOk(caller.call(PATH, { rfc }));
    expect(sent()).toBe(2);
  });

  it('by SIGTERM: the call is answered 503/5041 with a refund at once, and the process ends in order', async () => {
    const { caller, api, answer } = await startCall({ SAT_PRESUPUESTO_MS: '60000', SHUTDOWN_SECONDS: '9' });
    const ended = api.stop();
    const { status, body } = await answer;
    expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
    expect(body.data?.['motivo']).toEqual(expect.stringMatching(/SAT/));
    expect(await ended).toBe(true);
    await expectGivenBack(caller);
  });
});
