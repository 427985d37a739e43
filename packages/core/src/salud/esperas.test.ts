import { describe, expect, it } from 'vitest';
import type { Parte } from '../ports/solicitudes.ts';
import { atLeast, estimacionDe, isEsperaCumplida, resumenDe, type SumaEsperas } from './esperas.ts';
import { CUBETAS, cubetaDe } from './histograma.ts';

/** 12:00 in central Mexico. */
const NOON = new Date('2026-11-20T18:00:00Z');
const DE = { modo: 'live', canal: 'soap', tipo: 'recibidos', creadaEn: NOON } as const;

function suma(minutos: readonly number[], change: Partial<SumaEsperas> = {}): SumaEsperas {
  const cubetas = new Array<number>(CUBETAS).fill(0);
  for (const each of minutos) cubetas[cubetaDe(each * 60)] = (cubetas[cubetaDe(each * 60)] ?? 0) + 1;
  return {
    modo: 'live',
    canal: 'soap',
    tipo: 'recibidos',
    hora: 12,
    isReciente: false,
    descargas: minutos.length,
    grupos: 0b11111n,
    cubetas,
    ...change,
  };
}
/** From 30 to 89 minutes, each as often. */
const HORA = Array.from({ length: 60 }, (_, n) => 30 + n);
const estimate = (sumas: readonly SumaEsperas[], cuentas = 5) => estimacionDe(sumas, DE, { cuentas });

describe('an estimate', () => {
  it('holds eight of ten of the waits that it rests on, by brute force', () => {
    for (const waits of [HORA, HORA.map((m) => m * 7), HORA.map((m) => m / 10)]) {
      const { desdeMinutos = 0, hastaMinutos = 0 } = estimate([suma(waits)]) ?? {};
      const sorted = [...waits].sort((a, b) => a - b);
      const [p10 = 0, p90 = 0] = [0.1, 0.9].map((p) => sorted[Math.ceil(p * sorted.length) - 1]);
      const inside = waits.filter((m) => m >= desdeMinutos && m <= hastaMinutos).length / waits.length;
      expect(inside).toBeGreaterThan(0.7);
      expect(desdeMinutos).toBeGreaterThan(p10 / 1.5 - 1);
      expect(hastaMinutos).toBeLessThan(p90 * 1.5 + 1);
    }
  });

  it('has words, in minutes or hours', () => {
    const said = (waits: readonly number[]) => estimate([suma(waits)])?.texto;
    expect(said(HORA)).toMatch(
      /^El SAT suele tener listas las descargas como esta pedidas a esa hora de \d+ a \d+ minutos después de pedírselas\.$/,
    );
    expect(said(HORA.map((m) => m * 10))).toMatch(/ de [\d.]+ a [\d.]+ horas después/);
    expect(said(HORA.map(() => 0.01))).toContain(' un minuto o menos después');
    expect(said([...HORA.map(() => 0.01), ...HORA.map(() => 300)])).toMatch(/ a lo más [\d.]+ horas después/);
    expect(said(HORA.map(() => 720))).toMatch(/ horas después/);
  });

  it('rests on the same hour of the day, then on any hour, then on nothing', () => {
    const slow = HORA.map((m) => m * 20);
    expect(estimate([suma(HORA, { hora: 13 }), suma(slow, { hora: 3 })])).toMatchObject({ muestras: 50 });
    expect(estimate([suma(HORA, { hora: 13 }), suma(slow, { hora: 3 })])?.hastaMinutos).toBeLessThan(150);
    const any = estimate([suma(HORA, { hora: 3 })]);
    expect(any).toMatchObject({ muestras: 50 });
    expect(any?.texto).not.toContain('a esa hora');
    expect(estimate([])).toBeNull();
    // Midnight has hours before it.
    const midnight = { ...DE, creadaEn: new Date('2026-11-20T06:30:00Z') };
    expect(estimacionDe([suma(HORA, { hora: 23 })], midnight, { cuentas: 5 })?.texto).toContain('a esa hora');
  });

  it('counts no other kind or channel, and no sandbox', () => {
    for (const other of [{ modo: 'test' }, { canal: 'portal' }, { tipo: 'emitidos' }] as const)
      expect(estimate([suma(HORA, other)])).toBeNull();
  });

  it('is not given where a download or an account could be made out', () => {
    expect(estimate([suma(HORA.slice(0, 19))])).toBeNull();
    expect(estimate([suma(HORA.slice(0, 20))])).toMatchObject({ muestras: 20 });
    expect(estimate([suma(HORA, { grupos: 0b1111n })])).toBeNull();
    expect(estimate([suma(HORA, { grupos: 1n << 59n })], 1)).not.toBeNull();
    // The same accounts in two hours are no more accounts.
    const twice = [suma(HORA, { grupos: 0b111n }), suma(HORA, { grupos: 0b111n, hora: 11 })];
    expect(estimate(twice)).toBeNull();
    expect(estimate([...twice, suma(HORA, { grupos: 0b11000n, hora: 13 })])).not.toBeNull();
  });
});

it('median and p90 of waits are those of brute force, to within the width of an element', () => {
  const { medianaSegundos = 0, p90Segundos = 0, muestras } = resumenDe([suma(HORA), suma(HORA)], { cuentas: 5 }) ?? {};
  for (const [found, exact] of [
    [medianaSegundos, 59 * 60],
    [p90Segundos, 83 * 60],
  ] as const)
    expect(Math.max(found / exact, exact / found)).toBeLessThan(Math.SQRT2 + 0.001);
  expect(muestras).toBe(100);
});

it.each([
  [0, 0],
  [1, 1],
  [19, 10],
  [20, 20],
  [49, 20],
  [99, 50],
  [100, 100],
  [1_999, 1_000],
])('of %i it is told that they are %i at least', (n, told) => {
  expect(atLeast(n)).toBe(told);
});

describe('a wait is over', () => {
  const parte = (id: string, change: Partial<Parte> = {}) =>
    ({ id, estado: 'DESCARGADA', vacias: [], reenvios: 0, ...change }) as unknown as Parte;
  const asked = parte('a', { estado: 'SOLICITADA' });
  it.each([
    ['with the only part', [asked], true],
    ['with the last of several', [asked, parte('b'), parte('c', { estado: 'DISPONIBLE' })], true],
    ['not while another one waits', [asked, parte('b', { estado: 'SOLICITADA' })], false],
    ['not by the next package of a part that was ready', [parte('a', { estado: 'DISPONIBLE' })], false],
    [
      'whatever is asked again because it was empty',
      [asked, parte('b', { estado: 'PENDIENTE', vacias: ['soap'] })],
      true,
    ],
    [
      'not by a part that is asked again because it was empty',
      [parte('a', { estado: 'SOLICITADA', vacias: ['soap'] }), parte('b')],
      false,
    ],
    ['not where something had to be asked for anew', [asked, parte('b', { reenvios: 1 })], false],
  ] as const)('%s', (_name, partes, isOver) => {
    expect(isEsperaCumplida({ partes }, 'a')).toBe(isOver);
  });
});
