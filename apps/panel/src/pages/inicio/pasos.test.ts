import type { RfcVista } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { type Inicio, pasosOf, recordatoriosOf } from './pasos.ts';

const now = new Date('2026-11-21T18:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const llave = {
  id: 'k',
  modo: 'live',
  ultimos4: 'f3a9',
  creadaEn: now,
  registradaEn: null,
  ultimoUsoEn: null,
  ultimaIp: null,
} as const;
const vista = (more: Partial<RfcVista> = {}): RfcVista => ({
  id: 'c',
  cuentaId: 'a',
  rfc: 'ACU200101DB1',
  nombre: null,
  idCif: null,
  creadoEn: now,
  llave: null,
  ciec: null,
  cer: null,
  efirmaKey: null,
  deshabilitadas: [],
  ips: [],
  ...more,
});
const vacia: Inicio = { saldo: 0, abiertas: 0, enCurso: [], terminada: null, huboSolicitud: false };

const ahora = (rfcs: readonly RfcVista[], inicio: Inicio) => {
  const pasos = pasosOf(rfcs, inicio);
  const current = pasos.filter(({ estado }) => estado === 'ahora');
  expect(current.length).toBe(1);
  return current[0]?.href;
};

describe('the first steps', () => {
  const conLlave = vista({ llave });
  const lista = vista({ llave: { ...llave, registradaEn: now }, ciec: { creadaEn: now, rechazadaEn: null } });

  it('speak of the taxpayer that is furthest', () => {
    const otro = vista({ rfc: 'AAA010101AAA' });
    expect(ahora([otro, conLlave], vacia)).toBe('/rfcs/ACU200101DB1/credenciales');
  });

  it('do not take a certificate without its key for a credential', () => {
    const cer = { noSerie: '1', titular: 'X', vigenteHasta: inDays(100), rechazadaEn: null, sirveEn: null };
    expect(ahora([vista({ llave, cer })], vacia)).toBe('/rfcs/ACU200101DB1/credenciales');
  });

  it('do not ask for credits again once something was asked for', () => {
    const titles = (inicio: Inicio) => pasosOf([lista], inicio).map(({ titulo }) => titulo);
    expect(titles(vacia)).toContain('Tenga un crédito');
    expect(titles({ ...vacia, huboSolicitud: true })).not.toContain('Tenga un crédito');
  });
});

describe('reminders', () => {
  const cer = (vigenteHasta: Date) => ({ noSerie: '1', titular: 'X', vigenteHasta, rechazadaEn: null, sirveEn: null });
  const tonos = (more: Partial<RfcVista>) => recordatoriosOf([vista(more)], now).map(({ tono }) => tono);

  it('come 30 days before a certificate ends, and say so once it has', () => {
    expect(tonos({ cer: cer(inDays(31)) })).toEqual([]);
    expect(tonos({ cer: cer(inDays(29)) })).toEqual(['alerta']);
    expect(tonos({ cer: cer(inDays(-1)) })).toEqual(['error']);
  });

  it('come when a key is 90 days old (specification, Authentication 6)', () => {
    expect(tonos({ llave: { ...llave, creadaEn: inDays(-89) } })).toEqual([]);
    expect(tonos({ llave: { ...llave, creadaEn: inDays(-90) } })).toEqual(['alerta']);
  });

  it('put what does not work any more first', () => {
    const rfcs = [
      vista({ llave: { ...llave, creadaEn: inDays(-200) } }),
      vista({ ciec: { creadaEn: now, rechazadaEn: now } }),
    ];
    expect(recordatoriosOf(rfcs, now).map(({ tono }) => tono)).toEqual(['error', 'alerta']);
  });
});
