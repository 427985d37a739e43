import { expect, it } from 'vitest';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, fail, llamadas, waitForEstado } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS } from '../fixtures/procesos.ts';
import { askedOfSat, expectWhole, MES } from '../fixtures/resultado.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

/** Settings of a process with a clock so many minutes off. */
const clockOff = (minutes: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `globalThis.Date=new Proxy(Date,{construct:(D,a,n)=>Reflect.construct(D,a.length?a:[D.now()+${minutes * 60_000}],n),` +
      `get:(D,k)=>k==='now'?()=>D.now()+${minutes * 60_000}:Reflect.get(D,k,D)})`,
  )}`,
});

flowOnEachDriver('workers whose clocks are five minutes off', (queueUrl) => {
  const servicio = useServicio({ queueUrl }, { ...LOOPS, ...clockOff(5) });

  it('take nothing that another has in its hands, ahead or behind', async () => {
    const caller = await newEfirmaCaller(servicio);
    const operation = 'SolicitaDescargaRecibidos';
    fail(servicio, caller, { service: 'cfdidescargamasivasolicitud', operation, kind: 'slow', times: 1, ms: 4_000 });
    const behind = await servicio.startWorker({ ...STEPS, ...clockOff(-5) });
    const id = await askFor(caller, MES);
    await waitFor(async () => llamadas(servicio, caller, operation).length > 0 || null);
    const ahead = await servicio.startWorker({ ...STEPS, ...clockOff(5) });
    await expectWhole(servicio, caller, id);
    expect(askedOfSat(servicio, caller.rfc)).toMatchObject({ sends: 1, solicitudes: 1 });
    for (const worker of [behind, ahead]) expect(await worker.stop()).toBe(true);
  });

  it('do not use an e.firma whose hour is over by the clock of the database', async () => {
    const caller = await newEfirmaCaller(servicio);
    const id = await askFor(caller, MES);
    await servicio.sql`UPDATE credencial_sellada SET expira_en = now() - interval '1 second'
      WHERE solicitud_id = ${id}`;
    // By its own clock there are five minutes left.
    const behind = await servicio.startWorker({ ...STEPS, ...clockOff(-5) });
    expect(await waitForEstado(caller, id, 'ESPERA_EFIRMA')).toMatchObject({ motivo: 'EFIRMA_EXPIRADA' });
    expect(llamadas(servicio, caller)).toEqual([]);
    expect(await behind.stop()).toBe(true);
  });
});
