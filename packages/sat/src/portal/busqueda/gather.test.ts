import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  collect,
  type Hallazgo,
  isUnDia,
  isWithin,
  type Pregunta,
  type RowToGather,
  splitDias,
  splitHalves,
  splitMeses,
} from './gather.ts';

const TOPE = 500;
const INICIO = Date.parse('2026-01-30T23:59:50Z');

const isoAt = (segundo: number) => new Date(INICIO + segundo * 1000).toISOString().slice(0, 19);

function filaDe(numero: number, segundo: number, cancelado: boolean): RowToGather {
  return {
    uuid: String(numero).padStart(6, '0'),
    fechaEmision: isoAt(segundo),
    total: numero,
    estado: cancelado ? 'CANCELADO' : 'VIGENTE',
  };
}

/** A portal that shows the first 500 of what it is asked for, in an order of its own. */
function portalCon(todas: readonly RowToGather[], describeLimit = true) {
  const preguntas: Pregunta[] = [];
  return {
    preguntas,
    ask: async (pregunta: Pregunta): Promise<Hallazgo<RowToGather>> => {
      preguntas.push(pregunta);
      const { periodo, estado } = pregunta;
      const found = todas.filter(
        (f) => isWithin(f.fechaEmision, periodo) && (estado === 'todos' || f.estado === estado),
      );
      return { filas: found.slice(0, TOPE), topada: describeLimit ? found.length > TOPE : found.length >= TOPE };
    },
  };
}

const split = (parte: Pregunta['periodo']) => (isUnDia(parte) ? splitHalves(parte) : splitDias(parte));

/**
 * Rows in bursts: some seconds have few, some hundreds, and enough have more than the portal can show for both ends to
 * be met by any seed.
 */
const rafagas = fc.array(
  fc.record({
    segundo: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4 * 86_400 })),
    cuantas: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 30 }) },
      { weight: 2, arbitrary: fc.integer({ min: 100, max: 499 }) },
      { weight: 4, arbitrary: fc.integer({ min: 500, max: 1200 }) },
    ),
    deCada: fc.integer({ min: 1, max: 5 }),
  }),
  { maxLength: 8 },
);

describe('reunir', () => {
  it('gives exactly the rows of the period, or an error when a second and state has too many', async () => {
    let listas = 0;
    let limites = 0;
    await fc.assert(
      fc.asyncProperty(
        rafagas,
        fc.tuple(fc.integer({ min: 0, max: 86_400 }), fc.integer({ min: 0, max: 4 * 86_400 })),
        fc.boolean(),
        async (bursts, [from, length], describeLimit) => {
          let numero = 0;
          const todas = bursts.flatMap(({ segundo, cuantas, deCada }) =>
            Array.from({ length: cuantas }, (_, i) => filaDe(numero++, segundo, i % deCada === 0)),
          );
          const periodo = { inicio: isoAt(from), fin: isoAt(from + length) };
          const within = todas.filter((f) => isWithin(f.fechaEmision, periodo));
          const cuentas = new Map<string, number>();
          for (const f of within) {
            const key = `${f.fechaEmision} ${f.estado}`;
            cuentas.set(key, (cuentas.get(key) ?? 0) + 1);
          }
          const most = Math.max(0, ...cuentas.values());
          const tooMany = describeLimit ? most > TOPE : most >= TOPE;
          const { ask } = portalCon(todas, describeLimit);
          const outcome = await collect({
            periodos: splitMeses(periodo),
            ask,
            split,
            maximo: Number.POSITIVE_INFINITY,
          }).catch((error: unknown) => error);
          if (tooMany) {
            limites += 1;
            expect(outcome).toBeInstanceOf(SatError);
            expect(outcome).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'LIMITE' });
          } else {
            listas += 1;
            expect(outcome).toEqual(
              [...within].sort((a, b) => (`${a.fechaEmision}${a.uuid}` < `${b.fechaEmision}${b.uuid}` ? -1 : 1)),
            );
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(listas).toBeGreaterThan(20);
    expect(limites).toBeGreaterThan(5);
  }, 60_000);

  it('asks once for a month that fits', async () => {
    const { ask, preguntas } = portalCon([filaDe(1, 0, false)]);
    const periodo = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' };
    await collect({ periodos: splitMeses(periodo), ask, split, maximo: 10 });
    expect(preguntas).toEqual([{ periodo, estado: 'todos' }]);
  });

  const uno = { periodos: [{ inicio: isoAt(0), fin: isoAt(9) }], split, maximo: 100 };
  it.each<[string, (p: Pregunta) => Hallazgo<RowToGather>]>([
    ['a row before the period', () => ({ filas: [filaDe(1, -1, false)], topada: false })],
    ['a row after it', () => ({ filas: [filaDe(1, 10, false)], topada: false })],
    [
      'a row of the other state',
      ({ estado }) => ({ filas: [filaDe(1, 9, estado !== 'CANCELADO')], topada: estado === 'todos' }),
    ],
    [
      'parts without a row of the whole',
      ({ periodo: { inicio, fin } }) =>
        inicio === isoAt(0) && fin === isoAt(9)
          ? { filas: [filaDe(1, 0, false)], topada: true }
          : { filas: [], topada: false },
    ],
    [
      'one UUID with two totals',
      () => ({ filas: [filaDe(1, 1, false), { ...filaDe(1, 1, false), total: 9 }], topada: false }),
    ],
    ['one UUID with two dates', () => ({ filas: [filaDe(1, 1, false), filaDe(1, 2, false)], topada: false })],
  ])('does not believe %s', async (name, ask) => {
    const periodos = name.includes('state') ? [{ inicio: isoAt(9), fin: isoAt(9) }] : uno.periodos;
    await expect(collect({ ...uno, periodos, ask: async (p) => ask(p) })).rejects.toMatchObject({
      motivo: 'RESPUESTA_ILEGIBLE',
    });
  });

  it('counts a CFDI cancelled between two answers once, as the last of them says', async () => {
    const answers = [
      { filas: [filaDe(1, 0, false)], topada: true },
      { filas: [filaDe(1, 0, true)], topada: false },
      { filas: [], topada: false },
    ];
    const ask = async () => answers.shift() ?? { filas: [], topada: false };
    expect(await collect({ ...uno, split: splitHalves, ask })).toEqual([filaDe(1, 0, true)]);
  });
});

describe('periods', () => {
  const segundos = fc.tuple(
    fc.integer({ min: 0, max: 400 * 86_400 }),
    fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 100 * 86_400 })),
  );
  const secondOf = (iso: string) => (Date.parse(`${iso}Z`) - INICIO) / 1000;

  it.each([
    ['months', splitMeses, 7],
    ['days', splitDias, 10],
    ['halves', (p: Pregunta['periodo']) => splitHalves(p) ?? [p], 0],
  ])('divided into %s touch each other and cover all, none empty', (_name, divide, sameUpTo) => {
    fc.assert(
      fc.property(segundos, ([from, length]) => {
        const partes = divide({ inicio: isoAt(from), fin: isoAt(from + length) });
        expect(partes[0]?.inicio).toBe(isoAt(from));
        expect(partes.at(-1)?.fin).toBe(isoAt(from + length));
        for (const [i, { inicio, fin }] of partes.entries()) {
          expect(inicio <= fin).toBe(true);
          expect(inicio.slice(0, sameUpTo)).toBe(fin.slice(0, sameUpTo));
          const before = partes[i - 1];
          if (before !== undefined) expect(secondOf(inicio)).toBe(secondOf(before.fin) + 1);
        }
      }),
    );
  });
});
