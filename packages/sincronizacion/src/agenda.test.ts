import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../core/src/solicitud/periodos.ts';
import {
  afterReading,
  countLecturas,
  type Leido,
  MAX_CONFIRMACIONES,
  mesesDesde,
  minutoDe,
  type PlannedTramo,
  periodoDe,
  siguienteLectura,
  type Tramo,
} from './agenda.ts';

function lecturasDe(tramo: Tramo, first: string) {
  const days = [first];
  for (;;) {
    const next = siguienteLectura(tramo, days.at(-1) ?? first, 'DIARIA');
    if (next === null) return days;
    days.push(next);
  }
}

test('a month is read each week while it lasts, then ever more seldom, and a last time after its cancellations are over', () => {
  const days = lecturasDe({ clase: 'MES', mes: '2026-01-01' }, '2026-01-01');
  expect(days.slice(0, 8)).toEqual([
    '2026-01-01',
    '2026-01-08',
    '2026-01-15',
    '2026-01-22',
    '2026-02-01',
    '2026-02-04',
    '2026-02-10',
    '2026-02-20',
  ]);
  expect(days.at(-1)).toBe('2027-05-08');
  const waits = days.slice(4).map((day, at, all) => (Date.parse(all[at + 1] ?? day) - Date.parse(day)) / 86_400_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(62);
});

test('a month of December has fewer readings than one of January, and both have the last one', () => {
  const december = lecturasDe({ clase: 'MES', mes: '2026-12-01' }, '2026-12-01');
  expect(december.at(-1)).toBe('2027-05-08');
  expect(december.length).toBeLessThan(lecturasDe({ clase: 'MES', mes: '2026-01-01' }, '2026-01-01').length);
});

test('a month that was read late goes on from there, without the readings that were missed', () => {
  expect(siguienteLectura({ clase: 'MES', mes: '2026-01-01' }, '2026-03-15', 'DIARIA')).toBe('2026-04-01');
  expect(siguienteLectura({ clase: 'MES', mes: '2020-01-01' }, '2026-03-15', 'DIARIA')).toBeNull();
});

type Said = Pick<Leido, 'nuevos' | 'ausentes' | 'isDudosa'>;
const NOTHING: Said = { nuevos: 0, ausentes: 0, isDudosa: false };

/** Readings of a month up to the last: their days, and what each left in question. */
function lifeOf(tramo: Tramo, first: string, said: (n: number) => Said) {
  const readings: { dia: string; said: Said; porConfirmar: number }[] = [];
  for (let [dia, before]: [string | null, number] = [first, 0]; dia !== null; ) {
    const now = said(readings.length);
    const leido: Leido = { ...now, dia, frecuencia: 'DIARIA', isPrimera: readings.length === 0, porConfirmar: before };
    const next = afterReading(tramo, leido);
    readings.push({ dia, said: now, porConfirmar: next.porConfirmar });
    [dia, before] = [next.dia, next.porConfirmar];
  }
  return readings;
}

const saidOf = fc.record({
  nuevos: fc.constantFrom(0, 0, 3),
  ausentes: fc.constantFrom(0, 0, 2),
  isDudosa: fc.constantFrom(false, false, true),
});
const monthOf = fc
  .integer({ min: 0, max: 23 })
  .map((n) => `${2025 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}-01`);
const isIn = (mes: string, dia: string) => dia < `${Number(mes.slice(0, 4)) + 1}-05-08`;
const isMatched = ({ nuevos, ausentes, isDudosa }: Said) => nuevos === 0 && ausentes === 0 && !isDudosa;

test('a month without missing CFDI is read on the days of the calendar only', () => {
  fc.assert(
    fc.property(monthOf, fc.array(fc.boolean()), (mes, news) => {
      const days = lecturasDe({ clase: 'MES', mes }, mes);
      // New CFDI appear while the month is young.
      const readings = lifeOf({ clase: 'MES', mes }, mes, (n) => ({ ...NOTHING, nuevos: n < 10 && news[n] ? 1 : 0 }));
      expect(readings.map(({ dia }) => dia)).toEqual(days);
      expect(readings.at(-1)?.porConfirmar).toBe(0);
    }),
  );
});

test('a month is over only when its last reading agrees with the one before, or after it was asked again thrice', () => {
  fc.assert(
    fc.property(monthOf, fc.integer({ min: 0, max: 900 }), fc.infiniteStream(saidOf), (mes, late, answers) => {
      const given: Said[] = [];
      const said = (n: number) => (given[n] ??= answers.next().value ?? NOTHING);
      const readings = lifeOf({ clase: 'MES', mes }, addDays(mes, late), said);
      const after = readings.filter(({ dia }) => !isIn(mes, dia));
      expect(after.length).toBeGreaterThan(0);
      expect(after.length).toBeLessThanOrEqual(1 + MAX_CONFIRMACIONES + 1);
      const last = readings.at(-1);
      if (last === undefined) throw new Error('never read');
      const isFirst = readings.length === 1;
      expect(last.porConfirmar === 0).toBe(isMatched(last.said) && !isFirst);
      if (last.porConfirmar > 0) expect(after.length).toBeGreaterThan(MAX_CONFIRMACIONES - 1);
    }),
  );
});

test('who goes missing is asked for again within a week, whatever the calendar says', () => {
  fc.assert(
    fc.property(monthOf, fc.integer({ min: 0, max: 15 }), (mes, at) => {
      const readings = lifeOf({ clase: 'MES', mes }, mes, (n) => ({ ...NOTHING, ausentes: n === at ? 1 : 0 }));
      const [one, next] = [readings[at], readings[at + 1]];
      if (one === undefined) return;
      expect(next && Date.parse(next.dia) - Date.parse(one.dia)).toBeLessThanOrEqual(7 * 86_400_000);
      expect([one.porConfirmar > 0, next?.porConfirmar]).toEqual([true, 0]);
    }),
  );
});

test('a last reading that is in question is asked again after 7, 14 and 28 days, and then no more', () => {
  const mes: Tramo = { clase: 'MES', mes: '2026-01-01' };
  const readings = lifeOf(mes, '2027-05-08', () => ({ ...NOTHING, ausentes: 1 }));
  expect(readings.map(({ dia }) => dia)).toEqual(['2027-05-08', '2027-05-15', '2027-05-29', '2027-06-26']);
  expect(readings.at(-1)?.porConfirmar).toBe(4);
});

test('a month that was over when it was read first is read a second time a week later, and no more when that agrees', () => {
  const readings = lifeOf({ clase: 'MES', mes: '2020-01-01' }, '2026-03-15', (n) => ({
    ...NOTHING,
    nuevos: n === 0 ? 9 : 0,
  }));
  expect(readings.map(({ dia, porConfirmar }) => [dia, porConfirmar])).toEqual([
    ['2026-03-15', 2],
    ['2026-03-22', 0],
  ]);
});

test('the newest days are read again every day or week, with the days in which a CFDI may still show up', () => {
  const reciente: Tramo = { clase: 'RECIENTE' };
  expect(siguienteLectura(reciente, '2026-02-28', 'DIARIA')).toBe('2026-03-01');
  expect(siguienteLectura(reciente, '2026-02-28', 'SEMANAL')).toBe('2026-03-07');
  const periodo = (frecuencia: 'DIARIA' | 'SEMANAL', desde = '2020-01-01') =>
    periodoDe(reciente, { desde, hoy: '2026-03-03', frecuencia });
  expect(periodo('DIARIA')).toEqual({ desde: '2026-02-27', hasta: '2026-03-03' });
  expect(periodo('SEMANAL')).toEqual({ desde: '2026-02-21', hasta: '2026-03-03' });
  expect(periodo('DIARIA', '2026-03-02')).toEqual({ desde: '2026-03-02', hasta: '2026-03-03' });
});

test('a month is asked for from the first day of the subscription to its end, or to today', () => {
  const mes: Tramo = { clase: 'MES', mes: '2026-03-01' };
  const options = { desde: '2026-03-10', frecuencia: 'DIARIA' } as const;
  expect(periodoDe(mes, { ...options, hoy: '2026-03-12' })).toEqual({ desde: '2026-03-10', hasta: '2026-03-12' });
  expect(periodoDe(mes, { ...options, hoy: '2026-06-12' })).toEqual({ desde: '2026-03-10', hasta: '2026-03-31' });
});

test('the months since a day come newest first', () => {
  expect(mesesDesde('2025-11-20', '2026-02-01')).toEqual(['2026-02-01', '2026-01-01', '2025-12-01', '2025-11-01']);
  expect(mesesDesde('2026-02-28', '2026-02-28')).toEqual(['2026-02-01']);
});

test('the readings that are foretold are those that the days then bring', () => {
  const [desde, hoy, hasta] = ['2024-11-15', '2026-03-10', '2026-09-10'];
  for (const frecuencia of ['DIARIA', 'SEMANAL'] as const) {
    const due = new Map<string, { tramo: Tramo; day: string | null }>();
    const read = (tramo: Tramo, day: string, isPrimera = false) => {
      const leido = { dia: day, frecuencia, isPrimera, ...NOTHING, porConfirmar: 0 };
      due.set(JSON.stringify(tramo), { tramo, day: afterReading(tramo, leido).dia });
    };
    const manana = addDays(hoy, 1);
    due.set('RECIENTE', { tramo: { clase: 'RECIENTE' }, day: manana });
    for (const mes of mesesDesde(desde, hoy)) read({ clase: 'MES', mes }, hoy, true);
    let count = 0;
    for (let today = addDays(hoy, 1); today <= hasta; today = addDays(today, 1)) {
      if (today.endsWith('-01')) read({ clase: 'MES', mes: today }, today);
      for (const { tramo, day } of [...due.values()]) {
        if (day !== today) continue;
        count += 1;
        read(tramo, today);
      }
    }
    const nuevo = { lecturas: 0, porConfirmar: 0 };
    const tramos: PlannedTramo[] = mesesDesde(desde, hoy).map((mes) => ({
      tramo: { clase: 'MES', mes },
      turno: 'AHORA',
      dia: hoy,
      ...nuevo,
    }));
    tramos.push({ tramo: { clase: 'RECIENTE' }, turno: 'DESPUES', dia: manana, ...nuevo });
    expect(countLecturas(tramos, { frecuencia, hoy, hasta })).toEqual({ primera: 17, despues: count });
  }
});

test('a reading under way or over is charged no more, and one that is overdue is charged once', () => {
  const [hoy, hasta] = ['2026-03-10', '2026-03-20'];
  const february = { tramo: { clase: 'MES', mes: '2026-02-01' }, lecturas: 1, porConfirmar: 0 } as const;
  const count = (planned: Pick<PlannedTramo, 'turno' | 'dia'>) =>
    countLecturas([{ ...february, ...planned }], { frecuencia: 'DIARIA', hoy, hasta });
  // February is read on the 4th, the 10th and the 20th of March.
  expect(count({ turno: 'AHORA', dia: hoy })).toEqual({ primera: 1, despues: 1 });
  expect(count({ turno: 'EN_CURSO', dia: hoy })).toEqual({ primera: 0, despues: 1 });
  expect(count({ turno: 'EN_CURSO', dia: '2026-03-01' })).toEqual({ primera: 0, despues: 2 });
  expect(count({ turno: 'DESPUES', dia: '2026-03-20' })).toEqual({ primera: 0, despues: 1 });
  expect(count({ turno: 'FIN', dia: null })).toEqual({ primera: 0, despues: 0 });
});

test('subscriptions are spread over the small hours', () => {
  const minutes = Array.from({ length: 1_000 }, (_, n) => minutoDe((n * 7_919).toString(16).padStart(12, '0')));
  expect(Math.min(...minutes)).toBeGreaterThanOrEqual(30);
  expect(Math.max(...minutes)).toBeLessThan(510);
  expect(new Set(minutes).size).toBeGreaterThan(300);
});

test('the guides say on which days a month is read, as it is', () => {
  const days = lecturasDe({ clase: 'MES', mes: '2026-01-01' }, '2026-01-01').slice(1);
  const dayOf = (day: string, from: string) => (Date.parse(day) - Date.parse(from)) / 86_400_000;
  const during = days.filter((day) => day < '2026-02-01').map((day) => dayOf(day, '2025-12-31'));
  const after = days.filter((day) => day >= '2026-02-01').map((day) => dayOf(day, '2026-01-31'));
  const guide = (name: string) => readFileSync(new URL(`../../../docs/integrators/${name}`, import.meta.url), 'utf8');
  for (const text of [guide('es/al-dia.md'), guide('en/up-to-date.md')]) {
    expect(text).toContain(during.join(', ').replace(/, (?=\d+$)/, text.startsWith('# Al') ? ' y ' : ' and '));
    expect(text).toContain(`${after.slice(0, 7).join(', ')}…`);
    expect(text).toMatch(days.at(-1) === '2027-05-08' ? /8 (de mayo|May)/ : /^$/);
  }
});
