import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningSimulador, startSimulador } from '../start.ts';

const CARPETA = '/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGAFF';
const COMPLETO = `${CARPETA}/Listado_completo_69-B.csv`;
const VIEJO = '/omawww/cifras_sat/Documents/Listado_Completo_69-B.csv';
const INDICE = '/www/minisitio/DatosAbiertos/contribuyentes_publicados.html';
const FILAS = 800;

let simulador: RunningSimulador;

beforeEach(async () => {
  simulador = await startSimulador({ settings: { filas_69b: FILAS } });
});
afterEach(() => simulador.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${simulador.url}${path}`, { headers });

async function read(path: string) {
  const bytes = Buffer.from(await (await get(path)).arrayBuffer());
  const text = bytes.toString('latin1');
  const records: string[][] = parse(text, { relax_column_count: true });
  const [preamble = [], title = [], header = [], ...lines] = records;
  const rows = lines.filter((line) => line.some((cell) => cell !== ''));
  return { text, preamble, title, header, rows, fillers: lines.length - rows.length };
}

const control = async (method: string, body?: unknown) => {
  const response = await fetch(`${simulador.url}/control/listas/69b`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { fecha_corte: string; filas: number; publicada: string };
};

describe('the complete file', () => {
  it('has a preamble with the cut in words, a title, 20 columns, and its rows by RFC', async () => {
    const { preamble, title, header, rows, fillers, text } = await read(COMPLETO);
    expect(preamble[0]).toMatch(/^Información actualizada al 31 de octubre de 2026;/);
    expect(title[0]).toBe('Listado completo de contribuyentes (Artículo 69-B del CFF)');
    expect(header).toHaveLength(20);
    expect(header.slice(0, 4)).toEqual(['No', 'RFC', 'Nombre del Contribuyente', 'Situación del contribuyente']);
    expect(rows).toHaveLength(FILAS);
    expect(rows.every((row) => row.length === 20)).toBe(true);
    expect(rows.map(([no]) => no)).toEqual(rows.map((_, i) => String(i + 1)));
    expect(fillers).toBe(3);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/\r/);
  });

  it('is windows-1252 with what makes such files awkward', async () => {
    const { rows } = await read(COMPLETO);
    const nombres = rows.map((row) => row[2] ?? '');
    expect(nombres.some((nombre) => nombre.includes('\n'))).toBe(true);
    expect(nombres.some((nombre) => nombre.includes('"'))).toBe(true);
    expect(nombres.some((nombre) => /^\u0093.*\u0094 \u0096 /.test(nombre))).toBe(true);
    const rfcs = rows.map((row) => row[1] ?? '');
    for (const letter of ['Ñ', '&']) expect(rfcs.some((rfc) => rfc.includes(letter))).toBe(true);
    expect(rfcs.filter((rfc) => rfc === 'XXXXXXXXXXXX').length).toBeGreaterThan(2);
    expect(new Set(rfcs).size).toBeLessThan(rfcs.length - 5);
    expect(new Set(rows.map((row) => row[3]?.trim()))).toEqual(
      new Set(['Presunto', 'Desvirtuado', 'Definitivo', 'Sentencia Favorable']),
    );
  });

  it('has the magic RFCs with their situation and history, and not the RFC of the masked ones', async () => {
    const { rows } = await read(COMPLETO);
    const of = (rfc: string) => rows.filter((row) => row[1] === rfc);
    const situacion = (rfc: string) => of(rfc).map((row) => row[3]?.trim());
    expect(situacion('PRE900215SI3')).toEqual(['Presunto']);
    expect(situacion('PRES900215SI5')).toEqual(['Presunto']);
    expect(situacion('DES900215SI9')).toEqual(['Desvirtuado']);
    expect(situacion('DEF900215SI6')).toEqual(['Definitivo']);
    expect(situacion('SEN900215SI9')).toEqual(['Sentencia Favorable']);
    expect(situacion('REI900215SI5')).toEqual(['Desvirtuado', 'Definitivo']);
    expect(of('ENM900215SI1')).toEqual([]);
    const [historial = []] = of('HIS900215SI5');
    const fechas = [5, 9, 13, 17].map((column) => historial[column]);
    expect(fechas[1]).toBe('');
    for (const fecha of [fechas[0], fechas[2], fechas[3]]) expect(fecha).toMatch(/^\d\d\/\d\d\/\d{4}$/);
    expect(historial[12]).toMatch(/ de fecha \d\d de [a-z]+ de \d{4}$/);
  });
});

it('a file of one situation has its rows alone; that of presuntos has three empty columns more', async () => {
  const { rows } = await read(COMPLETO);
  const count = (situacion: string) => rows.filter((row) => row[3]?.trim() === situacion).length;
  const files = {
    'Definitivos.csv': 'Definitivo',
    'Presuntos.csv': 'Presunto',
    'Desvirtuados.csv': 'Desvirtuado',
    'SentenciasFavorables.csv': 'Sentencia Favorable',
  };
  for (const [file, situacion] of Object.entries(files)) {
    const part = await read(`${CARPETA}/${file}`);
    expect(part.rows).toHaveLength(count(situacion));
    expect(part.header[0]).toBe('No.');
    expect(part.header).toHaveLength(situacion === 'Presunto' ? 23 : 20);
  }
});

describe('publishing', () => {
  it('tells by ETag and Last-Modified that nothing changed', async () => {
    const first = await get(COMPLETO);
    const [etag, modified] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? ''];
    expect(modified).toBe('Wed, 18 Nov 2026 00:00:00 GMT');
    expect((await get(COMPLETO, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(COMPLETO, { 'if-modified-since': modified })).status).toBe(304);
    expect((await get(COMPLETO, { 'if-none-match': '"otro"', 'if-modified-since': modified })).status).toBe(200);
    await control('PUT', { quitar: ['DEF900215SI6'] });
    expect((await get(COMPLETO, { 'if-none-match': etag })).status).toBe(200);
    expect((await get(COMPLETO, { 'if-modified-since': modified })).status).toBe(200);
  });

  it('shows the list of another cut: proceedings begun since, and none that had not begun', async () => {
    const later = await control('PUT', { fecha_corte: '2026-11-30' });
    expect(later.filas).toBeGreaterThan(FILAS);
    expect((await read(COMPLETO)).preamble[0]).toContain('30 de noviembre de 2026');
    expect(await (await get(INDICE)).text()).toContain('Información actualizada al 30 de noviembre de 2026');
    expect((await control('PUT', { fecha_corte: '2020-01-31' })).filas).toBeLessThan(FILAS);
  });

  it('puts rows in, replaces and takes out; DELETE brings the generated ones back', async () => {
    const rfc = 'EKU9003173C9';
    const pasos = [
      { situacion: 'Presunto', fecha_sat: '2026-01-05' },
      { situacion: 'Definitivo', fecha_sat: '2026-06-05', fecha_dof: '2026-07-01' },
    ];
    await control('PUT', { registros: [{ rfc, nombre: 'OTRA, S.A.', pasos }], quitar: ['PRE900215SI3'] });
    const { rows } = await read(COMPLETO);
    expect(rows.find((row) => row[1] === rfc)).toMatchObject({
      2: 'OTRA, S.A.',
      3: 'Definitivo',
      5: '05/01/2026',
      15: '01/07/2026',
    });
    expect(rows.some((row) => row[1] === 'PRE900215SI3')).toBe(false);
    expect(simulador.world.listado69b.isAdverse(rfc)).toBe(true);
    expect((await control('DELETE')).filas).toBe(FILAS);
    expect(simulador.world.listado69b.isAdverse(rfc)).toBe(false);
    expect(simulador.world.listado69b.isAdverse('PRE900215SI3')).toBe(true);
  });

  it('refuses a proceeding that the cut would hide, and changes nothing', async () => {
    const put = (body: object) =>
      fetch(`${simulador.url}/control/listas/69b`, { method: 'PUT', body: JSON.stringify(body) });
    const registros = [{ rfc: 'EKU9003173C9', pasos: [{ situacion: 'Presunto', fecha_sat: '2026-11-12' }] }];
    const refused = await put({ registros, filas: 10 });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      error: expect.stringMatching(/EKU9003173C9 .* 2026-11-12 .* 2026-10-31\. .*fecha_corte/),
    });
    expect((await control('GET')).filas).toBe(FILAS);
    expect((await put({ registros, fecha_corte: '2026-11-15' })).status).toBe(200);
    expect(simulador.world.listado69b.isAdverse('EKU9003173C9')).toBe(true);
  });

  it('leaves the old address at the cut of 2025-12-31', async () => {
    await control('PUT', { fecha_corte: '2026-11-30', quitar: ['PRE900215SI3'] });
    const { preamble, rows } = await read(VIEJO);
    expect(preamble[0]).toContain('31 de diciembre de 2025');
    expect(rows.some((row) => row[1] === 'PRE900215SI3')).toBe(true);
    const year = (text = '') => Number(text.slice(-4));
    expect(Math.max(...rows.flatMap((row) => [5, 9, 13, 17].map((column) => year(row[column]))))).toBe(2025);
  });

  it('links the five files from the index page, which a browser can follow', async () => {
    const page = await (await get(INDICE)).text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(links).toHaveLength(5);
    for (const link of links) expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  });
});

it('obeys injected faults', async () => {
  simulador.world.faults.add({ service: 'wu1agsprosta001', kind: 'html200', times: 1 });
  expect((await get(COMPLETO)).headers.get('content-type')).toContain('text/html');
  simulador.world.faults.add({ service: 'wu1agsprosta001', kind: 'malformed', times: 1 });
  const cut = (await (await get(COMPLETO)).arrayBuffer()).byteLength;
  const whole = (await (await get(COMPLETO)).arrayBuffer()).byteLength;
  expect(cut).toBe(Math.floor(whole * 0.7));
});
