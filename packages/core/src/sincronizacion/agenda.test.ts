import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addDays } from '../solicitud/periodos.ts';
import { countLecturas, mesesDesde, minutoDe, periodoDe, siguienteLectura, type Tramo } from './agenda.ts';

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
  const [desde, hoy, hasta] = ['2025-01-15', '2026-03-10', '2026-09-10'];
  for (const frecuencia of ['DIARIA', 'SEMANAL'] as const) {
    const due = new Map<string, { tramo: Tramo; day: string | null }>();
    const read = (tramo: Tramo, day: string) =>
      due.set(JSON.stringify(tramo), { tramo, day: siguienteLectura(tramo, day, frecuencia) });
    read({ clase: 'RECIENTE' }, hoy);
    for (const mes of mesesDesde(desde, hoy)) read({ clase: 'MES', mes }, hoy);
    let count = 0;
    for (let today = addDays(hoy, 1); today <= hasta; today = addDays(today, 1)) {
      if (today.endsWith('-01')) read({ clase: 'MES', mes: today }, today);
      for (const { tramo, day } of [...due.values()]) {
        if (day !== today) continue;
        count += 1;
        read(tramo, today);
      }
    }
    expect(countLecturas({ desde, frecuencia }, { hoy, hasta })).toEqual({ primera: 15, despues: count });
  }
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
  const guide = (name: string) => readFileSync(new URL(`../../../../docs/guias/${name}`, import.meta.url), 'utf8');
  for (const text of [guide('al-dia.md'), guide('en/up-to-date.md')]) {
    expect(text).toContain(during.join(', ').replace(/, (?=\d+$)/, text.startsWith('# Al') ? ' y ' : ' and '));
    expect(text).toContain(`${after.slice(0, 7).join(', ')}…`);
    expect(text).toMatch(days.at(-1) === '2027-05-08' ? /8 (de mayo|May)/ : /^$/);
  }
});
