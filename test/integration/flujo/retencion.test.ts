import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { objetosDe } from '../fixtures/objetos.ts';
import { askFor, darFilas, fail, UN_DIA, verificar } from '../fixtures/pedidos.ts';
import { download, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

describe('the retention of packages', () => {
  const servicio = useServicio(
    { workerEnv: { RETENTION_DAYS: '30', PURGE_GRACE_SECONDS: '7200', RECONCILER_INTERVAL_MS: '100' } },
    {},
  );

  /** The SAT's packages are deleted a moment after the end. */
  const soloElZip = (id: string) =>
    expect.poll(() => objetosDe(servicio, id)).toEqual([`solicitudes/${id}/paquete.zip`]);
  const set = (column: string, age: string, id: string) =>
    servicio.db.pool.query(`UPDATE solicitud SET ${column} = now() - $1::interval WHERE id = $2`, [age, id]);

  it('30 days: still there the day before, then 410, and the object goes when no URL of it can be alive', async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 5);
    const id = await askFor(caller);
    await waitForEnd(caller, id);
    const { url } = await download(caller, id);
    await soloElZip(id);

    // A younger sister tells when the reconciler has looked: whatever it does with one it does with the other.
    const old = await askFor(caller, { ...UN_DIA, tipo: 'emitidos' });
    await waitForEnd(caller, old);
    await set('terminada_en', '29 days 23 hours', id);
    await set('terminada_en', '30 days 1 minute', old);
    const gone = await waitFor(async () => {
      const answer = await caller.call('descarga/paquete', { solicitud_id: old });
      return answer.status === 410 ? answer : null;
    });
    expect(gone.body.cfdi_codigo).toBe(3004);
    expect((await caller.call('descarga/paquete', { solicitud_id: id })).status).toBe(200);

    await set('terminada_en', '30 days 1 minute', id);
    await waitFor(async () => {
      const answer = await caller.call('descarga/paquete', { solicitud_id: id });
      return answer.status === 410 ? true : null;
    });
    expect(await verificar(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 5 });

    // A URL given a moment ago is good for its hour.
    await set('paquete_borrado_en', '2 hours 1 minute', old);
    await waitFor(async () => ((await objetosDe(servicio, old)).length === 0 ? true : null));
    expect((await fetch(url)).status).toBe(200);
    await set('paquete_borrado_en', '2 hours 1 minute', id);
    await waitFor(async () => ((await objetosDe(servicio, id)).length === 0 ? true : null));
    expect((await fetch(url)).status).toBe(404);
    expect((await caller.call('descarga/paquete', { solicitud_id: id })).body.cfdi_codigo).toBe(3004);
  });

  it('copies of the SAT’s packages go when the ZIP is made; those of a failed one after the grace', async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 5);
    fail(servicio, caller, { service: 'cfdidescargamasiva', operation: 'Descargar', kind: 'wrong-content' });
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'ERROR' });
    expect(await objetosDe(servicio, id)).toHaveLength(1);
    await set('terminada_en', '2 hours 1 minute', id);
    await waitFor(async () => ((await objetosDe(servicio, id)).length === 0 ? true : null));
    expect((await caller.call('descarga/paquete', { solicitud_id: id })).body.cfdi_codigo).toBe(3003);
  });
});
