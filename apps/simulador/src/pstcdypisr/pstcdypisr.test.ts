import { load } from 'cheerio';
import { expect, test } from 'vitest';
import { type Browser, createBrowser, textsOf } from '../testing/browser.ts';
import { ciecError, follow, isCiecPage, sendCiecPage } from '../testing/idp-client.ts';
import { pdfLines } from '../testing/pdf-text.ts';
import { visitByCiec } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';

const RFC = 'HEN880505AB3';
const AHORA = new Date('2026-11-21T18:00:00Z');
const simulador = await startForTests({}, AHORA);
const base = `${simulador.url}/pstcdypisr`;

async function logIn(rfc: string, path = '/'): Promise<{ browser: Browser; text: string; url: string }> {
  const browser = createBrowser();
  const { text, url } = await visitByCiec(simulador, browser, base + path, rfc);
  expect(text).toContain(`RFC: ${rfc}`);
  return { browser, text, url };
}

async function search(browser: Browser, fields: Record<string, string>) {
  const all = { tipoDocumento: '1', IdDeclaracion: '001', Periodicidad: '', Periodo: '', ...fields };
  const { text, status } = await browser.post(`${base}/Consulta/Buscar`, all);
  const $ = load(text);
  const filas = $('#tableResult tbody#tableBody tr')
    .toArray()
    .map((row) => ({
      celdas: Array.from($(row).find('td'), (cell) => $(cell).text()),
      href: $(row).find('a#linkDescargaPDF').attr('href') ?? '',
    }));
  return { status, filas, headings: textsOf(text, '#tableResult thead th'), notice: $('.bootbox-body').text() };
}

test('after the log-in the browser is where it wanted to go', async () => {
  const { url, text } = await logIn(RFC, '/Consulta/Consulta?tipoDocumento=3');
  expect(url).toBe(`${base}/Consulta/Consulta?tipoDocumento=3`);
  const $ = load(text);
  expect($('#IdDeclaracion option').attr('value')).toBe('001');
  expect($('#Ejercicio option').toArray().length).toBe(6);
  expect($('#Periodicidad option[value=M]').text()).toBe('Mensual');
  expect($('#Periodo').attr('disabled')).toBe('disabled');
  expect($('#Periodo option[value=012]').text()).toBe('Diciembre');
  expect($('#btnBuscar')).toHaveLength(1);
});

test('a year has a return a month and one for the year, with the columns of the portal', async () => {
  const { browser } = await logIn(RFC);
  const { headings, filas, notice } = await search(browser, { Ejercicio: '2024' });
  expect(headings.slice(1)).toEqual([
    'Número de Operación',
    'Tipo de Declaración',
    'Tipo de Complementaria',
    'Línea de Captura',
    'Fecha de Presentación',
    'Periodicidad',
    'Período',
    'Fecha de Causación',
    'Estado',
  ]);
  const normales = filas.filter(({ celdas }) => celdas[2] === 'Normal');
  expect(normales).toHaveLength(13);
  expect(new Set(normales.map(({ celdas }) => celdas[7])).size).toBe(13);
  expect(new Set(filas.map(({ celdas }) => celdas[1])).size).toBe(filas.length);
  for (const { celdas } of filas) {
    expect(celdas[1]).toMatch(/^\d{12}$/);
    expect(celdas[5]).toMatch(/^\d{2}\/\d{2}\/202[45]$/);
    expect(celdas[4]).toMatch(/^$|^(\w{4} ){4}\w{4}$/);
  }
  expect(notice).toBe('');
});

test('amendments name their kind and take the place of what they amend', async () => {
  const { browser } = await logIn(RFC);
  const years = await Promise.all(['2022', '2023', '2024', '2025'].map((Ejercicio) => search(browser, { Ejercicio })));
  const filas = years.flatMap((year) => year.filas.map(({ celdas }) => celdas));
  const amended = filas.filter((celdas) => celdas[2] === 'Complementaria');
  expect(amended.length).toBeGreaterThan(0);
  expect(amended.every((celdas) => celdas[3] !== '')).toBe(true);
  expect(filas.filter((celdas) => celdas[2] === 'Normal').every((celdas) => celdas[3] === '')).toBe(true);
  expect(filas.filter((celdas) => celdas[9] === 'No vigente')).toHaveLength(amended.length);
});

test('a period narrows the search', async () => {
  const { browser } = await logIn(RFC);
  const marzo = await search(browser, { Ejercicio: '2024', Periodicidad: 'M', Periodo: '003' });
  expect(marzo.filas.every(({ celdas }) => celdas[6] === '1-Mensual' && celdas[7] === 'Marzo')).toBe(true);
  expect(marzo.filas.length).toBeGreaterThan(0);
  const anual = await search(browser, { Ejercicio: '2024', Periodicidad: 'A' });
  expect(anual.filas.every(({ celdas }) => celdas[7] === 'Del Ejercicio')).toBe(true);
});

test('no return is filed in the future, and a filed return stays', async () => {
  simulador.world.clock.set(new Date('2024-06-10T18:00:00Z'));
  const before = await search((await logIn(RFC)).browser, { Ejercicio: '2024' });
  expect(before.filas.map(({ celdas }) => celdas[7])).toEqual(expect.arrayContaining(['Enero', 'Abril']));
  expect(before.filas.some(({ celdas }) => celdas[7] === 'Junio')).toBe(false);
  simulador.world.clock.set(AHORA);
  const after = await search((await logIn(RFC)).browser, { Ejercicio: '2024' });
  const numbers = after.filas.map(({ celdas }) => celdas[1]);
  expect(numbers).toEqual(expect.arrayContaining(before.filas.map(({ celdas }) => celdas[1])));
  expect(numbers.length).toBeGreaterThan(before.filas.length);
});

test('what a negative opinion misses was not filed', async () => {
  const rfc = 'NEG900215SI8';
  const { obligacionesOmitidas } = simulador.world.taxpayers.profile(rfc).opinion;
  const { browser } = await logIn(rfc);
  const { filas } = await search(browser, { Ejercicio: '2026', Periodicidad: 'M' });
  const periods = filas.map(({ celdas }) => celdas[7]);
  expect(periods).toContain('Febrero');
  const missing = obligacionesOmitidas.filter(({ ejercicio }) => ejercicio === 2026);
  expect(missing.length).toBeGreaterThan(0);
  for (const { periodo } of missing) expect(periods).not.toContain(periodo);
});

test('each row leads to its return and to its receipt', async () => {
  const { browser } = await logIn(RFC);
  for (const [tipoDocumento, title] of [
    ['1', 'Declaración provisional'],
    ['3', 'Acuse de recibo'],
  ] as const) {
    const { filas } = await search(browser, { Ejercicio: '2023', tipoDocumento });
    const [fila] = filas;
    expect(fila?.href).toContain(`tipoDocumento=${tipoDocumento}&`);
    const response = await browser.raw(fila?.href ?? '');
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toContain(`${RFC}.38.2023.pdf`);
    const lines = pdfLines(Buffer.from(await response.arrayBuffer()));
    expect(lines.some((line) => line.startsWith(title))).toBe(true);
    expect(lines).toEqual(expect.arrayContaining([RFC, fila?.celdas[1], fila?.celdas[7]]));
  }
});

test('the documents of another taxpayer cannot be had', async () => {
  const own = await search((await logIn('OTR900101AB4')).browser, { Ejercicio: '2023' });
  const { browser } = await logIn(RFC);
  const response = await browser.raw(own.filas[0]?.href ?? '');
  expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
});

test('refuses searches that its page never sends', async () => {
  const { browser } = await logIn(RFC);
  for (const fields of [{ Ejercicio: 'x' }, { Ejercicio: '2024', IdDeclaracion: '099' }, { tipoDocumento: '2' }])
    expect((await search(browser, fields)).status).toBe(500);
  expect((await browser.get(`${base}/Consulta/Consulta?tipoDocumento=toString`)).status).toBe(500);
});

test('three wrong passwords at two hosts lock the account at both', async () => {
  const rfc = 'BLO900101AB5';
  const browser = createBrowser();
  let page = await follow(browser, await browser.get(`${base}/`));
  for (let n = 0; n < 2; n++) page = await sendCiecPage(simulador.url, browser, page, rfc, 'incorrecta');
  expect(ciecError(page)).toContain('incorrectos');
  const other = await browser.get(
    `${simulador.url}/cfdiau/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0`,
  );
  const third = await sendCiecPage(simulador.url, browser, other, rfc, 'incorrecta');
  expect(ciecError(third)).toContain('bloqueada');
  const right = await sendCiecPage(simulador.url, browser, page, rfc);
  expect(ciecError(right)).toContain('bloqueada');
});

test('log-out ends both sessions; twenty idle minutes end this one', async () => {
  const { browser } = await logIn(RFC);
  await browser.get(`${base}/Home/LogOut`);
  expect(isCiecPage(await follow(browser, await browser.get(`${base}/`)))).toBe(true);
  const idle = (await logIn(RFC)).browser;
  simulador.world.clock.advance(21 * 60_000);
  expect(isCiecPage(await follow(idle, await idle.get(`${base}/`)))).toBe(true);
});
