import { createQueue } from '@acuse/queue';
import { expect, inject, it } from 'vitest';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { startPipe } from '../fixtures/pipe.ts';
import { LOOPS, logOf, STEPS } from '../fixtures/procesos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

flowOnEachDriver('a worker that is told to end', (queueUrl) => {
  const pipe = duringTests(() => startPipe(inject('s3').endpoint));
  const servicio = useServicio(() => ({ queueUrl, workerEnv: { S3_ENDPOINT: pipe.url } }), LOOPS);

  it('takes nothing new from one queue while a step of another goes on', async () => {
    const [one, other] = [await newEfirmaCaller(servicio), await newEfirmaCaller(servicio)];
    const leaving = await servicio.startWorker(STEPS);
    const zip = pipe.catchRequest('paquete.zip');
    const first = await askFor(one, MES);
    const held = await zip;
    const ended = leaving.stop();
    await waitFor(async () => (await logOf(servicio, leaving.name)).includes('shutdown_begun') || null);
    const second = await askFor(other, MES);
    // Whether or not the relay still counts on it.
    const queue = createQueue({ url: queueUrl ?? servicio.databaseUrl, namespace: servicio.bucket });
    await queue.ring([{ solicitudId: second, gen: 1, queue: 'descargas' }], AbortSignal.timeout(20_000));
    await queue.close();
    held.deliver();
    expect(await ended).toBe(true);
    const [claims] = await servicio.sql`SELECT epoch::int FROM solicitud WHERE id = ${second}`;
    expect(claims).toEqual({ epoch: 0 });

    const staying = await servicio.startWorker(STEPS);
    await expectWhole(servicio, one, first);
    await expectWhole(servicio, other, second);
    expect(await staying.stop()).toBe(true);
  });
});
