import { PUNTOS } from '@acuse/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expireClaim } from '../integration/fixtures/candado.ts';
import { onEachDriver } from '../integration/fixtures/drivers.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor } from '../integration/fixtures/pedidos.ts';
import { askedOfSat, enviosOf, expectWhole, MES } from '../integration/fixtures/resultado.ts';
import { type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';

const STEPS = { WORKER_ROLES: 'descargas,ensambles' };
const LOOPS = { WORKER_ROLES: 'relay,reconciler,reaper' };

onEachDriver('a worker killed at a checkpoint', (queueUrl) => {
  let servicio: Servicio;
  beforeAll(async () => {
    servicio = await startServicio({ ...(queueUrl ? { queueUrl } : {}), simulador: { filas_por_paquete: 40 } });
    await servicio.startWorker(LOOPS);
  });
  afterAll(() => servicio.close());

  it.each(PUNTOS)('%s, by SOAP: another one finishes its work', async (punto) => {
    const [caller, victim] = await Promise.all([
      newEfirmaCaller(servicio),
      servicio.startWorker({ ...STEPS, FAILPOINT: `${punto}:kill` }),
    ]);
    const id = await askFor(caller, MES);
    await waitFor(async () => (victim.isRunning() ? null : true));
    await expireClaim(servicio, id);
    const rescuer = await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id);

    const { sends, solicitudes, downloads } = askedOfSat(servicio, caller.rfc);
    expect(solicitudes).toBe(punto === 'tras-solicitar' ? 2 : 1);
    // The intent is written before each call, so our rows never tell of fewer requests than the SAT saw.
    expect(await enviosOf(servicio, id)).toBe(punto === 'tras-intencion' ? sends + 1 : sends);
    // What the dead worker had stored is found: the second download that the SAT allows is not spent.
    expect(new Set(downloads.values())).toEqual(new Set([1]));
    expect(await rescuer.stop()).toBe(true);
  });

  it.each(PUNTOS)('%s, on the portal: another one finishes its work', async (punto) => {
    const [caller, victim] = await Promise.all([
      servicio.newCiecCaller(),
      servicio.startWorker({ ...STEPS, FAILPOINT: `${punto}:kill` }),
    ]);
    const id = await askFor(caller, MES);
    await waitFor(async () => (victim.isRunning() ? null : true));
    await expireClaim(servicio, id);
    const rescuer = await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id);
    expect(askedOfSat(servicio, caller.rfc).solicitudes).toBe(punto === 'tras-solicitar' ? 2 : 1);
    expect(await rescuer.stop()).toBe(true);
  });
});
