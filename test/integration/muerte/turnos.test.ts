import { expect, it } from 'vitest';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, eventosDe, fail, llamadas } from '../fixtures/pedidos.ts';
import { LOOPS, MORTAL, STEPS } from '../fixtures/procesos.ts';
import { askedOfSat, expectWhole, MES } from '../fixtures/resultado.ts';
import { type Caller, useServicio, waitFor } from '../fixtures/servicio.ts';

flowOnEachDriver('a step and its worker', (queueUrl) => {
  const servicio = useServicio({ queueUrl }, LOOPS);

  /** The SAT takes this long for its answer to a request of the caller, by default for the next one only. */
  const slowSat = (caller: Caller, ms: number, times = 1) =>
    fail(servicio, caller, {
      service: 'cfdidescargamasivasolicitud',
      operation: 'SolicitaDescargaRecibidos',
      kind: 'slow',
      times,
      ms,
    });
  const isAsked = (caller: Caller) =>
    waitFor(async () => llamadas(servicio, caller, 'SolicitaDescargaRecibidos').length > 0 || null);

  it('keeps its claim for as long as it takes, also beyond the lease', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    slowSat(caller, 9_000);
    // It is lengthened each time that a third of it is over, so that one may be late.
    const brief = { ...STEPS, LEASE_SECONDS: '4' };
    const workers = [await servicio.startWorker(brief), await servicio.startWorker(brief)];
    const id = await askFor(caller, MES);
    await expectWhole(servicio, caller, id);
    expect(askedOfSat(servicio, caller.rfc)).toMatchObject({ sends: 1, solicitudes: 1 });
    for (const worker of workers) expect(await worker.stop()).toBe(true);
  });

  it('is given back by SIGTERM when it takes too long, and goes on elsewhere at once', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    slowSat(caller, 300_000);
    // A claim that is not given back would hold the solicitud for far longer than this test waits.
    const patient = { ...STEPS, LEASE_SECONDS: '600' };
    const leaving = await servicio.startWorker({ ...patient, SHUTDOWN_SECONDS: '1' });
    const id = await askFor(caller, MES);
    await isAsked(caller);
    const staying = await servicio.startWorker(patient);
    expect(await leaving.stop()).toBe(true);
    await expectWhole(servicio, caller, id);
    expect(await eventosDe(servicio, id)).not.toContain('FALLO_INTERNO');
    expect(askedOfSat(servicio, caller.rfc).solicitudes).toBeLessThanOrEqual(2);
    expect(await staying.stop()).toBe(true);
  });

  it('is finished before SIGTERM ends its worker when there is time for it', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    slowSat(caller, 1_500);
    const leaving = await servicio.startWorker(STEPS);
    const id = await askFor(caller, MES);
    await isAsked(caller);
    expect(await leaving.stop()).toBe(true);
    expect(await eventosDe(servicio, id)).toContain('SOLICITADA');
    const staying = await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id);
    expect(askedOfSat(servicio, caller.rfc).sends).toBe(1);
    expect(await staying.stop()).toBe(true);
  });

  it('is not lost when every worker is dead for longer than the leases', async () => {
    const callers = await Promise.all([1, 2, 3].map(() => newEfirmaCaller(servicio)));
    const slow = callers.map((caller) => slowSat(caller, 300_000, Number.POSITIVE_INFINITY));
    const workers = [await servicio.startWorker(MORTAL), await servicio.startWorker(MORTAL)];
    const ids = await Promise.all(callers.map((caller) => askFor(caller, MES)));
    for (const caller of callers) await isAsked(caller);
    for (const worker of workers) worker.kill('SIGKILL');
    for (const { id } of slow) servicio.simulador.world.faults.remove(id);
    await waitFor(async () => {
      const held = await servicio.sql`SELECT FROM solicitud WHERE id = ANY (${ids}::uuid[]) AND lease_until > now()`;
      return held.length === 0 || null;
    });
    const rows = await servicio.sql`SELECT DISTINCT estado FROM solicitud WHERE id = ANY (${ids}::uuid[])`;
    expect(rows).toEqual([{ estado: 'EN_PROCESO' }]);
    const back = await servicio.startWorker(STEPS);
    for (const [at, caller] of callers.entries()) await expectWhole(servicio, caller, ids[at] ?? '');
    expect(await back.stop()).toBe(true);
  });
});
