import { load } from 'cheerio';
import { type Browser, createBrowser, readForm, tableRows, type Visit } from './browser.ts';

export const CIEC_LOGIN = '/cfdiau/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0';
export const FIEL_LOGIN = '/cfdiau/nidp/app/login?id=SATx509Custom&sid=0&option=credential&sid=0';

/** The captcha image of a log-in page, base64. */
export function captchaOf({ text }: Visit): string {
  const source = load(text)('#divCaptcha > img').attr('src') ?? '';
  return source.replace('data:image/jpeg;base64,', '');
}

/** Asks the simulator for the answer to a captcha image. */
export async function solveCaptcha(base: string, imagen: string): Promise<string> {
  const response = await fetch(`${base}/cfdiau/simulador/captcha`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ imagen }),
  });
  const { respuesta } = (await response.json()) as { respuesta?: string };
  return respuesta ?? '';
}

/** Sends the log-in form once; `change` alters its fields. */
export async function sendCiec(
  base: string,
  browser: Browser,
  rfc: string,
  ciec: string,
  change: Record<string, string> = {},
): Promise<Visit> {
  const page = await browser.get(base + CIEC_LOGIN);
  const { action, fields } = readForm(page, '#IDPLogin');
  const userCaptcha = await solveCaptcha(base, captchaOf(page));
  const filled = { ...fields, Ecom_User_ID: rfc, Ecom_Password: ciec, userCaptcha, submit: 'Enviar', ...change };
  return browser.post(action, filled);
}

/** A browser that has logged in by password and stands on the portal's first page. */
export async function logIn(base: string, rfc: string, ciec = defaultCiec(rfc)): Promise<Browser> {
  const browser = createBrowser();
  const home = await browser.followForms(await sendCiec(base, browser, rfc, ciec));
  if (!load(home.text)('#ctl00_LblRfcAutenticado').text().includes(rfc)) throw new Error(`not inside: ${home.text}`);
  return browser;
}

/** The password of a taxpayer for whom none was set. */
export function defaultCiec(rfc: string): string {
  return `Ciec${rfc}`.padEnd(16, '0').slice(0, 16);
}

/** Changes settings of the portal. */
export async function putSettings(base: string, change: Record<string, unknown>): Promise<Response> {
  return fetch(`${base}/cfdiau/simulador/ajustes`, { method: 'PUT', body: JSON.stringify(change) });
}

type Delta = { type: string; id: string; content: string }[];

/** Reads a delta by its lengths alone; throws where a length does not lead to a bar. */
export function parseDelta(text: string): Delta {
  const records: Delta = [];
  let at = 0;
  const until = (sign: string) => {
    const end = text.indexOf(sign, at);
    if (end < 0) throw new Error(`no "${sign}" after position ${at}`);
    const part = text.slice(at, end);
    at = end + 1;
    return part;
  };
  while (at < text.length) {
    const length = Number(until('|'));
    const type = until('|');
    const id = until('|');
    const content = text.slice(at, at + length);
    at += length;
    if (text[at] !== '|') throw new Error(`the record ${type} ${id} does not end after ${length} characters`);
    at += 1;
    records.push({ type, id, content });
  }
  return records;
}

const AJAX = { 'x-microsoftajax': 'Delta=true', 'x-requested-with': 'XMLHttpRequest' };
const MAIN = 'ctl00$MainContent$';

/** The answer to the search button after the three steps; `change` alters the fields of the last one. */
export async function search(
  base: string,
  browser: Browser,
  pagina: string,
  change: Record<string, string>,
): Promise<{ delta: Delta; text: string; html: string }> {
  const url = `${base}/portalcfdi/${pagina}`;
  const { fields } = readForm(await browser.get(url), '#aspnetForm');
  const chosen = { ...fields, [`${MAIN}FiltroCentral`]: 'RdoFechas', __ASYNCPOST: 'true' };
  const select = { ...chosen, __EVENTTARGET: `${MAIN}RdoFechas`, __EVENTARGUMENT: '' };
  const second = parseDelta((await browser.post(url, select, AJAX)).text);
  const hidden = Object.fromEntries(second.filter(({ type }) => type === 'hiddenField').map((r) => [r.id, r.content]));
  const last = { ...chosen, ...hidden, ...change, [`${MAIN}BtnBusqueda`]: 'Buscar CFDI' };
  const { text } = await browser.post(url, last, AJAX);
  const delta = parseDelta(text);
  const html = delta
    .filter(({ type }) => type === 'updatePanel')
    .map(({ content }) => content)
    .join('');
  return { delta, text, html };
}

/** Fields of a search of received ones: day 0 is the whole month. */
export function recibidos(date: string, begin = '0:0:0', end = '23:59:59'): Record<string, string> {
  const [year = '', month = '', day = ''] = date.split('-');
  const time = (text: string, suffix: string) =>
    ['DdlHora', 'DdlMinuto', 'DdlSegundo'].map((name, i) => [
      `${MAIN}CldFecha$${name}${suffix}`,
      text.split(':')[i] ?? '',
    ]);
  return {
    [`${MAIN}CldFecha$DdlAnio`]: year,
    [`${MAIN}CldFecha$DdlMes`]: String(Number(month)),
    [`${MAIN}CldFecha$DdlDia`]: day,
    ...Object.fromEntries([...time(begin, ''), ...time(end, 'Fin')]),
  };
}

/** Fields of a search of issued ones; both as `dd/mm/yyyy H:m:s`. */
export function emitidos(from: string, to: string): Record<string, string> {
  const moment = (control: string, text: string) => {
    const [date = '', time = ''] = text.split(' ');
    const [hour = '', minute = '', second = ''] = time.split(':');
    return {
      [`${MAIN}${control}$Calendario_text`]: date,
      [`${MAIN}${control}$DdlHora`]: hour,
      [`${MAIN}${control}$DdlMinuto`]: minute,
      [`${MAIN}${control}$DdlSegundo`]: second,
    };
  };
  return { ...moment('CldFechaInicial2', from), ...moment('CldFechaFinal2', to) };
}

/** The rows of the result table as heading to text. */
export const rowsOf = (html: string) => tableRows(html, '#ctl00_MainContent_tblResult');

/** Asks for the bulk metadata of the search on a page; the text of the answer. */
export async function requestMetadata(base: string, browser: Browser, pagina: string, html: string): Promise<string> {
  const parametros = load(html)('#hfParametrosMetadata').attr('value') ?? '';
  const encoded = encodeURIComponent(Buffer.from(parametros, 'utf8').toString('base64'));
  const response = await browser.raw(`${base}/portalcfdi/${pagina}/DescargaMetadatos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: `{'Parametros':'${encoded}'}`,
  });
  const { d } = (await response.json()) as { d: string };
  return d;
}

type Listing = { visit: Visit; folios: Record<string, string>[]; links: Map<string, string> };

/** Looks at the page of downloads. */
export async function lookAtDownloads(base: string, browser: Browser): Promise<Listing> {
  const visit = await browser.get(`${base}/portalcfdi/ConsultaDescargaMasiva.aspx`);
  const links = new Map(
    [...visit.text.matchAll(/AccionRetencion\('([^']+)','([^']+)','Recuperacion'\)/g)].map((m) => [
      m[1] ?? '',
      m[2] ?? '',
    ]),
  );
  return { visit, folios: rowsOf(visit.text), links };
}

/** Posts the downloads page back for a folio, as its script does. */
export async function download(browser: Browser, visit: Visit, folio: string, link: string): Promise<Response> {
  const { action, fields } = readForm(visit, '#aspnetForm');
  const body = new URLSearchParams({
    ...fields,
    __EVENTTARGET: `${MAIN}setLinkButtonDescarga`,
    __EVENTARGUMENT: '',
    [`${MAIN}hfFolioDescargaActual`]: folio,
    [`${MAIN}hfUrlDescargaActual`]: link,
  });
  return browser.raw(action, { method: 'POST', body });
}
