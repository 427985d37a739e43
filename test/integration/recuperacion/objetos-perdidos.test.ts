import { describe, expect, it, onTestFinished } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { objetosDe, removeObjetos } from '../fixtures/objetos.ts';
import { askFor, darFilas, eventosDe, fail, llamadas, movimientosDe, saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { expectWhole } from '../fixtures/resultado.ts';
import { type Caller, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

/**
 * After a restore the rows say that the packages of the SAT are stored, but the first end of the request deleted them
 * from the object store.
 */
describe('the object store lost packages of the SAT before their assembly', { timeout: 600_000 }, () => {
  const servicio = useServicio({ simulador: { filas_por_paquete: 3 } }, { WORKER_ROLES: 'descargas,relay,reconciler' });

  async function withNineRows<C extends Caller>(caller: C): Promise<C> {
    darFilas(servicio, caller.rfc, UN_DIA, 9);
    return caller;
  }
  const newCaller = async () => withNineRows(await newEfirmaCaller(servicio));
  const countOf = (caller: Caller) => ({
    solicitudes: llamadas(servicio, caller, 'SolicitaDescargaRecibidos').length,
    descargas: llamadas(servicio, caller, 'Descargar').length,
  });

  /** Only this worker assembles; it is stopped so that the next test can lose packages in time. */
  const assembling = async (): Promise<void> => {
    const worker = await servicio.startWorker({ WORKER_ROLES: 'ensambles' });
    onTestFinished(async () => void (await worker.stop()));
  };

  /** A request with its packages stored, which nothing assembles yet; the store loses them but for `kept`. */
  async function loseAll(caller: Caller, kept = 0): Promise<string> {
    const id = await askFor(caller);
    await waitFor(async () => {
      const [row] = await servicio.sql`SELECT fase FROM solicitud WHERE id = ${id}`;
      return row?.['fase'] === 'ENSAMBLE' || null;
    });
    const stored = await objetosDe(servicio, id);
    expect(stored.length).toBeGreaterThan(kept);
    await removeObjetos(servicio, stored.slice(kept));
    return id;
  }

  it('fetches them a second time, and only those that are gone', async () => {
    const [all, some] = [await newCaller(), await newCaller()];
    const [allLost, oneLost] = [await loseAll(all), await loseAll(some, 2)];
    expect([countOf(all), countOf(some)]).toEqual([
      { solicitudes: 1, descargas: 3 },
      { solicitudes: 1, descargas: 3 },
    ]);
    await assembling();
    await expectWhole(servicio, all, allLost, UN_DIA);
    await expectWhole(servicio, some, oneLost, UN_DIA);
    expect([countOf(all), countOf(some)]).toEqual([
      { solicitudes: 1, descargas: 6 },
      { solicitudes: 1, descargas: 4 },
    ]);
    const eventos = await eventosDe(servicio, allLost);
    expect(eventos.filter((tipo) => tipo === 'PAQUETE_ILEGIBLE' || tipo === 'FALLO_INTERNO')).toEqual([
      'PAQUETE_ILEGIBLE',
    ]);
  });

  it('fetches them again from the portal', async () => {
    const caller = await withNineRows(await servicio.newCiecCaller());
    const id = await loseAll(caller);
    await assembling();
    await expectWhole(servicio, caller, id, UN_DIA);
  });

  it('asks for the same period again when the SAT gives a package no more (5008)', async () => {
    const caller = await newCaller();
    const id = await loseAll(caller);
    fail(servicio, caller, {
      service: 'cfdidescargamasiva',
      operation: 'Descargar',
      kind: 'code',
      code: 5008,
      times: 1,
    });
    await assembling();
    await expectWhole(servicio, caller, id, UN_DIA);
    expect(countOf(caller)).toEqual({ solicitudes: 2, descargas: 7 });
    expect(await eventosDe(servicio, id)).toContain('REENVIADA');
  });

  it('ends with a refund when the SAT gives none of its packages', async () => {
    const caller = await newCaller();
    const id = await loseAll(caller);
    fail(servicio, caller, { service: 'cfdidescargamasiva', operation: 'Descargar', kind: 'code', code: 5007 });
    await assembling();
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'ERROR', motivo: 'PAQUETE_SAT_AGOTADO' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(10);
  });
});
