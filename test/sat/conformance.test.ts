import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type NombreDescarga, type Respuesta, type Sat, toSeconds } from '@acuse/core';
import { createSatSoap } from '@acuse/sat';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ciecDe, efirmaDe, errorOf, MARZO, newRfc, record, setUp, simulate } from './setup.ts';

const HOUR_MS = 3_600_000;
const NOMBRES = ['solicitar-metadata', 'verificar-metadata', 'descargar-paquete'] as const;
const CANALES = ['the web service of cfdi', 'the web service of retenciones', 'the portal'] as const;

/** A channel to the SAT, for a taxpayer with nine rows and an unknown folio. */
async function setUpCanal(canal: (typeof CANALES)[number]) {
  const isPortal = canal === 'the portal';
  const documento = canal.endsWith('retenciones') ? 'retenciones' : 'cfdi';
  const rfc = newRfc();
  const simulador = await simulate();
  const { world } = simulador;
  const soap = () => createSatSoap({ http: record(simulador).http, settings: { refusalPauseMs: 0 } });
  const sat: Sat<NombreDescarga> = isPortal ? (await setUp({ rfc })).canal : soap();
  const credencial = isPortal ? ciecDe(rfc) : await efirmaDe(rfc);
  const [desde, hasta] = [toSeconds(MARZO.inicio), toSeconds('2026-03-31T00:00:00')];
  world.taxpayers.change(rfc, { filas: [{ documento, tipo: 'recibidos', desde, hasta, cantidad: 9 }] });
  world.settings.verificaciones_hasta_terminar = 1;
  let folio: string = randomUUID();
  let paquete = `${folio}_01`;
  const ask = <N extends NombreDescarga>(consulta: N, signal = new AbortController().signal): Promise<Respuesta<N>> =>
    sat.send({ rfc, tipo: 'recibidos', periodo: MARZO, documento, folio, paquete, consulta } as never, credencial, {
      signal,
    });
  const verify = () => ask('verificar-metadata');
  const request = async () => {
    const respuesta = await ask('solicitar-metadata');
    if (respuesta.resultado !== 'ACEPTADA') throw new Error(respuesta.resultado);
    folio = respuesta.folio;
    return respuesta;
  };
  return {
    world,
    rfc,
    isPortal,
    credencial,
    ask,
    request,
    verify,
    rows: () => [...world.taxpayers.rows(rfc, 'recibidos', desde, toSeconds(MARZO.fin), { documento })],
    /** Requests, and looks until there is a package, which is asked for from then on. */
    async finish() {
      await request();
      const fin = await verify();
      if (fin.resultado !== 'TERMINADA') throw new Error(fin.resultado);
      paquete = fin.paquetes[0] ?? '';
      return fin;
    },
    async open(signal?: AbortSignal) {
      const respuesta = await ask('descargar-paquete', signal);
      if (respuesta.resultado !== 'PAQUETE') throw new Error(respuesta.resultado);
      return respuesta.zip;
    },
    /** Each of the three consultas rejects so. */
    async rejects(expected: object, signal?: AbortSignal) {
      for (const nombre of NOMBRES) expect(await errorOf(ask(nombre, signal))).toMatchObject(expected);
    },
  };
}

describe.each(CANALES)('%s', (canal) => {
  it('gives a package with every row, as often as it is asked', async () => {
    const { rows, finish, verify, open } = await setUpCanal(canal);
    expect(await finish()).toEqual(await verify());
    const zip = await buffer(await open());
    const text = Object.values(unzipSync(zip)).map((entry) => Buffer.from(entry).toString());
    expect(rows()).toHaveLength(9);
    for (const { uuid } of rows()) expect(text.join('\n').toUpperCase()).toContain(uuid);
    expect(await buffer(await open())).toEqual(zip);
  });

  it('ends a package with its caller, and says AGOTADO of one that is not given any more', async () => {
    const { world, isPortal, ask, finish, open } = await setUpCanal(canal);
    await finish();
    const controller = new AbortController();
    const zip = await open(controller.signal);
    controller.abort();
    expect(await errorOf(buffer(zip))).toMatchObject({ motivo: 'CANCELADA' });
    // The web service gives a package twice, the portal for three days.
    if (isPortal) world.clock.advance(96 * HOUR_MS);
    else await buffer(await open());
    const codigo = expect.stringMatching(/^(\d+|[A-Z_]+)$/);
    expect(await ask('descargar-paquete')).toEqual({ resultado: 'AGOTADO', codigo, mensaje: expect.any(String) });
  });

  it('waits for what is in process, and tells a refused credential, a failing service and a caller that left', async () => {
    const { world, rfc, credencial, request, verify, rejects } = await setUpCanal(canal);
    world.settings.verificaciones_hasta_terminar = 99;
    await request();
    expect(await verify()).toEqual({ resultado: 'EN_PROCESO' });
    await rejects({ motivo: 'CANCELADA' }, AbortSignal.abort());
    world.faults.add({ service: '*', kind: 'status' });
    await rejects({ clase: 'reintentable' });
    world.faults.remove();
    if (credencial.tipo === 'efirma') world.pki.revoke(world.pki.inspect(credencial.cer).numero);
    else world.taxpayers.change(rfc, { ciec: 'Otra-contrasenia' });
    world.clock.advance(HOUR_MS);
    await rejects({ clase: 'credencial' });
  });
});

// The portal refuses no request of metadata, equal or not, and shows nothing of a folio that is not ready, or is none.
it.each(CANALES.slice(0, 2))('%s tells what becomes of a request without a package', async (canal) => {
  const { world, rfc, ask, request, verify, rows } = await setUpCanal(canal);
  expect(await verify()).toMatchObject({ resultado: 'DESCONOCIDA', codigo: '5004' });
  world.settings.max_filas_metadata = rows().length - 1;
  await request();
  expect(await ask('solicitar-metadata')).toMatchObject({ resultado: 'REPETIDA', codigo: '5005' });
  expect(await verify()).toEqual({ resultado: 'DEMASIADOS' });
  world.clock.advance(73 * HOUR_MS);
  expect(await verify()).toMatchObject({ resultado: 'VENCIDA' });
  world.taxpayers.change(rfc, { filas: [] });
  await request();
  expect(await verify()).toEqual({ resultado: 'VACIA' });
});
