import { describe, expect, it } from 'vitest';
import { createBrowser } from '../testing/browser.ts';
import {
  defaultCiec,
  emitidos,
  logIn,
  lookAtDownloads,
  recibidos,
  requestMetadata,
  rowsOf,
  search,
  sendCiec,
} from '../testing/portal-client.ts';
import { createSignedClient } from '../testing/signed-client.ts';
import { visitByCiec, visitByFiel } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { issue, requestEmitidos } from '../testing/start-with-efirma.ts';

const HOUR = 3_600_000;
const RETENCIONES = { solicitud: 'retendescargamasivasolicitud', descarga: 'retendescargamasiva' };
const simulador = await startForTests();

/** What the bulk service does for one e.firma. */
async function bulkOf(rfc: string, hosts?: typeof RETENCIONES) {
  const efirma = await issue(simulador, { rfc });
  const client = createSignedClient({ url: simulador.url, ...efirma, ...(hosts && { hosts }) });
  const request = async (change: Record<string, string> = {}) =>
    requestEmitidos(client, (await client.authenticate()).token, rfc, change);
  const verify = async (IdSolicitud: string) => {
    const { token } = await client.authenticate();
    const named = { IdSolicitud, RfcSolicitante: rfc };
    return (await client.send('VerificaSolicitudDescarga', named, { token })).attributes;
  };
  /** A request and what its last verification says. */
  const finish = async (change: Record<string, string> = {}, times = 2) => {
    const { IdSolicitud = '' } = await request(change);
    for (let n = 1; n < times; n++) await verify(IdSolicitud);
    return verify(IdSolicitud);
  };
  return { client, request, verify, finish };
}

/** A client of the bulk service with an e.firma from the control API. */
async function clientOf(rfc: string) {
  const response = await fetch(`${simulador.url}/control/efirma`, { method: 'POST', body: JSON.stringify({ rfc }) });
  const { cer, key, password, numero } = (await response.json()) as Record<
    'cer' | 'key' | 'password' | 'numero',
    string
  >;
  const efirma = { cer: Buffer.from(cer, 'base64'), key: Buffer.from(key, 'base64'), password, numero };
  return createSignedClient({ url: simulador.url, ...efirma });
}

const EMPTY = { CodEstatus: '5000', EstadoSolicitud: '5', CodigoEstadoSolicitud: '5004', NumeroCFDIs: '0' };
const FULL = { CodEstatus: '5000', EstadoSolicitud: '3', NumeroCFDIs: expect.stringMatching(/^[1-9]/) };

/** Rows that the portal shows of a month of received ones and of three days of issued ones. */
async function shown(rfc: string): Promise<[received: number, issued: number]> {
  const browser = await logIn(simulador.url, rfc);
  const received = await search(simulador.url, browser, 'ConsultaReceptor.aspx', recibidos('2026-03-00'));
  const interval = emitidos('02/03/2026 0:0:0', '20/03/2026 23:59:59');
  const issued = await search(simulador.url, browser, 'ConsultaEmisor.aspx', interval);
  return [rowsOf(received.html).length, rowsOf(issued.html).length];
}

describe('an empty answer that is not true', () => {
  it('of the bulk service is followed by the rows when the same is asked again, by either document', async () => {
    for (const hosts of [undefined, RETENCIONES]) {
      const { finish } = await bulkOf('FAL900215SIA', hosts);
      expect(await finish()).toMatchObject(EMPTY);
      expect(await finish()).toMatchObject(FULL);
      // The end may be another one; another beginning or kind is another thing to ask for.
      expect(await finish({ FechaFinal: '2026-05-31T23:59:58' })).toMatchObject(FULL);
      expect(await finish({ FechaInicial: '2026-05-02T00:00:00' })).toMatchObject(EMPTY);
      expect(await finish({ EstadoComprobante: 'Vigente' })).toMatchObject(EMPTY);
    }
  });

  it('of the portal is followed by the rows, also in a package', async () => {
    const rfc = 'FALS900215SI1';
    expect(await shown(rfc)).toEqual([0, 0]);
    expect(await shown(rfc)).toEqual([expect.any(Number), expect.any(Number)]);
    expect((await shown(rfc)).every((count) => count > 0)).toBe(true);
    const browser = await logIn(simulador.url, rfc);
    const ask = async () => {
      const { html } = await search(simulador.url, browser, 'ConsultaReceptor.aspx', recibidos('2026-02-00'));
      return requestMetadata(simulador.url, browser, 'ConsultaReceptor.aspx', html);
    };
    expect(await ask()).toContain('No existen registros');
    expect(await ask()).toContain('folio de descarga');
  });

  it('comes as often as the setting says', async () => {
    const { finish } = await bulkOf('FALS900215SI1');
    simulador.world.settings.vacios_falsos = 2;
    expect([await finish(), await finish(), await finish()]).toMatchObject([EMPTY, EMPTY, FULL]);
    simulador.world.settings.vacios_falsos = 1;
  });

  it('comes always from the bulk service while the portal lists the rows', async () => {
    const rfc = 'WEB900215SI4';
    const { finish } = await bulkOf(rfc);
    expect([await finish(), await finish()]).toMatchObject([EMPTY, EMPTY]);
    expect((await shown(rfc)).every((count) => count > 0)).toBe(true);
  });

  it('is true at both channels for the RFC without rows', async () => {
    const { finish } = await bulkOf('VAC900215SI6');
    expect([await finish(), await finish()]).toMatchObject([EMPTY, EMPTY]);
    expect([await shown('VAC900215SI6'), await shown('VAC900215SI6')]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('codes of the bulk service', () => {
  it('5004 answers the request itself where there are no rows, and can be asked again', async () => {
    const { request, finish } = await bulkOf('PET900215SI8');
    for (let n = 0; n < 2; n++) {
      const answer = await request();
      expect([answer['CodEstatus'], answer['IdSolicitud'] ?? '']).toEqual(['5004', '']);
    }
    const marzo = { FechaInicial: '2026-03-01T00:00:00', FechaFinal: '2026-03-31T23:59:59' };
    expect(await finish(marzo)).toMatchObject({ EstadoSolicitud: '3', NumeroCFDIs: '60' });
  });

  it('5010 is the CodigoEstadoSolicitud of a finished request with packages', async () => {
    const { finish } = await bulkOf('DIEZ900215SI4');
    expect(await finish()).toMatchObject({ ...FULL, CodigoEstadoSolicitud: '5010' });
  });
});

describe('a valid e.firma refused with 305', () => {
  it('by the bulk service always, though it is authenticated', async () => {
    const { client, request } = await bulkOf('TRE900215SIA');
    expect((await client.authenticate()).token).not.toBe('');
    expect([await request(), await request()]).toMatchObject([{ CodEstatus: '305' }, { CodEstatus: '305' }]);
  });

  it('by the bulk service at the first signed call of each e.firma and of each of the two services', async () => {
    for (const hosts of [undefined, RETENCIONES, undefined]) {
      const { request, finish } = await bulkOf('UNA900215SI5', hosts);
      expect(await request()).toMatchObject({ CodEstatus: '305' });
      expect(await finish({ FechaInicial: '2026-05-03T00:00:00' })).toMatchObject(FULL);
      simulador.world.clock.advance(80 * HOUR);
    }
  });

  it('while the log-in page takes it', async () => {
    for (const rfc of ['TREC900215SI2', 'UNAV900215SI3']) {
      const inside = await visitByFiel(simulador, createBrowser(), `${simulador.url}/portalcfdi/`, rfc);
      expect(inside.text).toContain(`RFC Autenticado: ${rfc}`);
    }
  });
});

describe('retenciones that only one channel gives', () => {
  const portal = () => `${simulador.url}/prodretencioncontribuyente/?oculta=1`;
  const enter = (rfc: string) => visitByCiec(simulador, createBrowser(), portal(), rfc);

  it('the portal, while the bulk service of retenciones fails and that of CFDI works', async () => {
    const rfc = 'RSW900215SI9';
    const retenciones = await bulkOf(rfc, RETENCIONES);
    expect((await retenciones.client.authenticate()).status).toBe(500);
    expect(await (await bulkOf(rfc)).finish()).toMatchObject(FULL);
    const { status, text } = await enter(rfc);
    expect([status, text.includes('MainContent_BtnBusqueda')]).toEqual([200, true]);
  });

  it('the bulk service, while the portal fails after the log-in', async () => {
    const rfc = 'RSP900215SI2';
    expect(await (await bulkOf(rfc, RETENCIONES)).finish({ FechaInicial: '2025-01-01T00:00:00' })).toMatchObject(FULL);
    expect((await enter(rfc)).status).toBe(500);
    expect((await shown(rfc)).every((count) => count > 0)).toBe(true);
  });
});

describe('requests that take longer than 72 hours', () => {
  it.each([
    ['OCH900215SI7', 'OCHE900215SI8', 80],
    ['NUE900215SI6', 'NUEV900215SI0', 216],
  ])('%s at the bulk service, %s at the portal, after %d hours and not before', async (moral, fisica, hours) => {
    const { request, verify } = await bulkOf(moral);
    const { IdSolicitud = '' } = await request({
      FechaInicial: '2026-03-01T00:00:00',
      FechaFinal: '2026-03-31T23:59:59',
    });
    const pagina = 'ConsultaReceptor.aspx';
    const before = await logIn(simulador.url, fisica);
    const { html } = await search(simulador.url, before, pagina, recibidos('2026-03-00'));
    expect(await requestMetadata(simulador.url, before, pagina, html)).toContain('folio de descarga');

    for (const jump of [HOUR, (hours - 2) * HOUR]) {
      simulador.world.clock.advance(jump);
      const { EstadoSolicitud } = await verify(IdSolicitud);
      expect(['1', '2']).toContain(EstadoSolicitud);
    }
    const waiting = await lookAtDownloads(simulador.url, await logIn(simulador.url, fisica));
    expect([waiting.folios.length, waiting.links.size]).toEqual([1, 0]);

    simulador.world.clock.advance(HOUR + 1000);
    expect(await verify(IdSolicitud)).toMatchObject(FULL);
    const browser = await logIn(simulador.url, fisica);
    await lookAtDownloads(simulador.url, browser);
    expect((await lookAtDownloads(simulador.url, browser)).links.size).toBe(1);
    // Then they live as long as any other.
    simulador.world.clock.advance(71 * HOUR);
    expect(await verify(IdSolicitud)).toMatchObject(FULL);
    simulador.world.clock.advance(2 * HOUR);
    expect(await verify(IdSolicitud)).toMatchObject({ EstadoSolicitud: '6' });
  });
});

describe('an account whose pages fail', () => {
  it('alone gets HTTP 500 behind the log-in of every portal', async () => {
    const rfc = 'AVER900215SIA';
    const browser = createBrowser();
    const inside = await browser.followForms(await sendCiec(simulador.url, browser, rfc, defaultCiec(rfc)));
    expect([inside.status, inside.text.includes("Server Error in '/' Application.")]).toEqual([500, true]);
    for (const path of ['pstcdypisr/', 'prodretencioncontribuyente/?oculta=1', 'wwwmat/buzon', 'ptsc32d/']) {
      const address = `${simulador.url}/${path}`;
      const visit = (who: string) => visitByCiec(simulador, createBrowser(), address, who);
      expect([path, (await visit(rfc)).status, (await visit('EKU9003173C9')).status]).toEqual([path, 500, 200]);
    }
    expect(await (await bulkOf(rfc)).finish()).toMatchObject(FULL);
  });
});

describe('magic RFCs at the bulk service', () => {
  it('stay in state 1 for ever', async () => {
    expect(await (await bulkOf('ATO900215SI8')).finish({}, 5)).toMatchObject({
      EstadoSolicitud: '1',
      NumeroCFDIs: '0',
    });
  });

  it('have a million rows, or one too many', async () => {
    const { finish } = await bulkOf('MIL900215SI3');
    expect(await finish()).toMatchObject({ EstadoSolicitud: '3', NumeroCFDIs: '1000000' });
    const junio = { FechaInicial: '2026-06-01T00:00:00', FechaFinal: '2026-06-30T23:59:59' };
    expect(await finish(junio)).toMatchObject({ EstadoSolicitud: '5', CodigoEstadoSolicitud: '5003' });
  });

  it.each([
    ['CAI900215SIA', 503, '<!DOCTYPE html>'],
    ['HTM900215SI9', 200, '<!DOCTYPE html>'],
  ])('%s gets HTTP %d with a page', async (rfc, status, text) => {
    const answer = await (await bulkOf(rfc)).client.authenticate();
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it.each(['VEN900215SI6', 'REV900215SI8'])('the e.firma of %s is refused with 304', async (rfc) => {
    const client = await clientOf(rfc);
    const honest = await clientOf('EKU9003173C9');
    const { token } = await honest.authenticate();
    const { CodEstatus } = await requestEmitidos(client, token, rfc);
    expect(CodEstatus).toBe('304');
  });
});

describe('magic RFCs at the portal', () => {
  const isCiecPage = (text: string) => text.includes('IDPLogin');

  it('have no right CIEC, not even one that was set', async () => {
    const rfc = 'CIE900215SI6';
    simulador.world.taxpayers.change(rfc, { ciec: 'Puesta123' });
    for (const ciec of ['Puesta123', defaultCiec(rfc)]) {
      const { text } = await sendCiec(simulador.url, createBrowser(), rfc, ciec);
      expect([isCiecPage(text), text.includes('El RFC o contraseña son incorrectos')]).toEqual([true, true]);
    }
  });

  it('have two right captchas refused before one that is taken, each time', async () => {
    const rfc = 'CAP900215SI7';
    const attempt = async () => (await sendCiec(simulador.url, createBrowser(), rfc, defaultCiec(rfc))).text;
    for (let round = 0; round < 2; round++) {
      expect(await attempt()).toContain('Captcha no válido');
      expect(await attempt()).toContain('Captcha no válido');
      expect(isCiecPage(await attempt())).toBe(false);
    }
  });

  it('are shown a page with 503, or with 200', async () => {
    const send = (rfc: string) => sendCiec(simulador.url, createBrowser(), rfc, defaultCiec(rfc));
    expect((await send('CAID900215SI2')).status).toBe(503);
    const html = await send('HTML900215SI2');
    expect([html.status, isCiecPage(html.text)]).toEqual([200, false]);
  });

  it.each([
    ['QUI900215SI6', '10:15:0', '10:15:59', 500],
    ['QUI900215SI6', '10:15:0', '10:15:29', 251],
    ['QUI900215SI6', '10:15:30', '10:15:59', 250],
    ['QUI900215SI6', '0:0:0', '10:14:59', 0],
    ['SEGU900215SI4', '10:15:0', '10:15:0', 500],
    ['SEGU900215SI4', '10:15:1', '23:59:59', 0],
    ['VACI900215SI0', '0:0:0', '23:59:59', 0],
  ])('%s from %s to %s of 2026-03-02 shows %d rows', async (rfc, begin, end, count) => {
    const browser = await logIn(simulador.url, rfc);
    const { html } = await search(simulador.url, browser, 'ConsultaReceptor.aspx', recibidos('2026-03-02', begin, end));
    expect(rowsOf(html)).toHaveLength(count);
  });
});
