import type { AppProcess } from '@acuse/embedded';
import { beforeAll, describe, expect, it } from 'vitest';
import { abiertas, libroDe } from '../fixtures/consultas.ts';
import { brokenInvariants } from '../fixtures/database.ts';
import { newEfirmaCaller, registrarCer, storeKey } from '../fixtures/efirma.ts';
import {
  askFor,
  eventosDe,
  fail,
  llamadas,
  movimientosDe,
  openPaquete,
  UN_DIA,
  uuidsDelSat,
} from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { retencionesOf } from './verdad.ts';

const SOAP = 'cfdidescargamasivasolicitud';
const SOLICITA = 'SolicitaDescargaRecibidos';
const RETENCIONES = { ejercicio: 2025 };

const servicio = useServicio({ workerEnv: { SAT_POLL_MAX_SECONDS: '0.2' } });
let worker: AppProcess;
beforeAll(async () => {
  worker = await servicio.startWorker();
});

/** A caller with both credentials. */
async function newFullCaller(saldo = 10) {
  const caller = await newEfirmaCaller(servicio, { saldo });
  await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
  return caller;
}

const estadoDe = (caller: Caller) => expectOk(caller.call('vault/firma-estado', { rfc: caller.rfc }));
const facturasConEfirma = ({ rfc, call }: Caller) =>
  expectOk(call('tax/facturas-fiel', { rfc, desde: '2025-05-14', hasta: '2025-05-14' }));
const refuse = (caller: Caller, times?: number) =>
  fail(servicio, caller, {
    service: SOAP,
    operation: SOLICITA,
    kind: 'code',
    code: 305,
    ...(times === undefined ? {} : { times }),
  });

describe('305 at the web service for an e.firma that is valid', () => {
  it('once: the e.firma is asked with a second time, with a new token, and counts as taken', {
    tags: ['slow'],
  }, async () => {
    const caller = await newEfirmaCaller(servicio);
    refuse(caller, 1);
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(llamadas(servicio, caller, SOLICITA)).toHaveLength(2);
    expect(await estadoDe(caller)).toMatchObject({ vigente: true, rechazos: [] });
  });

  it('twice, without a CIEC: ends with a refund, and the portals go on with the e.firma', {
    tags: ['slow'],
  }, async () => {
    const caller = await newEfirmaCaller(servicio);
    const { id: fault } = refuse(caller);
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'ERROR', motivo: 'EFIRMA_RECHAZADA' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(llamadas(servicio, caller, SOLICITA)).toHaveLength(2);
    expect(await estadoDe(caller)).toMatchObject({
      vigente: true,
      rechazos: [{ canal: 'soap', desde: expect.stringMatching(/Z$/) }],
    });
    await facturasConEfirma(caller);

    // Never sent again at the web service, until it is stored again.
    const refused = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    expect([refused.status, refused.body.cfdi_codigo]).toEqual([400, 4002]);
    expect(refused.body.data?.['motivo']).toMatch(/servicio web del SAT rechazó la e.firma.* CIEC/);
    expect(llamadas(servicio, caller, SOLICITA)).toHaveLength(2);
    servicio.simulador.world.faults.remove(fault);
    await expectOk(registrarCer(caller, caller.efirma));
    await expectOk(storeKey(caller, caller.efirma));
    expect(await estadoDe(caller)).toMatchObject({ rechazos: [] });
    expect(await waitForEnd(caller, await askFor(caller))).toMatchObject({ estado: 'TERMINADA' });
  });

  it('twice, with a CIEC: the request goes on at the portal under one charge, and so does the next one', async () => {
    const caller = await newFullCaller();
    refuse(caller);
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    expect(await eventosDe(servicio, id)).toContain('OTRO_CANAL');
    const { csv } = await openPaquete(caller, id);
    expect(csv.map((row) => row['uuid']).sort()).toEqual(uuidsDelSat(servicio, caller.rfc, UN_DIA).sort());
    expect(await waitForEnd(caller, await askFor(caller))).toMatchObject({ estado: 'TERMINADA' });
    expect(llamadas(servicio, caller, SOLICITA)).toHaveLength(2);
    await facturasConEfirma(caller);
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  });

  it('a CIEC that the SAT refuses: the request goes on at the web service with the e.firma', {
    tags: ['slow'],
  }, async () => {
    await worker.stop();
    const caller = await newFullCaller();
    const { rfc } = caller;
    // Without the key of the e.firma it begins at the portal; stored meanwhile, it is not in its hands.
    const id = await askFor(caller);
    await servicio.db.pool.query(`UPDATE solicitud SET canal = 'portal' WHERE id = $1`, [id]);
    servicio.simulador.world.taxpayers.change(rfc, { ciec: 'Otra-Contrasena1' });
    worker = await servicio.startWorker();
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    const { ciec } = await access(caller);
    expect(ciec).toMatchObject({ soap: false, portal: true });
  });
});

/** Which credentials are marked as refused, and where. */
async function access({ contribuyenteId }: Caller) {
  const { rows } = await servicio.db.pool.query<{ tipo: string; soap: boolean; portal: boolean }>(
    `SELECT tipo, rechazada_soap_en IS NOT NULL AS soap, rechazada_portal_en IS NOT NULL AS portal FROM credencial WHERE contribuyente_id = $1`,
    [contribuyenteId],
  );
  return Object.fromEntries(rows.map(({ tipo, ...rechazos }) => [tipo, rechazos]));
}

describe('a query with two stored credentials', { shuffle: false }, () => {
  const retenciones = ({ rfc, call }: Caller) => call('tax/retenciones', { rfc, ...RETENCIONES });
  const services = (caller: Caller) => new Set(llamadas(servicio, caller).map(({ service }) => service));
  const PATH = 'tax/retenciones';

  it('asks retenciones of the portal with the CIEC, and never of a web service that is broken', async () => {
    const caller = await newFullCaller();
    const { rfc } = caller;
    fail(servicio, caller, { service: 'retendescargamasivasolicitud', kind: 'status' });
    const data = await expectOk(retenciones(caller));
    expect(data['items']).toEqual(retencionesOf(servicio, rfc, 2025));
    expect(services(caller)).not.toContain('retendescargamasivasolicitud');
    expect(await libroDe(servicio, caller)).toEqual([`cargo -1 ${PATH}`]);
  });

  it('falls back to the e.firma while the portal fails, under one charge, and then asks by it first', async () => {
    const caller = await newFullCaller();
    const { rfc } = caller;
    fail(servicio, caller, { service: 'prodretencioncontribuyente', kind: 'status' });
    const expected = retencionesOf(servicio, rfc, 2025);
    expect((await expectOk(retenciones(caller)))['items']).toEqual(expected);
    expect([...services(caller)]).toEqual(expect.arrayContaining(['retendescargamasiva']));
    expect(await libroDe(servicio, caller)).toEqual([`cargo -1 ${PATH}`]);

    const asked = llamadas(servicio, caller).filter(({ service }) => service === 'prodretencioncontribuyente');
    expect((await expectOk(retenciones(caller)))['items']).toEqual(expected);
    const after = llamadas(servicio, caller).filter(({ service }) => service === 'prodretencioncontribuyente');
    expect(after).toHaveLength(asked.length);
    expect(await abiertas(servicio)).toBe(0);
  });

  it('goes on with the e.firma when the SAT refuses the CIEC, which is sent once', async () => {
    const caller = await newFullCaller();
    const { rfc } = caller;
    servicio.simulador.world.taxpayers.change(rfc, { ciec: 'Otra-Contrasena1' });
    for (const path of ['tax/informacion-fiscal', 'tax/opinion-cumplimiento', 'tax/informacion-fiscal'])
      await expectOk(caller.call(path, { rfc }));
    expect(await access(caller)).toMatchObject({
      ciec: { soap: false, portal: true },
      efirma_cer: { soap: false, portal: false },
    });
    const sent = llamadas(servicio, caller).filter(({ detail }) => detail['acceso'] === 'ciec');
    expect(sent.length).toBeLessThanOrEqual(1);
    expect(await libroDe(servicio, caller)).toHaveLength(3);
  });
});
