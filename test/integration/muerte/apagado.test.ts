import type { AppProcess } from '@acuse/embedded';
import { createQueue } from '@acuse/queue';
import { expect, inject, it } from 'vitest';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { type Held, startPipe } from '../fixtures/pipe.ts';
import { LOOPS, logOf, STEPS } from '../fixtures/procesos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { urlAs } from '../fixtures/roles.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

flowOnEachDriver('a worker that is told to end', (queueUrl) => {
  const pipe = duringTests(() => startPipe(inject('s3').endpoint));
  const servicio = useServicio(() => ({ queueUrl, workerEnv: { S3_ENDPOINT: pipe.url } }), LOOPS);

  /** Tells it to end while something is held up, and wakes meanwhile, whether or not the relay still counts on it. */
  async function endWithout(leaving: AppProcess, held: Held): Promise<() => Promise<void>> {
    const ended = leaving.stop();
    await waitFor(async () => (await logOf(servicio, leaving.name)).includes('shutdown_begun') || null);
    const caller = await newEfirmaCaller(servicio);
    const id = await askFor(caller, MES);
    const queue = createQueue({ url: queueUrl ?? servicio.databaseUrl, namespace: servicio.bucket });
    await queue.wake([{ solicitudId: id, gen: 1, queue: 'descargas' }], AbortSignal.timeout(20_000));
    await queue.close();
    held.deliver();
    expect(await ended).toBe(true);
    const [claims] = await servicio.sql`SELECT epoch::int FROM solicitud WHERE id = ${id}`;
    expect(claims).toEqual({ epoch: 0 });
    return () => expectWhole(servicio, caller, id);
  }

  it('takes nothing new from one queue while a step of another goes on', async () => {
    const one = await newEfirmaCaller(servicio);
    const leaving = await servicio.startWorker(STEPS);
    const zip = pipe.catchRequest('paquete.zip');
    const first = await askFor(one, MES);
    const isWhole = await endWithout(leaving, await zip);
    const staying = await servicio.startWorker(STEPS);
    await expectWhole(servicio, one, first);
    await isWhole();
    expect(await staying.stop()).toBe(true);
  });

  it('takes nothing new while the database leaves its heartbeat unanswered', async ({ onTestFinished }) => {
    const database = await startPipe(servicio.databaseUrl);
    onTestFinished(() => database.close());
    const url = new URL(urlAs(servicio.databaseUrl, 'worker'));
    url.port = new URL(database.url).port;
    const beat = database.catchReply('INTO latido');
    const env = { ...STEPS, DATABASE_URL: url.href, QUEUE_URL: queueUrl ?? servicio.databaseUrl };
    const leaving = await servicio.startWorker(env);
    const isWhole = await endWithout(leaving, await beat);
    await database.close();
    const staying = await servicio.startWorker(STEPS);
    await isWhole();
    expect(await staying.stop()).toBe(true);
  });
});
