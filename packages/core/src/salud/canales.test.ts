import { describe, expect, it } from 'vitest';
import { desdeCuandoSeMira, saludDeCanal, type TramoCanal, UMBRALES } from './canales.ts';
import { CUBETAS, cubetaDe } from './histograma.ts';

/** Five past the hour. */
const NOW = new Date('2026-11-20T18:05:00Z');
const MINUTO = 60_000;

/** Requests of the stretch that began `minutos` before 18:00. */
function tramo(minutos: number, change: Partial<TramoCanal> = {}, ms = 500): TramoCanal {
  const cuentas = { exitos: 30, rechazos: 0, fallos: 0, evitadas: 0, ...change };
  const cubetas = new Array<number>(CUBETAS).fill(0);
  cubetas[cubetaDe(ms)] = Math.max(0, cuentas.exitos) + cuentas.rechazos + cuentas.fallos;
  return { canal: 'soap', desde: new Date(NOW.getTime() - (5 + minutos) * MINUTO), cubetas, ...cuentas };
}
const health = (...tramos: TramoCanal[]) => saludDeCanal('soap', tramos, NOW);

describe('the state of a channel', () => {
  it.each([
    ['nothing', [], 'SIN_DATOS'],
    ['one request too few', [tramo(0, { exitos: 19 })], 'SIN_DATOS'],
    ['just enough', [tramo(0, { exitos: 20 })], 'NORMAL'],
    ['enough only before the half hour', [tramo(30)], 'SIN_DATOS'],
    [
      'enough in three stretches together',
      [tramo(0, { exitos: 7 }), tramo(10, { exitos: 7 }), tramo(20, { exitos: 6 })],
      'NORMAL',
    ],
    ['just below a fifth of failures', [tramo(0, { exitos: 81, fallos: 19 })], 'NORMAL'],
    ['a fifth of failures', [tramo(0, { exitos: 80, fallos: 20 })], 'CON_FALLAS'],
    ['requests that an open breaker held back', [tramo(0, { exitos: 4, evitadas: 16 })], 'CON_FALLAS'],
    ['refusals, which are answers', [tramo(0, { exitos: 10, rechazos: 10 })], 'NORMAL'],
    ['answers that take a third of a minute', [tramo(0, {}, 20_000)], 'LENTO'],
    ['slow answers and failures', [tramo(0, { exitos: 20, fallos: 20 }, 20_000)], 'CON_FALLAS'],
    ['successes that proved worthless', [tramo(0, { exitos: -1, fallos: 21 })], 'CON_FALLAS'],
    [
      'an outage of minutes after a calm half hour',
      [tramo(10, { exitos: 500 }), tramo(-5, { exitos: 0, fallos: 20 })],
      'CON_FALLAS',
    ],
    ['a calm that is back for minutes', [tramo(10, { fallos: 500 }), tramo(-5)], 'NORMAL'],
    ['another channel', [{ ...tramo(0), canal: 'portal' as const }], 'SIN_DATOS'],
  ] as const)('by %s is %s', (_name, tramos, estado) => {
    expect(health(...tramos)).toMatchObject({ canal: 'soap', estado });
  });

  it('tells shares and times, and none of them without data', () => {
    expect(health(tramo(0, { exitos: 97, fallos: 3 }, 700))).toEqual({
      canal: 'soap',
      estado: 'NORMAL',
      desde: null,
      fallas: 0.03,
      medianaMs: expect.any(Number),
      p90Ms: expect.any(Number),
    });
    expect(health(tramo(0, { exitos: 19 }))).toEqual({
      canal: 'soap',
      estado: 'SIN_DATOS',
      desde: null,
      fallas: null,
      medianaMs: null,
      p90Ms: null,
    });
    const { medianaMs } = health(tramo(0, {}, 700));
    expect(Math.max(700 / (medianaMs ?? 0), (medianaMs ?? 0) / 700)).toBeLessThan(1.5);
  });

  it.each([1, 2, 5, 11, 120, 1_900])('tells whole milliseconds of answers that take %d ms', (ms) => {
    const { medianaMs, p90Ms } = health(tramo(0, {}, ms));
    expect([medianaMs, p90Ms].map(Number.isInteger)).toEqual([true, true]);
  });

  it('dates a failure back to the last good half hour, across hours without data', () => {
    const bad = { exitos: 10, fallos: 30 };
    const since = (...tramos: TramoCanal[]) => health(...tramos).desde?.toISOString();
    expect(since(tramo(0, bad))).toBe('2026-11-20T18:00:00.000Z');
    expect(since(...[0, 10, 20, 30].map((m) => tramo(m, bad)), tramo(40, { exitos: 500 }))).toBe(
      '2026-11-20T17:30:00.000Z',
    );
    // Failing at 14:00 and again now, no data in between.
    expect(since(tramo(0, bad), tramo(240, bad))).toBe('2026-11-20T14:00:00.000Z');
    expect(since(tramo(0, bad), tramo(120, { exitos: 100 }), tramo(240, bad))).toBe('2026-11-20T18:00:00.000Z');
    const always = Array.from({ length: 200 }, (_, n) => tramo(n * 10, bad));
    expect(since(...always)).toBe('2026-11-19T18:05:00.000Z');
  });

  it('is read from the sums of a day and a half hour', () => {
    expect(desdeCuandoSeMira(NOW).toISOString()).toBe('2026-11-19T17:35:00.000Z');
    expect(UMBRALES.ventanaMinutos % UMBRALES.pasoMinutos).toBe(0);
  });
});
