import { DOMParser } from '@xmldom/xmldom';
import { describe, expect, it } from 'vitest';
import { createClock } from '../world/clock.ts';
import type { Tipo } from '../world/taxpayers/row.ts';
import { createTaxpayers } from '../world/taxpayers/taxpayers.ts';
import { parseWallTime } from '../world/wall-time.ts';
import { type Criterios, matches, readCriteria } from './solicitudes.ts';

const RFC = 'EKU9003173C9';
const HOY = parseWallTime('2026-11-21T10:00:00') ?? 0;

function read(tipo: Tipo, change: Record<string, string | null>, receptores: readonly string[] = []) {
  const own = tipo === 'emitidos' ? 'RfcEmisor' : 'RfcReceptor';
  const attributes = Object.entries({
    [own]: RFC,
    FechaInicial: '2026-01-01T00:00:00',
    FechaFinal: '2026-01-31T23:59:59',
    TipoSolicitud: 'Metadata',
    ...change,
  }).flatMap(([name, value]) => (value === null ? [] : [`${name}="${value}"`]));
  const children = receptores.map((rfc) => `<RfcReceptor>${rfc}</RfcReceptor>`).join('');
  const xml = `<solicitud xmlns="http://DescargaMasivaTerceros.sat.gob.mx" ${attributes.join(' ')}><RfcReceptores>${children}</RfcReceptores></solicitud>`;
  const element = new DOMParser().parseFromString(xml, 'text/xml').documentElement;
  if (!element) throw new Error('unreadable');
  return readCriteria(element, tipo, { rfc: RFC, now: HOY });
}

function criterios(tipo: Tipo, change: Record<string, string>, receptores?: string[]): Criterios {
  const some = read(tipo, change, receptores);
  if ('code' in some) throw new Error(some.mensaje);
  return some;
}

describe('rules of a request', () => {
  it.each<[string, Tipo, Record<string, string | null>, number]>([
    ['no RfcEmisor', 'emitidos', { RfcEmisor: null }, 301],
    ['no RfcReceptor', 'recibidos', { RfcReceptor: null }, 301],
    ['an issuer that does not ask', 'emitidos', { RfcEmisor: 'XIQB891116QE4' }, 5001],
    ['no date', 'emitidos', { FechaInicial: null }, 301],
    ['no hour after the T', 'emitidos', { FechaInicial: '2026-01-01T' }, 301],
    [
      'a day that does not exist',
      'emitidos',
      { FechaInicial: '2026-02-30T00:00:00', FechaFinal: '2026-03-05T00:00:00' },
      301,
    ],
    ['an end equal to the start', 'emitidos', { FechaFinal: '2026-01-01T00:00:00' }, 301],
    ['a start before six years ago', 'emitidos', { FechaInicial: '2020-11-20T23:59:59' }, 301],
    ['an unknown kind', 'emitidos', { TipoSolicitud: 'metadata' }, 301],
    ['an unknown state', 'emitidos', { EstadoComprobante: 'Otro' }, 301],
    ['an unknown effect', 'emitidos', { TipoComprobante: 'Z' }, 301],
    ['XML of cancelled received ones', 'recibidos', { TipoSolicitud: 'CFDI', EstadoComprobante: 'Cancelado' }, 301],
    ['XML of all received ones', 'recibidos', { TipoSolicitud: 'CFDI', EstadoComprobante: 'Todos' }, 301],
    ['an RFC that is none', 'emitidos', { RfcACuentaTerceros: 'X' }, 301],
  ])('refuses %s (%s)', (_, tipo, change, code) => {
    expect(read(tipo, change)).toMatchObject({ code });
  });

  it.each<[Record<string, string>, string]>([
    [
      { TipoSolicitud: 'CFDI', EstadoComprobante: 'Todos' },
      'No se permite la descarga de xml que se encuentren cancelados.',
    ],
    [{ FechaFinal: '2026-01-01T00:00:00' }, 'La fecha inicial es mayor o igual a la fecha final.'],
    [{ FechaFinal: '2026-11-21T10:00:01' }, 'Fecha final invalida'],
  ])('says why %j is refused, in the words of the SAT', (change, reason) => {
    const mensaje = `XML Mal Formado:La solicitud de descarga no es válida. ${reason}`;
    expect(read('recibidos', change)).toEqual({ code: 301, mensaje });
  });

  it('takes an end at this very second', () => {
    expect(read('recibidos', { FechaFinal: '2026-11-21T10:00:00' })).not.toHaveProperty('code');
  });

  it('takes 00:00 of the day six years ago, and metadata of cancelled received ones', () => {
    expect(read('emitidos', { FechaInicial: '2020-11-21T00:00:00' })).not.toHaveProperty('code');
    expect(read('recibidos', { EstadoComprobante: 'Cancelado' })).not.toHaveProperty('code');
  });

  it('takes days without an hour for their first second', () => {
    const days = criterios('emitidos', { FechaInicial: '2026-01-01', FechaFinal: '2026-01-31' });
    expect([days.inicio, days.fin]).toEqual([parseWallTime('2026-01-01'), parseWallTime('2026-01-31')]);
  });

  it('takes five receivers and refuses six; empty ones do not count', () => {
    const rfc = 'XAXX010101000';
    expect(read('emitidos', {}, Array(5).fill(rfc))).not.toHaveProperty('code');
    expect(read('emitidos', {}, Array(6).fill(rfc))).toMatchObject({ code: 301 });
    expect(criterios('emitidos', {}, ['', '']).contrapartes).toEqual([]);
  });

  it('asks for valid and cancelled ones when no state is given, so that XML of received ones is refused', () => {
    expect([criterios('emitidos', {}).estado, criterios('recibidos', {}).estado]).toEqual(['Todos', 'Todos']);
    expect(read('recibidos', { TipoSolicitud: 'CFDI' })).toMatchObject({
      code: 301,
      mensaje: expect.stringContaining('cancelados'),
    });
    expect(read('emitidos', { TipoSolicitud: 'CFDI' })).not.toHaveProperty('code');
  });
});

describe('filters', () => {
  const taxpayers = createTaxpayers({ clock: createClock(), settings: { semilla: 'filtros' } });
  const rows = [...taxpayers.rows(RFC, 'emitidos', HOY - 365 * 86_400, HOY)];
  const other = rows.find((row) => row.tercero)?.tercero?.rfc ?? '';

  it.each<[string, Record<string, string>, string[], (row: (typeof rows)[number]) => boolean]>([
    ['all', { EstadoComprobante: 'Todos' }, [], () => true],
    ['valid', { EstadoComprobante: 'Vigente' }, [], (row) => row.fechaCancelacion === ''],
    ['cancelled', { EstadoComprobante: 'Cancelado' }, [], (row) => row.fechaCancelacion !== ''],
    [
      'receivers',
      { EstadoComprobante: 'Todos' },
      ['XAXX010101000', 'ÑAM9207103I4'],
      (row) => ['XAXX010101000', 'ÑAM9207103I4'].includes(row.rfcReceptor),
    ],
    ['effect', { EstadoComprobante: 'Todos', TipoComprobante: 'N' }, [], (row) => row.efecto === 'N'],
    ['complement', { EstadoComprobante: 'Todos', Complemento: 'pagos20' }, [], (row) => row.efecto === 'P'],
    ['third party', { EstadoComprobante: 'Todos', RfcACuentaTerceros: other }, [], (row) => row.tercero?.rfc === other],
  ])('lets exactly the rows pass that are asked for: %s', (_, change, receptores, expected) => {
    const some = criterios('emitidos', change, receptores);
    const passed = rows.filter((row) => matches(some, row));
    expect(passed).toEqual(rows.filter(expected));
    expect(passed.length).toBeGreaterThan(0);
  });

  it('filters received ones by their issuer', () => {
    const recibidos = [...taxpayers.rows(RFC, 'recibidos', HOY - 100 * 86_400, HOY)];
    const emisor = recibidos[0]?.rfcEmisor ?? '';
    const some = criterios('recibidos', { EstadoComprobante: 'Todos', RfcEmisor: emisor });
    expect(recibidos.filter((row) => matches(some, row))).toEqual(recibidos.filter((row) => row.rfcEmisor === emisor));
  });
});
