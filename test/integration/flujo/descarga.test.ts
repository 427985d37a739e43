import { expect, it } from 'vitest';
import { onEachDriver } from '../fixtures/drivers.ts';
import { askFor, openPaquete, type Pedido } from '../fixtures/pedidos.ts';
import { expectWhole } from '../fixtures/resultado.ts';
import { useServicio } from '../fixtures/servicio.ts';

const TRES_MESES: Pedido = { tipo: 'recibidos', desde: '2025-01-10', hasta: '2025-03-05' };

onEachDriver('the main job', (queueUrl) => {
  const servicio = useServicio({ queueUrl, simulador: { filas_por_paquete: 20 } });

  it('carries received CFDI through the portal with the CIEC, month by month, into one ZIP', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const id = await askFor(caller, TRES_MESES);
    const before = await caller.call('descarga/paquete', { solicitud_id: id });
    expect([before.status, before.body.cfdi_codigo]).toEqual([409, 3002]);

    const worker = await servicio.startWorker();
    await expectWhole(servicio, caller, id, TRES_MESES);
    const { names, manifest } = await openPaquete(caller, id);
    expect(names.filter((name) => name.startsWith('originales/')).length).toBeGreaterThan(2);
    expect(manifest).toMatchObject({ rfc: caller.rfc });
    // Noted once for three ready periods: the wait for later callers, written at the latest when the worker ends.
    await worker.stop();
    expect(await servicio.sql`SELECT modo, canal, tipo, descargas FROM espera_sat`).toEqual([
      { modo: 'test', canal: 'portal', tipo: 'recibidos', descargas: 1 },
    ]);
  });
});
