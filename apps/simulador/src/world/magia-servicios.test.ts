import { describe, expect, it } from 'vitest';
import { createBrowser } from '../testing/browser.ts';
import {
  defaultCiec,
  logIn,
  lookAtDownloads,
  recibidos,
  requestMetadata,
  rowsOf,
  search,
  sendCiec,
} from '../testing/portal-client.ts';
import { createSignedClient } from '../testing/signed-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { issue, requestEmitidos } from '../testing/start-with-efirma.ts';

const simulador = await startForTests();

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

async function verify(rfc: string, change: Record<string, string>, times: number) {
  const client = createSignedClient({ url: simulador.url, ...(await issue(simulador, { rfc })) });
  const { token } = await client.authenticate();
  const { IdSolicitud = '' } = await requestEmitidos(client, token, rfc, change);
  let attributes: Record<string, string> = {};
  for (let i = 0; i < times; i++)
    ({ attributes } = await client.send('VerificaSolicitudDescarga', { IdSolicitud, RfcSolicitante: rfc }, { token }));
  return attributes;
}

describe('magic RFCs at the bulk service', () => {
  it('stay in state 1 for ever', async () => {
    expect(await verify('ATO900215SI8', {}, 5)).toMatchObject({ EstadoSolicitud: '1', NumeroCFDIs: '0' });
  });

  it('have no rows, a million, or one too many', async () => {
    expect(await verify('VAC900215SI6', {}, 2)).toMatchObject({ EstadoSolicitud: '5', CodigoEstadoSolicitud: '5004' });
    expect(await verify('MIL900215SI3', {}, 2)).toMatchObject({ EstadoSolicitud: '3', NumeroCFDIs: '1000000' });
    const junio = { FechaInicial: '2026-06-01T00:00:00', FechaFinal: '2026-06-30T23:59:59' };
    expect(await verify('MIL900215SI3', junio, 2)).toMatchObject({
      EstadoSolicitud: '5',
      CodigoEstadoSolicitud: '5003',
    });
  });

  it.each([
    ['CAI900215SIA', 503, '<!DOCTYPE html>'],
    ['HTM900215SI9', 200, '<!DOCTYPE html>'],
  ])('%s gets HTTP %d with a page', async (rfc, status, text) => {
    const client = createSignedClient({ url: simulador.url, ...(await issue(simulador, { rfc })) });
    const answer = await client.authenticate();
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

  it('get a folio that never leaves its process', async () => {
    const browser = await logIn(simulador.url, 'ATOR900215SI1');
    const pagina = 'ConsultaReceptor.aspx';
    const { html } = await search(simulador.url, browser, pagina, recibidos('2026-02-00'));
    expect(await requestMetadata(simulador.url, browser, pagina, html)).toContain('folio de descarga');
    for (let look = 0; look < 4; look++) expect((await lookAtDownloads(simulador.url, browser)).links.size).toBe(0);
  });
});
