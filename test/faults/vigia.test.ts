import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { onEachDriver } from '../integration/fixtures/drivers.ts';
import { askFor } from '../integration/fixtures/pedidos.ts';
import { LOOPS, logOf, STEPS, tellFailure } from '../integration/fixtures/procesos.ts';
import { expectWhole, MES } from '../integration/fixtures/resultado.ts';
import { type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';

onEachDriver('a worker that gets no wake-up although rows are due', (queueUrl) => {
  let servicio: Servicio;
  beforeAll(async () => {
    servicio = await startServicio(queueUrl ? { queueUrl } : {});
  });
  afterEach((context) => tellFailure(servicio, context));
  afterAll(() => servicio.close());

  it('creates a new consumer, and ends when that does not help either', async () => {
    const caller = await servicio.newCiecCaller();
    await servicio.startWorker(LOOPS);
    const deaf = await servicio.startWorker({ ...STEPS, QUEUE_NAMESPACE: `${servicio.bucket}-elsewhere` });
    const id = await askFor(caller, MES);
    await waitFor(async () => !deaf.isRunning() || null, 240);
    const log = await logOf(servicio, deaf.name);
    expect(log).toContain('worker_stalled_rebuilding');
    expect(log).toContain('worker_stalled_exiting');
    await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id);
  });
});
