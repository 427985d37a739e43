import type { AppProcess } from '@acuse/embedded';
import type { Fault } from '@acuse/simulador';
import { afterEach, describe, expect, it } from 'vitest';
import { newEfirmaCaller, storeKey } from '../fixtures/efirma.ts';
import { darNueve, expectNueve } from '../fixtures/mala-hora.ts';
import {
  askFor,
  eventosDe,
  fail,
  llamadas,
  movimientosDe,
  verificar,
  waitForEstado,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { ciecOf, expectOk, useServicio, waitFor } from '../fixtures/servicio.ts';

const SOAP = 'cfdidescargamasivasolicitud';
const LOGIN = 'cfdiau';
const VERIFICA = 'VerificaSolicitudDescarga';

describe('a bulk download whose channel gives no answer', () => {
  const servicio = useServicio();
  let worker: AppProcess;
  const startWorker = async (env: Record<string, string> = {}) => {
    worker = await servicio.startWorker({ SAT_POLL_MAX_SECONDS: '0.2', ...env });
  };
  afterEach(async () => {
    servicio.simulador.world.faults.remove();
    await worker.stop();
  });

  /** The whole host, for every caller. */
  const fall = (service: string) => {
    const fault: Fault = { service, kind: 'status', status: 503 };
    return servicio.simulador.world.faults.add(fault).id;
  };
  const lift = (id: string) => servicio.simulador.world.faults.remove(id);

  const newCaller = async ({ ciec = true } = {}) => {
    const caller = darNueve(servicio, await newEfirmaCaller(servicio));
    const { rfc } = caller;
    if (ciec) await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    return caller;
  };
  /** Accepted with both credentials, the CIEC's channel first. */
  const askByPortal = async (caller: Awaited<ReturnType<typeof newCaller>>) => {
    const id = await askFor(caller);
    await servicio.sql`UPDATE solicitud SET canal = 'portal' WHERE id = ${id}`;
    return id;
  };
  const cuenta = async (id: string, tipo: string) =>
    (await eventosDe(servicio, id)).filter((each) => each === tipo).length;
  const waitForEventos = (id: string, tipo: string, n: number) =>
    waitFor(async () => ((await cuenta(id, tipo)) >= n ? true : null));

  it('by e.firma goes over to the portal when the web service is down, under one charge', async () => {
    const caller = await newCaller();
    fall(SOAP);
    const id = await askFor(caller);
    await startWorker();
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'SAT_SIN_RESPUESTA')).toBe(5);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(1);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
  });

  it('by CIEC goes over to the web service when the portal is down, without a captcha', async () => {
    const caller = await newCaller();
    fall(LOGIN);
    const id = await askByPortal(caller);
    await startWorker();
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(1);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toEqual([]);
  });

  it('by CIEC goes over after the second log-in in vain', { tags: ['slow'] }, async () => {
    const caller = await newCaller();
    fail(servicio, caller, { service: LOGIN, operation: 'EntrarCiec', kind: 'status' });
    const id = await askByPortal(caller);
    await startWorker();
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'SAT_SIN_RESPUESTA')).toBe(1);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(2);
  });

  it('waits as long as it takes without the other credential', { tags: ['slow'] }, async () => {
    const caller = await newCaller({ ciec: false });
    const down = fall(SOAP);
    const id = await askFor(caller);
    await startWorker();
    await waitForEventos(id, 'SAT_SIN_RESPUESTA', 9);
    expect(await verificar(caller, id)).toMatchObject({ estado: 'EN_PROCESO' });
    lift(down);
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(0);
  });

  it('waits as long as it takes for what the SAT has accepted', { tags: ['slow'] }, async () => {
    const caller = await newCaller();
    const fault = { service: SOAP, operation: VERIFICA, kind: 'status', status: 503 } as const;
    const down = fail(servicio, caller, fault);
    const id = await askFor(caller);
    await startWorker();
    await waitForLlamadas(servicio, caller, VERIFICA, 9);
    lift(down.id);
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(0);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toEqual([]);
  });

  it('goes over once, and waits there, while both are down', { tags: ['slow'] }, async () => {
    const caller = await newCaller();
    fall(SOAP);
    const portal = fall(LOGIN);
    const id = await askFor(caller);
    await startWorker();
    await waitForEventos(id, 'CANAL_CAIDO', 1);
    await waitForEventos(id, 'SAT_SIN_RESPUESTA', 14);
    lift(portal);
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(1);
  });

  it('comes back to wait when the other channel refuses its credential, which is sent once', {
    tags: ['slow'],
  }, async () => {
    const caller = await newCaller();
    servicio.simulador.world.taxpayers.change(caller.rfc, { ciec: 'Otra-Contrasena1' });
    const down = fall(SOAP);
    const id = await askFor(caller);
    await startWorker();
    await waitForEventos(id, 'OTRO_CANAL', 1);
    await waitForEventos(id, 'SAT_SIN_RESPUESTA', 12);
    lift(down);
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(1);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
  });

  it('waits again when the captchas of the other channel stay unread', { tags: ['slow'] }, async () => {
    const caller = await newCaller();
    const down = fall(SOAP);
    const id = await askFor(caller);
    await startWorker({ CAPTCHA_RESOLVER: 'ninguno' });
    await waitForEventos(id, 'CANAL_CAIDO', 2);
    await waitForEventos(id, 'SAT_SIN_RESPUESTA', 12);
    lift(down);
    await expectNueve(servicio, caller, id);
    expect(await cuenta(id, 'CANAL_CAIDO')).toBe(2);
  });

  describe('or whose hour of the e.firma’s key is over before the SAT has accepted it', () => {
    const askWithoutKey = async (caller: Awaited<ReturnType<typeof newCaller>>) => {
      const id = await askFor(caller);
      await servicio.sql`UPDATE credencial_sellada SET expira_en = now() - interval '1 second'
        WHERE solicitud_id = ${id} AND tipo = 'efirma'`;
      return id;
    };

    it('goes over to the portal', { tags: ['slow'] }, async () => {
      const caller = await newCaller();
      const id = await askWithoutKey(caller);
      await startWorker();
      await expectNueve(servicio, caller, id);
      expect(await eventosDe(servicio, id)).toContain('SIN_EFIRMA');
      expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toEqual([]);
    });

    it('waits for the e.firma after all when the portal refuses the CIEC', { tags: ['slow'] }, async () => {
      const caller = await newCaller();
      servicio.simulador.world.taxpayers.change(caller.rfc, { ciec: 'Otra-Contrasena1' });
      const id = await askWithoutKey(caller);
      await startWorker();
      expect(await waitForEstado(caller, id, 'ESPERA_EFIRMA')).toMatchObject({ motivo: 'EFIRMA_EXPIRADA' });
      expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
      await expectOk(storeKey(caller, caller.efirma));
      await expectNueve(servicio, caller, id);
      expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
    });

    it('has the e.firma that is stored while it is at the portal, should that refuse the CIEC', {
      tags: ['slow'],
    }, async () => {
      const caller = await newCaller();
      servicio.simulador.world.taxpayers.change(caller.rfc, { ciec: 'Otra-Contrasena1' });
      const login = fall(LOGIN);
      const id = await askWithoutKey(caller);
      await startWorker();
      await waitForEventos(id, 'SAT_SIN_RESPUESTA', 2);
      await expectOk(storeKey(caller, caller.efirma));
      lift(login);
      await expectNueve(servicio, caller, id);
      expect(await eventosDe(servicio, id)).not.toContain('ESPERA_EFIRMA');
    });
  });
});
