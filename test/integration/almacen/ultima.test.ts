import { randomBytes } from 'node:crypto';
import { addDays } from '@acuse/core';
import { createClaims } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { silentLogger } from '@acuse/runtime';
import { createAlmacenes, createSincronizaciones, createTramos } from '@acuse/sincronizacion/db';
import { generateWorkerKeyPair, openSealer } from '@acuse/vault';
import { expect, test } from 'vitest';
import { createTurns } from '../../../packages/sincronizacion/src/worker.ts';
import { installClock, setClock } from '../fixtures/clock.ts';
import { saldoDe, sqlOn, useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { claimOf } from '../fixtures/features.ts';
import { csvOf, type FilaCfdi } from './csv.ts';
import { newSubscriber, subscribe } from './subscriber.ts';

const sealer = openSealer(`w1:${generateWorkerKeyPair().publicKey}`, `p1:${randomBytes(32).toString('base64')}`);
const { signal } = new AbortController();
const quien = { actor: 'prueba', ip: null };
const SALDO = 100;
/** The month that is looked at, the day of its last reading by the calendar, and one before it. */
const [MES, ULTIMA, ANTES] = ['2026-03-01', '2027-05-08', '2027-05-06'] as const;

const at = (day: string) => Date.parse(`${day}T18:00:00Z`);
const database = useDatabase();
/** Connections that are opened after the clock was put in, and so read it. */
const t = duringTests(async () => {
  await installClock(database, new Date(at(ANTES)));
  const db = openRecords(database.db.settings);
  return { db, sql: sqlOn(db.pool), close: () => db.close() };
});

const cfdi = (n: number): FilaCfdi => ({
  uuid: `00000000-0000-4000-8000-${n.toString(16).toUpperCase().padStart(12, '0')}`,
  emisor: ['PRO010101AB1', 'Proveedor'],
  receptor: ['ACU200101DB1', 'La Empresa'],
  emitida: `2026-03-${String(1 + (n % 28)).padStart(2, '0')}T10:00:00`,
  monto: `${n}.50`,
});
const ALL = Array.from({ length: 40 }, (_, n) => cfdi(n));
const allBut = (...left: number[]) => ALL.filter((_, n) => !left.includes(n));

interface Ajustes {
  /** The day on which it subscribes. */
  readonly on?: string;
  readonly desde?: string;
}

/** Who subscribed to one month, and a SAT that gives, one after the other, these answers, and then everything. */
async function open(answers: (readonly FilaCfdi[])[], { on = ANTES, desde = MES }: Ajustes = {}) {
  await setClock(t, at(on));
  let ahora = new Date(at(on));
  const ajustes = { tipos: ['recibidos'], frecuencia: 'SEMANAL', desde } as const;
  const dueno = await newSubscriber(t, sealer, { ...ajustes, ahora, saldo: SALDO });
  const { sincronizacionId: id, contribuyenteId } = dueno;
  const only = () => t.sql`DELETE FROM tramo WHERE sincronizacion_id = ${id} AND mes <> ${MES}::date`;
  await only();
  await t.sql`UPDATE tramo SET due_at = now() - interval '1 second' WHERE sincronizacion_id = ${id}`;
  const packages = new Map<string, readonly FilaCfdi[]>();
  const asked: { on: string; desde: string }[] = [];
  const turns = createTurns(
    {
      tramos: createTramos(t.db),
      almacenes: createAlmacenes(t.db),
      paquetes: { readCsv: (key) => csvOf(packages.get(key) ?? []) },
      log: silentLogger,
      now: () => ahora,
      isCharged: () => true,
      wake: () => {},
    },
    { everyMs: 1_000, concurrency: 10, aLaVez: 3, deadlineHours: 72 },
  );
  const claims = createClaims(t.db);
  /** The SAT answers all that is under way. */
  async function answer() {
    const open = await t.sql<{ id: string; desde: string }>`
      SELECT id, desde::text FROM solicitud WHERE sincronizacion_id = ${id} AND estado = 'EN_PROCESO'`;
    for (const { id: solicitudId, desde } of open) {
      asked.push({ on: ahora.toISOString().slice(0, 10), desde });
      const filas = (answers.shift() ?? ALL).filter(({ emitida }) => emitida >= desde);
      packages.set(solicitudId, filas);
      const confianza = filas.length > 0 ? 'confirmado' : 'sin_confirmar';
      const paquete = { objectKey: solicitudId, bytes: 1, sha256: 'a', registros: filas.length, confianza } as const;
      await claims.finish(await claimOf(t.db, solicitudId), paquete);
    }
    return open.length > 0;
  }
  const nextDue = async () => {
    const [row] = await t.sql<{ due: Date }>`
      SELECT t.due_at AS due FROM tramo t JOIN sincronizacion s ON s.id = t.sincronizacion_id WHERE s.id = ${id} AND s.estado = 'ACTIVA' AND t.fase IN ('PEDIR', 'LEER')`;
    return row?.due.getTime() ?? Number.POSITIVE_INFINITY;
  };
  return {
    dueno,
    asked,
    turns,
    answer,
    /** Lives until this day. */
    async live(until: string) {
      for (;;) {
        const due = await nextDue();
        if (due > at(until)) break;
        ahora = new Date(Math.max(due, ahora.getTime()) + 1_000);
        await setClock(t, ahora.getTime());
        do await turns.work(signal);
        while (await answer());
      }
      ahora = new Date(at(until));
      await setClock(t, at(until));
    },
    async renew(desde: string = MES) {
      await subscribe(t, dueno, sealer, { ...ajustes, desde, ahora });
      await only();
    },
    pause: () => createSincronizaciones(t.db).pause(contribuyenteId, quien),
    resume: () => createSincronizaciones(t.db).resume(contribuyenteId, quien),
    days: () => asked.map(({ on }) => on),
    spent: async () => SALDO - (await saldoDe(t, dueno)),
    vista: async () => {
      const vista = await createSincronizaciones(t.db).find(contribuyenteId, null);
      if (vista === null) throw new Error('no subscription');
      const { porConfirmar, sinConfirmar, fallando } = vista;
      return { porConfirmar, sinConfirmar, fallando };
    },
    /** From which day of issue on every CFDI is read again. */
    releidoDesde: async () => (await createSincronizaciones(t.db).find(contribuyenteId, null))?.releidoDesde,
    /** How many are known to be there, and to be missing. */
    known: async () => {
      const [row] = await t.sql<{ there: number; missing: number }>`
        SELECT count(*) FILTER (WHERE ausente IS NULL)::int AS there, count(*) FILTER (WHERE ausente IS NOT NULL)::int AS missing
        FROM cfdi x JOIN sincronizacion s ON s.almacen_id = x.almacen_id WHERE s.id = ${id}`;
      return row;
    },
  };
}

const SETTLED = { porConfirmar: 0, sinConfirmar: 0, fallando: 0 };
const plus = (days: number) => addDays(ULTIMA, days);

test('a month whose last reading agrees with the one before costs no reading more', async () => {
  const { live, days, vista, spent } = await open([]);
  await live('2027-12-01');
  expect([days(), await spent(), await vista()]).toEqual([[ANTES, ULTIMA], 2, SETTLED]);
});

test('further readings begin after omitted and ended months, and there are none during a pause', async () => {
  const { live, releidoDesde, pause, resume, renew } = await open([]);
  expect(await releidoDesde()).toBe(MES);
  await pause();
  expect(await releidoDesde()).toBeNull();
  await resume();
  await live('2027-12-01');
  expect(await releidoDesde()).toBe('2026-04-01');
  await renew('2027-06-15');
  expect(await releidoDesde()).toBe('2027-06-15');
});

test('who was missing from the last reading of a month alone is there again a week later', async () => {
  const { live, days, vista, known } = await open([ALL, allBut(1, 2, 3)]);
  await live(ULTIMA);
  expect([await known(), await vista()]).toEqual([
    { there: 37, missing: 3 },
    { ...SETTLED, porConfirmar: 1 },
  ]);
  await live('2027-12-01');
  expect([days(), await known(), await vista()]).toEqual([
    [ANTES, ULTIMA, plus(7)],
    { there: 40, missing: 0 },
    SETTLED,
  ]);
});

test('a CFDI missing for a week stays missing, and is not read again', async () => {
  const { live, days, known, vista } = await open([ALL, allBut(1), allBut(1)]);
  await live('2027-12-01');
  expect([days(), await known(), await vista()]).toEqual([
    [ANTES, ULTIMA, plus(7)],
    { there: 39, missing: 1 },
    SETTLED,
  ]);
});

test('a last answer that says twice falsely that much is missing is put right', async () => {
  const half = ALL.slice(0, 15);
  const { live, days, known, vista, spent } = await open([ALL, half, half]);
  await live('2027-12-01');
  // The doubtful reading is free; its confirmation costs the estimated credits.
  expect([days(), await spent(), await known(), await vista()]).toEqual([
    [ANTES, ULTIMA, ULTIMA, plus(7)],
    3,
    { there: 40, missing: 0 },
    SETTLED,
  ]);
});

test('a last answer that keeps changing is read again thrice, and is then shown as unconfirmed', async () => {
  const { live, days, vista, renew, known } = await open([ALL, allBut(1), allBut(2), allBut(3), allBut(4)]);
  await live('2028-03-01');
  expect(days()).toEqual([ANTES, ULTIMA, plus(7), plus(21), plus(49)]);
  expect(await vista()).toEqual({ ...SETTLED, sinConfirmar: 1 });
  await renew();
  await live('2028-06-01');
  expect([days().slice(5), await known(), await vista()]).toEqual([['2028-03-01'], { there: 40, missing: 0 }, SETTLED]);
});

test('a doubt that stays is not asked about for ever, costs nothing, and is shown', async () => {
  const nothing = Array.from({ length: 200 }, () => []);
  const { live, days, vista, known, spent } = await open([ALL, ...nothing]);
  await live('2029-01-01');
  expect(await vista()).toEqual({ ...SETTLED, sinConfirmar: 1 });
  expect([await known(), await spent()]).toEqual([{ there: 40, missing: 0 }, 1]);
  expect(days().length).toBeLessThan(30);
});

test.each([
  ['half of it', ALL.slice(0, 10)],
  ['nothing', []],
])(
  'of a month that was over when it was read first, and of which the SAT gave %s, all is known a week or two later',
  async (_, said) => {
    const on = '2027-06-01';
    const { live, days, known, vista } = await open([said], { on });
    await live('2028-01-01');
    expect([days()[0], days()[1], await known(), await vista()]).toEqual([
      on,
      addDays(on, 7),
      { there: 40, missing: 0 },
      SETTLED,
    ]);
  },
);

test('a month whose last reading fell into a pause is read when the subscription goes on', async () => {
  const { live, days, pause, resume, known, vista } = await open([allBut(1, 2)]);
  await live(ANTES);
  await pause();
  await live('2027-09-01');
  await resume();
  await live('2028-01-01');
  expect([days(), await known(), await vista()]).toEqual([
    [ANTES, '2027-09-01', '2027-09-08'],
    { there: 40, missing: 0 },
    SETTLED,
  ]);
});

test('a month that is over is read once more when the first day of the subscription is moved back in it', async () => {
  const { live, asked, known, renew } = await open([], { on: '2027-06-01', desde: '2026-03-15' });
  await live('2027-07-01');
  expect((await known())?.there).toBeLessThan(40);
  await renew(MES);
  await live('2027-09-01');
  expect(asked.slice(2).map(({ desde }) => desde)).toEqual([MES, MES]);
  expect(await known()).toEqual({ there: 40, missing: 0 });
});

test('a reading that was under way when the first day of the subscription was moved back is followed by the whole', async () => {
  const { live, turns, answer, asked, known, renew } = await open([], { on: '2027-06-01', desde: '2026-03-15' });
  await turns.work(signal);
  await renew(MES);
  await answer();
  await live('2027-09-01');
  expect(asked.map(({ desde }) => desde)).toContain(MES);
  expect(await known()).toEqual({ there: 40, missing: 0 });
});

test('a lost reply about a noted reading causes no second reading', async () => {
  const { live, turns, answer, days } = await open([]);
  const tramos = createTramos(t.db);
  await turns.work(signal);
  await answer();
  const [tomado] = await tramos.take(1, 60);
  if (tomado === undefined) throw new Error('nothing to merge');
  expect(await tramos.read(tomado, { dueAt: new Date(at(ULTIMA)), porConfirmar: 0 })).toBe(true);
  expect(await tramos.postpone(tomado, 0)).toBe(false);
  await live(addDays(ANTES, 1));
  expect(days()).toEqual([ANTES]);
});
