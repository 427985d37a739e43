import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../fixtures/procesos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { type Caller, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';
import { type Fin, type OwnPostgres, ownPostgres } from '../fixtures/servidores.ts';

flowOnEachDriver('the database ends in the middle of the work', (queueUrl) => {
  let postgres: OwnPostgres;
  let servicio: Servicio;
  beforeAll(async () => {
    postgres = await ownPostgres();
    servicio = await startServicio({
      ...(queueUrl ? { queueUrl } : {}),
      database: postgres.database,
      simulador: { segundos_hasta_terminar: 3 },
      // A claim that could not be released without the database expires soon.
      workerEnv: { LEASE_SECONDS: '3' },
    });
  });
  afterEach((context) => tellFailure(servicio, context));
  afterAll(() => servicio.close());

  eachAtLength<Fin>(queueUrl ? ['kill'] : ['kill', 'stop'])(
    '%s: refused meanwhile, and everything goes on afterwards',

    async (fin) => {
      const workers = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
      const callers: Caller[] = [];
      for (let n = 0; n < 4; n += 1) callers.push(await newEfirmaCaller(servicio));
      const ids = await Promise.all(callers.map((caller) => askFor(caller, MES)));
      const [caller] = callers;
      if (!caller) throw new Error('no caller');
      const { log } = servicio.simulador.world;
      await waitFor(async () => log.count({ operation: 'VerificaSolicitudDescarga', rfc: caller.rfc }) > 0 || null);

      await postgres.end(fin);
      const refused = await caller.call('descarga/verificar', { solicitud_id: ids[0] });
      expect([refused.status, refused.body.cfdi_codigo]).toEqual([503, 5041]);
      const other = { ...MES, tipo: 'emitidos' } as const;
      const asked = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...other });
      expect([asked.status, asked.body.cfdi_codigo]).toEqual([503, 5041]);

      await postgres.start();
      const after = await waitFor(() => askFor(caller, other).catch(() => null));
      for (const [at, each] of callers.entries()) await expectWhole(servicio, each, ids[at] ?? '');
      await expectWhole(servicio, caller, after, other);
      // None of them had to be started again.
      for (const worker of workers) expect(await worker.stop()).toBe(true);
    },
  );

  it('workers that start while it is away begin their work when it is there', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    const id = await askFor(caller, MES);
    await postgres.end('stop');
    const worker = await servicio.startWorker();
    await postgres.start();
    await expectWhole(servicio, caller, id);
    expect(await worker.stop()).toBe(true);
  });
});
