import { PUNTOS } from '@acuse/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expireClaim } from '../integration/fixtures/candado.ts';
import { onEachDriver } from '../integration/fixtures/drivers.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor, type Pedido, UN_DIA } from '../integration/fixtures/pedidos.ts';
import { askedOfSat, enviosOf, expectWhole, MES } from '../integration/fixtures/resultado.ts';
import { type Caller, type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';

const STEPS = { WORKER_ROLES: 'descargas,ensambles' };
const LOOPS = { WORKER_ROLES: 'relay,reconciler,reaper' };

onEachDriver('a worker killed at a checkpoint', (queueUrl) => {
  let servicio: Servicio;
  beforeAll(async () => {
    servicio = await startServicio({ ...(queueUrl ? { queueUrl } : {}), simulador: { filas_por_paquete: 40 } });
    await servicio.startWorker(LOOPS);
  });
  afterAll(() => servicio.close());

  /** Kills a worker at a place of the caller's request; another one finishes its work. Gives the id. */
  async function rescue(newCaller: Promise<Caller>, punto: (typeof PUNTOS)[number], pedido: Pedido) {
    const [caller, victim] = await Promise.all([
      newCaller,
      servicio.startWorker({ ...STEPS, FAILPOINT: `${punto}:kill` }),
    ]);
    const id = await askFor(caller, pedido);
    await waitFor(async () => (victim.isRunning() ? null : true));
    await expireClaim(servicio, id);
    const rescuer = await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id, pedido);
    expect(await rescuer.stop()).toBe(true);
    return { id, ...askedOfSat(servicio, caller.rfc) };
  }

  it.each(PUNTOS)('%s, by SOAP: another one finishes its work', async (punto) => {
    const { id, sends, solicitudes, downloads } = await rescue(newEfirmaCaller(servicio), punto, MES);
    expect(solicitudes).toBe(punto === 'tras-solicitar' ? 2 : 1);
    // The intent is written before each call, so our rows never tell of fewer requests than the SAT saw.
    expect(await enviosOf(servicio, id)).toBe(punto === 'tras-intencion' ? sends + 1 : sends);
    // What the dead worker had stored is found: the second download that the SAT allows is not spent.
    expect(new Set(downloads.values())).toEqual(new Set([1]));
  });

  it.each(PUNTOS)('%s, on the portal: another one finishes its work', async (punto) => {
    const { solicitudes } = await rescue(servicio.newCiecCaller(), punto, MES);
    expect(solicitudes).toBe(punto === 'tras-solicitar' ? 2 : 1);
  });

  it.each(PUNTOS)('%s, of a package assembled in the step that stored it', async (punto) => {
    const { id, sends, downloads } = await rescue(newEfirmaCaller(servicio), punto, UN_DIA);
    expect(await enviosOf(servicio, id)).toBe(punto === 'tras-intencion' ? sends + 1 : sends);
    expect([...downloads.values()]).toEqual([1]);
    const ended = await servicio.sql`SELECT cola FROM evento WHERE solicitud_id = ${id} AND tipo = 'TERMINADA'`;
    // Found in storage and assembled in one step again: its end is the first write that says so.
    expect(ended).toEqual([{ cola: 'descargas' }]);
  });

  it('tras-ensamblar, of an answer without CFDI: another one asks for that answer once more', async () => {
    const rfc = 'VAC900215SI6';
    await rescue(newEfirmaCaller(servicio, { rfc }), 'tras-ensamblar', UN_DIA);
    // The simulator ends each of two requests at its second poll; the fifth replaces the lost one.
    const polls = servicio.simulador.world.log.count({ rfc, operation: 'VerificaSolicitudDescarga' });
    expect(polls).toBe(5);
  });
});
