import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningSimulador, startSimulador } from '../start.ts';
import { NOMBRES_LISTADOS } from '../world/listados.ts';

const AGR = '/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGR';
const BIS = '/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGGC/Listado_69_B_Bis_Completo.csv';
const FIRMES = `${AGR}/Firmes.csv`;

let simulador: RunningSimulador;
beforeAll(async () => {
  simulador = await startSimulador({ settings: { filas_listados: 300 } });
});
afterAll(() => simulador.close());
beforeEach(() => {
  simulador.world.listados.reset();
  simulador.world.settings.codificacion_listas = 'windows-1252';
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${simulador.url}${path}`, { headers });
const bytesOf = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());
async function read(path: string): Promise<string[][]> {
  return parse((await bytesOf(path)).toString('latin1'), { relax_column_count: true });
}
const control = (method: string, archivo: string, body?: unknown) =>
  fetch(`${simulador.url}/control/listas/${archivo}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

describe('the other lists', () => {
  it('stand at the addresses of 2026, each with its own header and its rows by RFC', async () => {
    const header = async (nombre: string) => (await read(`${AGR}/${nombre}`))[0];
    const base = [
      'RFC',
      'RAZON SOCIAL',
      'TIPO PERSONA',
      'SUPUESTO',
      'FECHA DE PRIMERA PUBLICACION',
      'ENTIDAD FEDERATIVA',
    ];
    for (const nombre of ['Firmes.csv', 'Exigibles.csv', 'No_localizados.csv'])
      expect(await header(nombre)).toEqual(base);
    expect((await header('Sentencias.csv'))?.slice(0, 5)).toEqual([
      'RFC',
      'RAZÓN SOCIAL',
      'TIPO PERSONA',
      'SUPUESTO',
      'FECHAS DE PRIMERA PUBLICACION',
    ]);
    expect(await header('Cancelados.csv')).toHaveLength(8);
    expect((await header('CSDsinefectos.csv'))?.slice(0, 3)).toEqual([
      'RFC',
      'NOMBRE O RAZON SOCIAL',
      'SUPUESTO DE CANCELACION CSD',
    ]);
    expect(await header('EntespublicosydeGobiernoomisos.csv')).toContain('EJERCICIO');
    const [, ...rows] = await read(FIRMES);
    expect(rows.length).toBeGreaterThanOrEqual(300);
    const rfcs = rows.map(([rfc = '']) => rfc);
    expect(rfcs).toEqual([...rfcs].sort((a, b) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'))));
    expect(new Set(rfcs).size).toBeLessThan(rfcs.length);
    expect(rfcs.some((rfc) => rfc.includes('Ñ'))).toBe(true);
    expect(rows.some((row) => row[3] === '')).toBe(true);
  });

  it('have three taxpayers in 69-B Bis, under two lines of prose and twelve columns', async () => {
    const [prose = [], title = [], header = [], ...rows] = await read(BIS);
    expect(prose[0]).toMatch(/^Información actualizada al 6 de noviembre de 2026;/);
    expect(title[0]).toContain('69-B Bis');
    expect([header.length, rows.length]).toEqual([12, 3]);
    for (const row of rows) expect(['Definitivo', 'Sentencia Favorable']).toContain(row[3]);
  });

  it('tell by ETag and Last-Modified that nothing changed, until something does', async () => {
    const first = await get(FIRMES);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('last-modified')).toBe('Fri, 06 Nov 2026 18:00:00 GMT');
    expect((await get(FIRMES, { 'if-none-match': etag })).status).toBe(304);
    const row = { rfc: 'EKU9003173C9', supuesto: 'FIRMES', publicada: '2026-11-01' };
    expect((await control('PUT', 'Firmes.csv', { registros: [row] })).status).toBe(200);
    expect((await get(FIRMES, { 'if-none-match': etag })).status).toBe(200);
    expect((await read(FIRMES)).find(([rfc]) => rfc === 'EKU9003173C9')).toMatchObject({
      3: 'FIRMES',
      4: '01/11/2026',
    });
    const shown = await (await control('GET', 'Firmes.csv?rfc=EKU9003173C9')).json();
    expect(shown).toMatchObject({ registros: [{ supuesto: 'FIRMES', publicada: '2026-11-01' }] });
    await control('PUT', 'Firmes.csv', { quitar: ['EKU9003173C9'] });
    expect((await read(FIRMES)).some(([rfc]) => rfc === 'EKU9003173C9')).toBe(false);
    await control('DELETE', 'Firmes.csv');
    expect((await get(FIRMES, { 'if-none-match': etag })).status).toBe(304);
  });

  it('are written wrongly where a test of readers asks for it', async () => {
    const right = await bytesOf(FIRMES);
    expect(right.includes(0xd1)).toBe(true);
    const { settings } = simulador.world;
    settings.codificacion_listas = 'utf-16';
    expect((await bytesOf(FIRMES)).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
    settings.codificacion_listas = 'cp850';
    const dos = await bytesOf(FIRMES);
    expect([dos.length, dos.includes(0xa5), dos.includes(0xd1)]).toEqual([right.length, true, false]);
    settings.codificacion_listas = 'utf-8';
    expect((await bytesOf(FIRMES)).toString()).toContain('Ñ');
  });

  it('are missing, pages or cut where a fault says so, and the others are not', async () => {
    const { faults } = simulador.world;
    faults.add({ service: 'wu1agsprosta001', operation: 'Firmes.csv', kind: 'status', status: 404, times: 1 });
    expect((await get(FIRMES)).status).toBe(404);
    faults.add({ service: 'wu1agsprosta001', operation: 'Firmes.csv', kind: 'html200', times: 1 });
    expect((await get(FIRMES)).headers.get('content-type')).toContain('text/html');
    for (const nombre of NOMBRES_LISTADOS.slice(0, -1)) expect((await get(`${AGR}/${nombre}`)).status).toBe(200);
  });

  it('name the file that is unknown', async () => {
    const answer = await control('PUT', 'Otra.csv', {});
    expect([answer.status, await answer.json()]).toEqual([404, { error: expect.stringContaining('Firmes.csv') }]);
    expect(
      (await control('PUT', 'Firmes.csv', { registros: [{ rfc: 'no', supuesto: 'X', publicada: '2026-01-01' }] }))
        .status,
    ).toBe(400);
  });
});
