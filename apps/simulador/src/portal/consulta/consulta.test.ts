import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { readForm } from '../../testing/browser.ts';
import { emitidos, logIn, parseDelta, putSettings, recibidos, rowsOf, search } from '../../testing/portal-client.ts';
import { startForTests } from '../../testing/start-for-tests.ts';
import { parseWallTime } from '../../world/wall-time.ts';

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
  await putSettings(base, { columnas: '2023' });
  const { html } = await search(base, await logIn(base, RFC), RECEPTOR, recibidos('2026-02-00'));
  await putSettings(base, { columnas: '2025' });
  const headings = Object.keys(rowsOf(html)[0] ?? {});
  expect(headings).toContain('Fecha de Proceso de Cancelación');
  expect(headings).not.toContain('Fecha de Solicitud de la Cancelación');
  expect(headings).not.toContain('Motivo');
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

test('the view state of another page, of another session or of no session is an error record', async () => {
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
