import { strFromU8, unzipSync } from 'fflate';
import { afterEach, expect, test } from 'vitest';
import type { Browser } from '../testing/browser.ts';
import {
  download,
  emitidos,
  logIn,
  lookAtDownloads,
  putSettings,
  recibidos,
  requestMetadata,
  search,
} from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { parseWallTime } from '../world/wall-time.ts';

const RECEPTOR = 'ConsultaReceptor.aspx';
const EMISOR = 'ConsultaEmisor.aspx';
const FOLIO = /folio de descarga:\s*([0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})/;
const HOUR = 3_600_000;

const simulador = await startForTests();
const base = simulador.url;

afterEach(() => {
  simulador.world.settings.verificaciones_hasta_terminar = 2;
  simulador.world.settings.segundos_hasta_terminar = 0;
});

const at = (text: string) => parseWallTime(text) ?? 0;

async function ask(browser: Browser, fields = recibidos('2026-02-00'), pagina = RECEPTOR) {
  const { html } = await search(base, browser, pagina, fields);
  const text = await requestMetadata(base, browser, pagina, html);
  return { text, folio: FOLIO.exec(text)?.[1] ?? '' };
}

/** The lines of a metadata package's main file, without header, as fields. A LF alone does not end a line. */
async function readPackage(response: Response) {
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const linesOf = (name: string) =>
    strFromU8(files[name] ?? new Uint8Array())
      .split('\r\n')
      .slice(1, -1);
  const main = Object.keys(files).find((name) => /^[0-9A-F-]{36}_01\.txt$/.test(name)) ?? '';
  return { names: Object.keys(files), rows: linesOf(main).map((line) => line.split('~')) };
}

test('a folio is in process at the first look and can be downloaded at the second', async () => {
  const rfc = 'FOL010101AAA';
  const browser = await logIn(base, rfc);
  const { text, folio } = await ask(browser);
  expect(text).toMatch(FOLIO);

  const first = await lookAtDownloads(base, browser);
  expect(first.folios[0]).toMatchObject({
    'Descargar paquete': 'En proceso',
    'Folio de descarga': folio,
    'RFC contribuyente': rfc,
  });
  expect(first.links.size).toBe(0);

  const second = await lookAtDownloads(base, browser);
  expect([...second.links.keys()]).toEqual([folio]);

  const response = await download(browser, second.visit, folio, second.links.get(folio) ?? '');
  expect(response.headers.get('content-disposition')).toContain(folio);
  const { rows, names } = await readPackage(response);
  const expected = [...simulador.world.taxpayers.rows(rfc, 'recibidos', at('2026-02-01'), at('2026-02-28T23:59:59'))];
  expect(names).toContain(`${folio}_01.txt`);
  expect(expected.length).toBeGreaterThan(20);
  expect(rows).toEqual(
    expected.map((row) => [
      row.uuid,
      row.rfcEmisor,
      row.nombreEmisor,
      row.rfcReceptor,
      row.nombreReceptor,
      row.rfcPac,
      row.fechaEmision,
      row.fechaCertificacionSat,
      row.monto,
      row.efecto,
      row.estatus === 'Vigente' ? '1' : '0',
      row.fechaCancelacion,
    ]),
  );
  expect(second.folios[0]?.['Cantidad de documentos']).toBe(String(expected.length));
});

test('a package holds more rows than a search shows, and obeys the filters', async () => {
  const rfc = 'GRA010101AAA';
  const filas = { documento: 'cfdi', tipo: 'emitidos', desde: at('2026-01-01'), hasta: at('2026-06-30') } as const;
  simulador.world.taxpayers.change(rfc, { filas: [{ ...filas, cantidad: 12_000 }] });
  simulador.world.settings.verificaciones_hasta_terminar = 1;
  const browser = await logIn(base, rfc);
  const range = emitidos('01/01/2026 0:0:0', '30/06/2026 23:59:59');
  const all = await ask(browser, range, EMISOR);
  const cancelled = await ask(browser, { ...range, ctl00$MainContent$DdlEstadoComprobante: '0' }, EMISOR);
  const { visit, links } = await lookAtDownloads(base, browser);

  const read = async (folio: string) => readPackage(await download(browser, visit, folio, links.get(folio) ?? ''));
  expect((await read(all.folio)).rows).toHaveLength(12_000);
  const some = (await read(cancelled.folio)).rows;
  expect(some.length).toBeGreaterThan(100);
  expect(new Set(some.map((fields) => fields[10]))).toEqual(new Set(['0']));
});

test('seconds of the clock can be asked for before a folio is available', async () => {
  simulador.world.settings.segundos_hasta_terminar = 3600;
  const browser = await logIn(base, 'SEG010101AAA');
  await ask(browser);
  for (let i = 0; i < 3; i++) expect((await lookAtDownloads(base, browser)).links.size).toBe(0);
  // Each look keeps the session alive.
  for (let i = 0; i < 5; i++) {
    simulador.world.clock.advance(10 * 60_000);
    expect((await lookAtDownloads(base, browser)).links.size).toBe(0);
  }
  simulador.world.clock.advance(10 * 60_000);
  expect((await lookAtDownloads(base, browser)).links.size).toBe(1);
});

test('after 48 hours a folio is available however many looks it lacks, after three days it is gone', async () => {
  simulador.world.settings.verificaciones_hasta_terminar = 1000;
  await ask(await logIn(base, 'PLA010101AAA'));
  simulador.world.clock.advance(47 * HOUR);
  expect((await lookAtDownloads(base, await logIn(base, 'PLA010101AAA'))).links.size).toBe(0);
  simulador.world.clock.advance(HOUR);
  expect((await lookAtDownloads(base, await logIn(base, 'PLA010101AAA'))).links.size).toBe(1);
  simulador.world.clock.advance(24 * HOUR);
  const { folios, visit } = await lookAtDownloads(base, await logIn(base, 'PLA010101AAA'));
  expect(folios).toEqual([]);
  expect(visit.text).toContain('No existen registros de descargas');
});

test('a stuck folio stays in process until it is no longer listed', async () => {
  const rfc = 'ATO010101AAA';
  simulador.world.faults.add({ service: 'portalcfdi', operation: 'DescargaMetadatos', rfc, kind: 'stuck', times: 1 });
  const browser = await logIn(base, rfc);
  const stuck = await ask(browser);
  const free = await ask(browser);
  for (let i = 0; i < 4; i++) await lookAtDownloads(base, browser);
  expect([...(await lookAtDownloads(base, browser)).links.keys()]).toEqual([free.folio]);
  simulador.world.clock.advance(71 * HOUR);
  const late = await lookAtDownloads(base, await logIn(base, rfc));
  expect(late.folios.map((folio) => folio['Folio de descarga'])).toContain(stuck.folio);
  expect([...late.links.keys()]).toEqual([free.folio]);
});

test('folios in process can be hidden, as they have been seen on the live page', async () => {
  await putSettings(base, { lista_en_proceso: false });
  const browser = await logIn(base, 'OCU010101AAA');
  const { folio } = await ask(browser);
  const first = await lookAtDownloads(base, browser);
  expect(first.folios).toEqual([]);
  expect(first.visit.text).toContain('No existen registros de descargas');
  expect([...(await lookAtDownloads(base, browser)).links.keys()]).toEqual([folio]);
  await putSettings(base, { lista_en_proceso: true });
});

test('one taxpayer neither sees nor downloads the folio of another', async () => {
  simulador.world.settings.verificaciones_hasta_terminar = 1;
  const owner = await logIn(base, 'DUE010101AAA');
  const { folio } = await ask(owner);
  const own = await lookAtDownloads(base, owner);

  const stranger = await logIn(base, 'EXT010101AAA');
  const seen = await lookAtDownloads(base, stranger);
  expect(seen.folios).toEqual([]);
  const stolen = await download(stranger, seen.visit, folio, own.links.get(folio) ?? '');
  expect(stolen.headers.get('content-type')).toContain('text/html');
  expect(await stolen.text()).toContain('no se encuentra disponible');
});

test('a package is not given without the two values of its row, nor before it is available', async () => {
  const browser = await logIn(base, 'VAL010101AAA');
  const one = await ask(browser);
  const early = await lookAtDownloads(base, browser);
  const tooSoon = await download(browser, early.visit, one.folio, 'aGVjaGl6bw==');
  expect(tooSoon.headers.get('content-type')).toContain('text/html');
  await tooSoon.text();
  const two = await ask(browser);
  await lookAtDownloads(base, browser);
  const { visit, links } = await lookAtDownloads(base, browser);
  const crossed = await download(browser, visit, one.folio, links.get(two.folio) ?? '');
  expect(crossed.headers.get('content-type')).toContain('text/html');
  await crossed.text();
});

test('a postback that is not from the own page gets the page again', async () => {
  simulador.world.settings.verificaciones_hasta_terminar = 1;
  const browser = await logIn(base, 'AJP010101AAA');
  const { folio } = await ask(browser);
  const { visit, links } = await lookAtDownloads(base, browser);
  const forged = { ...visit, text: visit.text.replace(/(id="__VIEWSTATE" value=")[^"]*/, '$1inventado') };
  const refused = await download(browser, forged, folio, links.get(folio) ?? '');
  expect(refused.headers.get('content-type')).toContain('text/html');
  await refused.text();
});

test('the page method refuses a body that is not its JSON', async () => {
  const browser = await logIn(base, 'JSO010101AAA');
  const { html } = await search(base, browser, RECEPTOR, recibidos('2026-02-00'));
  const parametros = /id="hfParametrosMetadata" value="([^"]*)"/.exec(html)?.[1] ?? '';
  const body = `{"Parametros":"${encodeURIComponent(Buffer.from(parametros).toString('base64'))}"}`;
  const send = (type: string, text: string) =>
    browser.raw(`${base}/portalcfdi/${RECEPTOR}/DescargaMetadatos`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: text,
    });
  expect((await send('text/plain', body)).status).toBe(500);
  expect((await send('application/json', '{"Otro":"x"}')).status).toBe(500);
  expect(((await (await send('application/json', body)).json()) as { d: string }).d).toMatch(FOLIO);
});

test('too many rows, no rows and foreign criteria get a text that refuses', async () => {
  const rfc = 'MAX010101AAA';
  const browser = await logIn(base, rfc);
  const before = simulador.world.settings.max_filas_metadata;
  simulador.world.settings.max_filas_metadata = 10;
  const many = await ask(browser);
  simulador.world.settings.max_filas_metadata = before;
  expect(many.text).toMatch(/^Error: .*máximo de 10 registros/);
  expect(many.folio).toBe('');

  const none = await ask(browser, recibidos('2031-01-00'));
  expect(none.text).toMatch(/^Error: No existen registros/);

  const { html } = await search(base, browser, RECEPTOR, recibidos('2026-02-00'));
  const stranger = await logIn(base, 'EXT020202AAA');
  expect(await requestMetadata(base, stranger, RECEPTOR, html)).toMatch(/^Error: Ocurrió un error/);
  expect(await requestMetadata(base, browser, EMISOR, html)).toMatch(/^Error: Ocurrió un error/);
  expect((await lookAtDownloads(base, browser)).folios).toEqual([]);
});

test('a code fault refuses the request with its own text', async () => {
  const rfc = 'COD010101AAA';
  const mensaje = 'Servicio saturado.';
  simulador.world.faults.add({ service: 'portalcfdi', operation: 'DescargaMetadatos', rfc, kind: 'code', mensaje });
  expect((await ask(await logIn(base, rfc))).text).toBe('Error: Servicio saturado.');
});
