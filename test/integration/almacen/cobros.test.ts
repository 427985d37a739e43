import { randomBytes } from 'node:crypto';
import { addDays, calendarDay, type TipoDescarga } from '@acuse/core';
import { createClaims } from '@acuse/db';
import { createRiesgo } from '@acuse/riesgo/db';
import { crossAll } from '@acuse/riesgo/worker';
import { silentLogger } from '@acuse/runtime';
import { primerasLecturas } from '@acuse/sincronizacion';
import { createAlmacenes, createSincronizaciones, createTramos } from '@acuse/sincronizacion/db';
import { generateWorkerKeyPair, openSealer } from '@acuse/vault';
import { expect, test } from 'vitest';
import { createTurns } from '../../../packages/sincronizacion/src/worker.ts';
import { brokenInvariants, saldoDe, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';
import { csvOf, type FilaCfdi } from './csv.ts';
import { newSubscriber, subscribe } from './subscriber.ts';

const t = useDatabase();
const sealer = openSealer(`w1:${generateWorkerKeyPair().publicKey}`, `p1:${randomBytes(32).toString('base64')}`);
const { signal } = new AbortController();
const quien = { actor: 'prueba', ip: null };
const hoy = calendarDay(new Date());
const ESTE_MES = `${hoy.slice(0, 7)}-01`;
const MES_PASADO = `${addDays(ESTE_MES, -1).slice(0, 7)}-01`;
const SALDO = 20;

const cfdi = (n: number): FilaCfdi => ({
  uuid: `00000000-0000-4000-8000-${n.toString(16).toUpperCase().padStart(12, '0')}`,
  emisor: ['PRO010101AB1', 'Proveedor'],
  receptor: ['ACU200101DB1', 'La Empresa'],
  emitida: `${MES_PASADO.slice(0, 7)}-${String(1 + (n % 28)).padStart(2, '0')}T10:00:00`,
  monto: `${n}.50`,
});

/** Who subscribed from the month before on, and the workers who read for him. */
async function open({ tipos = ['recibidos'], desde = MES_PASADO }: { tipos?: TipoDescarga[]; desde?: string } = {}) {
  const dueno = await newSubscriber(t, sealer, { tipos, desde, saldo: SALDO });
  const { sincronizacionId: id, contribuyenteId } = dueno;
  const packages = new Map<string, readonly FilaCfdi[] | 'no CSV'>();
  const claims = createClaims(t.db);
  const { work, clean } = createTurns(
    {
      tramos: createTramos(t.db),
      almacenes: createAlmacenes(t.db),
      paquetes: {
        async *readCsv(key) {
          const filas = packages.get(key) ?? [];
          if (filas === 'no CSV') yield Buffer.from('uuid\n"not one of them');
          else yield* csvOf(filas);
        },
      },
      log: silentLogger,
      now: () => new Date(),
      isCharged: () => true,
      wake: () => {},
    },
    { everyMs: 1_000, concurrency: 20, aLaVez: 10, deadlineHours: 72 },
  );
  const asked = () =>
    t.sql<{ id: string; tipo: string; desde: string; estado: string }>`
      SELECT id, tipo, desde::text, estado FROM solicitud WHERE sincronizacion_id = ${id} ORDER BY id`;
  const underWay = async () => (await asked()).filter(({ estado }) => estado === 'EN_PROCESO');
  return {
    dueno,
    asked,
    underWay,
    clean,
    cross: () => crossAll({ riesgo: createRiesgo(t.db), log: silentLogger }, signal),
    work: () => work(signal),
    /** Whatever of it is to be asked for is due. */
    hasten: () =>
      t.sql`UPDATE tramo SET due_at = now() - interval '1 second' WHERE sincronizacion_id = ${id} AND fase = 'PEDIR'`,
    /** Leaves but one month of it. */
    only: (mes: string) => t.sql`DELETE FROM tramo WHERE sincronizacion_id = ${id} AND mes <> ${mes}::date`,
    /** The SAT gives these rows for all that is under way. */
    async answer(filas: readonly FilaCfdi[] | 'no CSV' = []) {
      for (const { id: solicitudId } of await underWay()) {
        packages.set(solicitudId, filas);
        const paquete = { objectKey: solicitudId, bytes: 1, sha256: 'a', registros: filas.length } as const;
        await claims.finish(await claimOf(t.db, solicitudId), { ...paquete, confianza: 'confirmado' });
      }
    },
    async refuse() {
      for (const { id: solicitudId } of await underWay()) {
        const claimed = await claimOf(t.db, solicitudId);
        await claims.fail(claimed, { estado: 'ERROR', motivo: 'CIEC_RECHAZADA' });
      }
    },
    renew: (ajustes: { tipos?: TipoDescarga[]; desde?: string } = {}) =>
      subscribe(t, dueno, sealer, { tipos, desde, ...ajustes }),
    remove: () => createSincronizaciones(t.db).remove(contribuyenteId, quien),
    tramos: () =>
      t.sql<{ tipo: string; mes: string }>`
        SELECT tipo, mes::text FROM tramo WHERE sincronizacion_id = ${id} ORDER BY tipo, mes`,
    spent: async () => SALDO - (await saldoDe(t, dueno)),
    vista: async () => createSincronizaciones(t.db).find(contribuyenteId, null),
    /** Readings that a renewal from this day on would charge at once, by the month of each. */
    async foretold(first = desde) {
      const sincronizaciones = createSincronizaciones(t.db);
      const tramos = await sincronizaciones.preview(await sincronizaciones.idOf(contribuyenteId), {
        tipos,
        desde: first,
        frecuencia: 'DIARIA',
        ...primerasLecturas({ desde: first, hoy, minuto: 60 }),
      });
      return tramos.flatMap(({ tramo, turno }) => (turno === 'AHORA' ? [tramo.clase === 'MES' ? tramo.mes : hoy] : []));
    },
  };
}

test('a kind that was left out while it was under way is asked for and charged no more', async () => {
  const { hasten, work, renew, answer, asked, tramos, spent } = await open({ tipos: ['emitidos', 'recibidos'] });
  await hasten();
  await work();
  const before = (await asked()).filter(({ tipo }) => tipo === 'emitidos').length;
  expect(before).toBeGreaterThan(0);
  await renew({ tipos: ['recibidos'] });
  await answer([cfdi(1)]);
  for (let turn = 0; turn < 3; turn++) {
    await work();
    await hasten();
    await work();
    await answer([cfdi(1)]);
  }
  const all = await asked();
  expect(all.filter(({ tipo }) => tipo === 'emitidos')).toHaveLength(before);
  expect((await tramos()).filter(({ tipo }) => tipo === 'emitidos')).toEqual([]);
  expect(await spent()).toBe(all.length);
});

test('a month that was left out while it was under way is asked for no more, and days that were left out are not either', async () => {
  const { hasten, work, renew, answer, asked, tramos, vista } = await open();
  await hasten();
  await work();
  await renew({ desde: ESTE_MES });
  const before = (await asked()).length;
  for (let turn = 0; turn < 3; turn++) {
    await answer();
    await work();
    await hasten();
    await work();
  }
  expect((await asked()).slice(before).filter(({ desde }) => desde < ESTE_MES)).toEqual([]);
  expect((await tramos()).map(({ mes }) => mes)).not.toContain(MES_PASADO);
  expect(await vista()).toMatchObject({ porLeer: 0, fallando: 0 });
});

test('what a worker was about to ask by the settings before is asked for by those of now', async () => {
  const { dueno, hasten, renew, asked } = await open({ desde: MES_PASADO });
  await hasten();
  const tramos = createTramos(t.db);
  const tomado = (await tramos.take(100, 60)).find(
    ({ sincronizacionId, tramo }) => sincronizacionId === dueno.sincronizacionId && tramo.clase === 'RECIENTE',
  );
  if (tomado === undefined) throw new Error('nothing is due');
  await renew({ desde: hoy });
  const deadlineAt = new Date(Date.now() + 3_600_000);
  const peticion = { solicitudId: crypto.randomUUID(), hasta: hoy, hoy, isGratis: false, deadlineAt, aLaVez: 3 };
  expect(await tramos.ask(tomado, { ...peticion, desde: addDays(hoy, -4) })).toBe('OCUPADA');
  expect(await asked()).toEqual([]);
});

test('a package whose rows cannot be read is given back, each time', async () => {
  const { hasten, only, work, answer, asked, spent, vista } = await open();
  await only(MES_PASADO);
  for (let n = 1; n <= 2; n++) {
    await hasten();
    await work();
    expect(await spent()).toBe(1);
    await answer('no CSV');
    await work();
    expect([(await asked()).length, await spent()]).toEqual([n, 0]);
  }
  expect(await vista()).toMatchObject({ fallando: 1, ultimoFallo: 'ILEGIBLE' });
  expect(await brokenInvariants(t.db)).toEqual([]);
});

test('a package deleted before its merge is refunded and requested again', async () => {
  const { dueno, hasten, only, work, answer, asked, spent } = await open();
  await only(MES_PASADO);
  await hasten();
  await work();
  await answer([cfdi(1)]);
  await t.sql`UPDATE solicitud SET paquete_borrado_en = now() - interval '1 second' WHERE sincronizacion_id = ${dueno.sincronizacionId}`;
  await work();
  await hasten();
  await work();
  await answer([cfdi(1)]);
  await work();
  expect([(await asked()).length, await spent()]).toEqual([2, 1]);
  expect(await brokenInvariants(t.db)).toEqual([]);
});

test('an answer that is doubted is given back, and the one that repeats it is charged', async () => {
  const { hasten, only, work, answer, spent } = await open();
  await only(MES_PASADO);
  const all = Array.from({ length: 40 }, (_, n) => cfdi(n));
  const read = async (filas: readonly FilaCfdi[]) => {
    await hasten();
    await work();
    await answer(filas);
    await work();
    return spent();
  };
  expect([await read(all), await read(all.slice(0, 10)), await read(all.slice(0, 10))]).toEqual([1, 1, 2]);
  expect(await brokenInvariants(t.db)).toEqual([]);
});

test('the refusal of a CIEC does not pause a subscription with a newer consent', async () => {
  const { dueno, hasten, only, work, refuse, renew, vista, spent } = await open();
  await only(MES_PASADO);
  await hasten();
  await work();
  await refuse();
  await t.sql`UPDATE consentimiento SET otorgado_en = otorgado_en + interval '1 minute' WHERE sincronizacion_id = ${dueno.sincronizacionId}`;
  await work();
  expect([(await vista())?.estado, await spent()]).toEqual(['ACTIVA', 0]);
  await renew();
  expect((await vista())?.estado).toBe('ACTIVA');
});

test('a reading that nothing is there to pay for pauses its subscription in the very step that finds it out', async () => {
  const { dueno, hasten, vista } = await open();
  await t.sql`SELECT libro_abona(${dueno.cuentaId}, gen_random_uuid(), 'ajuste', ${-SALDO}, NULL, 'prueba')`;
  await hasten();
  const tramos = createTramos(t.db);
  const tomado = (await tramos.take(100, 60)).find(
    ({ sincronizacionId }) => sincronizacionId === dueno.sincronizacionId,
  );
  if (tomado === undefined) throw new Error('nothing is due');
  const deadlineAt = new Date(Date.now() + 3_600_000);
  const peticion = {
    solicitudId: crypto.randomUUID(),
    desde: hoy,
    hasta: hoy,
    hoy,
    isGratis: false,
    deadlineAt,
    aLaVez: 3,
  };
  expect(await tramos.ask(tomado, peticion)).toBe('SIN_SALDO');
  expect(await vista()).toMatchObject({ estado: 'PAUSADA', motivo: 'SIN_SALDO' });
});

test.each([
  ['nothing was read yet', '', 2],
  ['all of it was read', `UPDATE tramo SET lecturas = 1, due_at = now() + interval '9 days'`, 0],
  [
    'a reading of a month is overdue',
    `UPDATE tramo SET lecturas = 1, due_at = now() + interval '9 days' * (mes <> date_trunc('month', current_date - 40))::int`,
    null,
  ],
  [
    'a month is over in question',
    `UPDATE tramo SET lecturas = 1, por_confirmar = 3, due_at = now() + interval '9 days', fase = CASE WHEN mes > '0001-01-01' THEN 'FIN' ELSE fase END`,
    2,
  ],
  [
    'a month was read from a later day on',
    `UPDATE tramo SET lecturas = 1, desde = mes + 9, due_at = now() + interval '9 days'`,
    null,
  ],
  [
    'the newest days are overdue',
    `UPDATE tramo SET lecturas = 1, due_at = now() + interval '9 days' * (mes > '0001-01-01')::int`,
    1,
  ],
] as const)('a renewal charges at once what was foretold: %s', async (_, state, count) => {
  const { dueno, work, renew, asked, foretold, answer } = await open();
  if (state !== '') await t.db.pool.query(`${state} WHERE sincronizacion_id = $1`, [dueno.sincronizacionId]);
  const told = await foretold();
  if (count !== null) expect(told).toHaveLength(count);
  await renew();
  expect(await foretold()).toEqual(told);
  for (let turn = 0; turn < 3; turn += 1) {
    await t.sql`UPDATE tramo SET due_at = due_at - interval '3 seconds' WHERE sincronizacion_id = ${dueno.sincronizacionId}`;
    await work();
    await answer([cfdi(1)]);
  }
  expect(await asked()).toHaveLength(told.length);
  expect(await foretold()).toEqual([]);
});

test('a subscription that is deleted after its consent was over leaves nothing under way and nothing charged', async () => {
  const { dueno, hasten, work, remove, underWay, spent } = await open();
  await hasten();
  await work();
  expect(await spent()).toBeGreaterThan(0);
  await t.sql`DELETE FROM consentimiento WHERE sincronizacion_id = ${dueno.sincronizacionId}`;
  expect(await remove()).toBe(true);
  expect([await underWay(), await spent()]).toEqual([[], 0]);
});

/** Every table that holds rows of a store, or of a subscription. */
const DE_UN_ALMACEN = [
  'cfdi',
  'cfdi_cambio',
  'lectura',
  'nombrado',
  'riesgo_contraparte',
  'riesgo_cambio',
  'riesgo_cruce',
];
const DE_UNA_SINCRONIZACION = ['tramo', 'consentimiento'];

test('of a subscription that is deleted nothing is left, and the next one of the same RFC begins empty', async () => {
  const { dueno, hasten, work, answer, cross, remove, clean, renew, vista } = await open();
  const { sincronizacionId, rfc } = dueno;
  await hasten();
  await work();
  await answer(Array.from({ length: 30 }, (_, n) => cfdi(n)));
  await work();
  const before = await vista();
  expect(before?.cambios).toBe(30n);
  const almacenId = before?.almacenId ?? 0;
  await cross();
  expect(await remove()).toBe(true);
  await renew();
  const after = await vista();
  expect([after?.cambios, after?.rfc, after?.ultimaLectura]).toEqual([0n, rfc, null]);
  expect([after?.id === sincronizacionId, after?.almacenId === almacenId]).toEqual([false, false]);
  const countAll = async () => {
    const rows = async (table: string, column: string, value: unknown) => {
      const { rows } = await t.db.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`,
        [value],
      );
      return rows[0]?.n ?? 0;
    };
    const counts = [
      ...DE_UN_ALMACEN.map((table) => rows(table, 'almacen_id', almacenId)),
      ...DE_UNA_SINCRONIZACION.map((table) => rows(table, 'sincronizacion_id', sincronizacionId)),
      rows('almacen', 'id', almacenId),
      rows('sincronizacion', 'id', sincronizacionId),
    ];
    return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
  };
  expect(await countAll()).toBeGreaterThan(60);
  for (let turns = 0; turns < 20 && (await countAll()) > 0; turns++) await clean();
  expect(await countAll()).toBe(0);
  expect((await vista())?.id).toBe(after?.id);
});
