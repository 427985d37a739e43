import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { createBrowser, readForm } from '../../testing/browser.ts';
import { emitidos, logIn, parseDelta, putAjustes, recibidos, rowsOf, search } from '../../testing/portal-client.ts';
import { startForTests } from '../../testing/start-for-tests.ts';
import { DAY, parseWallTime } from '../../world/wall-time.ts';

const RECEPTOR = 'ConsultaReceptor.aspx';
const EMISOR = 'ConsultaEmisor.aspx';
const MAIN = 'ctl00$MainContent$';
const AJAX = { 'x-microsoftajax': 'Delta=true' };
const RFC = 'EKU9003173C9';

const simulador = await startForTests();
const base = simulador.url;

const at = (text: string) => parseWallTime(text) ?? 0;

function expected(tipo: 'emitidos' | 'recibidos', from: string, to: string, rfc = RFC): string[] {
  return [...simulador.world.taxpayers.rows(rfc, tipo, at(from), at(to))].map((row) => row.uuid);
}

function uuidsOf(html: string): string[] {
  return rowsOf(html).map((row) => row['Folio Fiscal'] ?? '');
}

const isShown = (html: string, id: string) => (load(html)(`#${id}`).attr('style') ?? '').includes('display:inline');

test('the first page has the hidden inputs and the date lists disabled', async () => {
  const browser = await logIn(base, RFC);
  const page = await browser.get(`${base}/portalcfdi/${RECEPTOR}`);
  const $ = load(page.text);
  const names = ['__CSRFTOKEN', '__VIEWSTATE', '__VIEWSTATEGENERATOR', '__VIEWSTATEENCRYPTED'];
  expect(names.map((name) => $(`input[name=${name}]`).length)).toEqual([1, 1, 1, 1]);
  expect($('#DdlAnio').attr('disabled')).toBe('disabled');
  expect($('#ctl00_MainContent_RdoFolioFiscal').attr('checked')).toBe('checked');
  expect($('#hfParametrosMetadata').attr('value')).toBeUndefined();
  expect($('#ctl00_MainContent_CldFecha_DdlDia option')).toHaveLength(32);
});

test('a delta holds records of exactly the stated length, with the panels and the next view state', async () => {
  const { delta } = await search(base, await logIn(base, RFC), RECEPTOR, recibidos('2026-03-00'));
  expect(delta[0]).toEqual({ type: '#', id: '', content: '4' });
  expect(delta.filter(({ type }) => type === 'updatePanel').map(({ id }) => id)).toEqual([
    'ctl00_UpnlNombre',
    'ctl00_MainContent_UpnlBusqueda',
    'ctl00_MainContent_UpnlResultados',
  ]);
  const hidden = delta.filter(({ type }) => type === 'hiddenField').map(({ id }) => id);
  expect(hidden).toEqual([
    '__EVENTTARGET',
    '__EVENTARGUMENT',
    '__LASTFOCUS',
    '__VIEWSTATE',
    '__VIEWSTATEGENERATOR',
    '__VIEWSTATEENCRYPTED',
  ]);
});

test('day 0 is the whole month', async () => {
  const { html } = await search(base, await logIn(base, RFC), RECEPTOR, recibidos('2026-02-00'));
  const month = expected('recibidos', '2026-02-01', '2026-02-28T23:59:59');
  expect(month.length).toBeGreaterThan(20);
  expect(uuidsOf(html)).toEqual(month);
  expect(isShown(html, 'ctl00_MainContent_PnlResultados')).toBe(true);
  expect(isShown(html, 'ctl00_MainContent_PnlNoResultados')).toBe(false);
});

test('days add up to the month, seconds to the day', async () => {
  const browser = await logIn(base, RFC);
  const week = expected('recibidos', '2026-02-22', '2026-02-28T23:59:59');
  const byDay: string[] = [];
  for (let day = at('2026-02-22'); day <= at('2026-02-28'); day += DAY) {
    const date = new Date(day * 1000).toISOString().slice(0, 10);
    byDay.push(...uuidsOf((await search(base, browser, RECEPTOR, recibidos(date))).html));
  }
  expect(week.length).toBeGreaterThan(5);
  expect(byDay).toEqual(week);

  const [row] = simulador.world.taxpayers.rows(RFC, 'recibidos', at('2026-02-01'), at('2026-02-28'));
  const [date = '', time = ''] = row?.fechaEmision.split(' ') ?? [];
  const exact = await search(base, browser, RECEPTOR, recibidos(date, time, time));
  expect(uuidsOf(exact.html)).toContain(row?.uuid);
});

test('issued ones are searched from an instant to another', async () => {
  const browser = await logIn(base, RFC);
  const range = emitidos('27/02/2026 12:00:00', '03/03/2026 11:59:59');
  const { html } = await search(base, browser, EMISOR, range);
  const rows = expected('emitidos', '2026-02-27T12:00:00', '2026-03-03T11:59:59');
  expect(rows.length).toBeGreaterThan(3);
  expect(uuidsOf(html)).toEqual(rows);
});

test('the table shows what the rows say, with the columns of May 2025', async () => {
  const { html } = await search(
    base,
    await logIn(base, RFC),
    EMISOR,
    emitidos('01/01/2026 0:0:0', '31/01/2026 23:59:59'),
  );
  const rows = [...simulador.world.taxpayers.rows(RFC, 'emitidos', at('2026-01-01'), at('2026-01-31T23:59:59'))];
  const shown = rowsOf(html);
  expect(Object.keys(shown[0] ?? {})).toEqual([
    expect.stringContaining('Acciones'),
    'Folio Fiscal',
    'RFC Emisor',
    'Nombre o Razón Social del Emisor',
    'RFC Receptor',
    'Nombre o Razón Social del Receptor',
    'Fecha de Emisión',
    'Fecha de Certificación',
    'PAC que Certificó',
    'Total',
    'Efecto del Comprobante',
    'Estatus de cancelación',
    'Estado del Comprobante',
    'Estatus de Proceso de Cancelación',
    'Fecha de Solicitud de la Cancelación',
    'Fecha de Cancelación',
    'RFC a cuenta de terceros',
    'Motivo',
    'Folio de Sustitución',
  ]);
  for (const [i, row] of rows.entries()) {
    expect(shown[i]?.['RFC Receptor']).toBe(row.rfcReceptor);
    expect(shown[i]?.['Nombre o Razón Social del Receptor']).toBe(row.nombreReceptor);
    expect(shown[i]?.['Fecha de Emisión']).toBe(row.fechaEmision.replace(' ', 'T'));
    expect(shown[i]?.['Estado del Comprobante']).toBe(row.estatus);
    expect(Number(shown[i]?.['Total']?.replace(/[$,]/g, ''))).toBe(Number(row.monto));
    expect(shown[i]?.['Fecha de Cancelación']?.trim()).toBe(row.fechaCancelacion.replace(' ', 'T'));
  }
  expect(rows.some(({ estatus }) => estatus === 'Cancelado')).toBe(true);
  expect(rows.some(({ nombreReceptor }) => /["&\n]/.test(nombreReceptor))).toBe(true);
});

test('the columns of January 2023 can be had', async () => {
  await putAjustes(base, { columnas: '2023' });
  const { html } = await search(base, await logIn(base, RFC), RECEPTOR, recibidos('2026-02-00'));
  await putAjustes(base, { columnas: '2025' });
  const headings = Object.keys(rowsOf(html)[0] ?? {});
  expect(headings).toContain('Fecha de Proceso de Cancelación');
  expect(headings).not.toContain('Fecha de Solicitud de la Cancelación');
  expect(headings).not.toContain('Motivo');
});

test('at most 500 rows are shown', async () => {
  const rfc = 'MUC010101AAA';
  const day = at('2026-05-05');
  const filas = (cantidad: number) =>
    ({ documento: 'cfdi', tipo: 'recibidos', desde: day, hasta: day, cantidad }) as const;
  const browser = await logIn(base, rfc);
  for (const [cantidad, shown] of [
    [499, 499],
    [500, 500],
    [501, 500],
    [5000, 500],
  ] as const) {
    simulador.world.taxpayers.change(rfc, { filas: [filas(cantidad)] });
    const { html } = await search(base, browser, RECEPTOR, recibidos('2026-05-05'));
    expect(uuidsOf(html)).toEqual(expected('recibidos', '2026-05-05', '2026-05-05T23:59:59', rfc).slice(0, shown));
  }
  const { html } = await search(base, browser, RECEPTOR, recibidos('2026-05-05', '0:0:0', '1:0:0'));
  expect(uuidsOf(html)).toHaveLength(expected('recibidos', '2026-05-05', '2026-05-05T01:00:00', rfc).length);
});

test('the filters of state, counterpart and third party narrow the search', async () => {
  const browser = await logIn(base, RFC);
  const rows = [...simulador.world.taxpayers.rows(RFC, 'recibidos', at('2026-01-01'), at('2026-01-31T23:59:59'))];
  const other = rows.find(({ rfcEmisor }) => /[Ñ&]/.test(rfcEmisor))?.rfcEmisor ?? rows[0]?.rfcEmisor ?? '';
  const third = rows.find(({ tercero }) => tercero !== null)?.tercero?.rfc ?? '';
  const find = async (field: string, value: string) =>
    uuidsOf((await search(base, browser, RECEPTOR, { ...recibidos('2026-01-00'), [MAIN + field]: value })).html);
  const those = (keep: (row: (typeof rows)[number]) => boolean) => rows.filter(keep).map(({ uuid }) => uuid);

  expect(await find('DdlEstadoComprobante', '0')).toEqual(those(({ estatus }) => estatus === 'Cancelado'));
  expect(await find('DdlEstadoComprobante', '1')).toEqual(those(({ estatus }) => estatus === 'Vigente'));
  expect(await find('TxtRfcReceptor', other)).toEqual(those(({ rfcEmisor }) => rfcEmisor === other));
  expect(third).not.toBe('');
  expect(await find('TxtRfcTercero', third)).toEqual(those(({ tercero }) => tercero?.rfc === third));
});

test('an empty search says so', async () => {
  const { html } = await search(base, await logIn(base, RFC), RECEPTOR, recibidos('2031-01-00'));
  expect(uuidsOf(html)).toEqual([]);
  expect(isShown(html, 'ctl00_MainContent_PnlNoResultados')).toBe(true);
  expect(isShown(html, 'ctl00_MainContent_PnlResultados')).toBe(false);
  expect(load(html)('#ctl00_MainContent_PnlNoResultados').text()).toContain('No existen registros');
});

test('one CFDI is found by its UUID, and only among the own', async () => {
  const [uuid = ''] = expected('recibidos', '2026-02-01', '2026-02-28');
  const find = async (rfc: string) => {
    const browser = await logIn(base, rfc);
    const url = `${base}/portalcfdi/${RECEPTOR}`;
    const { fields } = readForm(await browser.get(url), '#aspnetForm');
    const sent = { ...fields, [`${MAIN}TxtUUID`]: uuid.toLowerCase(), [`${MAIN}BtnBusqueda`]: 'Buscar CFDI' };
    const panels = parseDelta((await browser.post(url, sent, AJAX)).text).map(({ content }) => content);
    return uuidsOf(panels.join(''));
  };
  expect(await find(RFC)).toEqual([uuid]);
  expect(await find('AJE010101AAA')).toEqual([]);
});

test('a search by date without the second step is refused, not empty', async () => {
  const browser = await logIn(base, RFC);
  const url = `${base}/portalcfdi/${RECEPTOR}`;
  const { fields } = readForm(await browser.get(url), '#aspnetForm');
  const sent = {
    ...fields,
    ...recibidos('2026-02-00'),
    [`${MAIN}FiltroCentral`]: 'RdoFechas',
    [`${MAIN}BtnBusqueda`]: 'x',
  };
  const html = parseDelta((await browser.post(url, sent, AJAX)).text)
    .map(({ content }) => content)
    .join('');
  expect(load(html)('#ctl00_MainContent_PnlErrores').text()).toContain('ERROR:');
  expect(isShown(html, 'ctl00_MainContent_PnlNoResultados')).toBe(false);
});

test('dates that are none, or end before they begin, are refused', async () => {
  const browser = await logIn(base, RFC);
  const errorOf = async (pagina: string, fields: Record<string, string>) =>
    load((await search(base, browser, pagina, fields)).html)('#ctl00_MainContent_PnlErrores').text();
  expect(await errorOf(RECEPTOR, recibidos('2026-02-30'))).toContain('no es válida');
  expect(await errorOf(EMISOR, emitidos('02/02/2026 0:0:0', '01/02/2026 0:0:0'))).toContain('no puede ser mayor');
  expect(await errorOf(EMISOR, emitidos('2026-02-01 0:0:0', '01/02/2026 0:0:0'))).toContain('fecha inicial');
});

test('the view state of another page, another session or nobody is an error record', async () => {
  const browser = await logIn(base, RFC);
  const url = `${base}/portalcfdi/${RECEPTOR}`;
  const { fields } = readForm(await browser.get(url), '#aspnetForm');
  const foreign = readForm(await browser.get(`${base}/portalcfdi/${EMISOR}`), '#aspnetForm').fields;
  for (const wrong of ['', 'inventado', foreign['__VIEWSTATE'] ?? '']) {
    const { text } = await browser.post(url, { ...fields, __VIEWSTATE: wrong }, AJAX);
    expect(parseDelta(text)[0]).toMatchObject({ type: 'error', id: '500' });
  }
  const other = await logIn(base, RFC);
  const own = readForm(await other.get(url), '#aspnetForm').fields;
  const { text } = await other.post(url, { ...own, __VIEWSTATE: fields['__VIEWSTATE'] ?? '' }, AJAX);
  expect(parseDelta(text)[0]).toMatchObject({ type: 'error' });
  const csrf = await browser.post(url, { ...fields, __CSRFTOKEN: 'otro' }, AJAX);
  expect(parseDelta(csrf.text)[0]).toMatchObject({ type: 'error' });
});

test('a postback without session is sent to the log-in by a pageRedirect record, a page method gets 401', async () => {
  const browser = createBrowser();
  const { text, status } = await browser.post(`${base}/portalcfdi/${RECEPTOR}`, {}, AJAX);
  expect(status).toBe(200);
  const redirect = parseDelta(text).find(({ type }) => type === 'pageRedirect');
  expect(decodeURIComponent(redirect?.content ?? '')).toContain(`${base}/cfdiau/nidp/wsfed/ep?wa=wsignin1.0`);

  const method = await browser.raw(`${base}/portalcfdi/${RECEPTOR}/DescargaMetadatos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: "{'Parametros':'x'}",
  });
  expect([method.status, method.headers.get('jsonerror')]).toEqual([401, 'true']);
});

test('every call is in the log with its RFC', async () => {
  const rfc = 'BIT010101AAA';
  await search(base, await logIn(base, rfc), RECEPTOR, recibidos('2026-02-00'));
  const calls = simulador.world.log.list({ service: 'portalcfdi', rfc }).map(({ operation }) => operation);
  expect(calls).toEqual(['RecibirToken', 'Inicio', 'AbrirConsulta', 'ElegirFiltro', 'Buscar']);
});
