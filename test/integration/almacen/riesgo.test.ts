import { openDatabase } from '@acuse/db';
import { createRiesgo } from '@acuse/riesgo/db';
import { createAlmacenes, createSincronizaciones, createTramos } from '@acuse/sincronizacion/db';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';
import { publish, type Renglon } from './listar.ts';
import { cfdi, subscribeTo } from './suscrito.ts';

const t = useDatabase();
const riesgo = () => createRiesgo(t.db);

const PRO = ['PRO010101AB1', 'PRO020202AB2', 'ÑUÑ030303AB3', 'P&O040404AB4', 'PRO050505AB5'] as const;
const quien = { actor: 'prueba', ip: null };

/** A subscription with its store, and who is listed of it. */
async function subscribe() {
  const suscrito = await subscribeTo(t, 'proveedor.listado');
  const { almacenId } = suscrito;
  const listed = async () =>
    (await riesgo().list({ almacenId, despuesDe: null, limite: 1_000, uuids: 3 })).map(({ rfc, lista, supuesto }) => [
      ...[rfc, lista, supuesto],
    ]);
  return { ...suscrito, listed };
}

/** Crosses every store that is due, as a process of the role does. Returns what `mine` was told. */
async function crossAll(mine?: number): Promise<number> {
  let dichos = 0;
  for (const almacen of await riesgo().due(0, 1_000))
    for (;;) {
      const cruce = await riesgo().cross(almacen, 200);
      if (almacen === mine) dichos += cruce?.dichos ?? 0;
      if (cruce === null || cruce.isOver) break;
    }
  return dichos;
}

const enLista = (rfc: string, situacion: Renglon['situacion'] = 'PRESUNTO', publicada = '2026-03-05'): Renglon => ({
  rfc,
  situacion,
  publicada,
});

test('a counterparty that enters a list, changes there and leaves raises one event each, with its CFDI in force and their pesos', async () => {
  const { almacenId, read, told, listed } = await subscribe();
  await publish(t, [enLista(PRO[1])]);
  await read([
    cfdi(1, PRO[0]),
    cfdi(2, PRO[0], { monto: '50.25' }),
    cfdi(3, PRO[0], { efecto: 'E', monto: '10.00' }),
    cfdi(4, PRO[0], { cancelada: '2026-04-01T10:00:00' }),
    cfdi(5, PRO[0], { efecto: 'P', monto: '0' }),
    cfdi(6, PRO[2]),
  ]);
  await read([cfdi(7, 'YOO010101AB1', { emisor: ['YOO010101AB1', 'Yo'], receptor: [PRO[0], 'Cliente'] })], 'emitidos');
  await crossAll();
  expect(await told()).toEqual([]);

  await publish(t, [enLista(PRO[0]), enLista(PRO[1])]);
  expect(await crossAll(almacenId)).toBe(1);
  expect(await crossAll(almacenId)).toBe(0);
  const [entra] = await told();
  expect(entra).toEqual({
    modo: 'test',
    cambio: 'entra',
    proveedor_rfc: PRO[0],
    proveedor_nombre: 'Cliente',
    lista: '69-B',
    supuesto: 'Presunto',
    supuesto_anterior: null,
    adverso: true,
    publicado_en: '2026-03-05',
    notado_en: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    cfdi: {
      total: 4,
      recibidos: { ingresos: { cfdi: 2, monto: '150.75' }, egresos: { cfdi: 1, monto: '10.00' } },
      emitidos: { ingresos: { cfdi: 1, monto: '100.50' }, egresos: { cfdi: 0, monto: '0.00' } },
      uuids: [7, 3, 2, 1].map((n) => cfdi(n, '').uuid),
    },
  });

  await publish(t, [enLista(PRO[0], 'DESVIRTUADO', '2026-05-01'), enLista(PRO[1])]);
  expect(await crossAll(almacenId)).toBe(1);
  expect((await told())[1]).toMatchObject({
    cambio: 'cambia',
    supuesto: 'Desvirtuado',
    supuesto_anterior: 'Presunto',
    adverso: false,
  });
  await publish(t, [enLista(PRO[1])]);
  expect(await crossAll(almacenId)).toBe(1);
  expect((await told())[2]).toMatchObject({ cambio: 'sale', supuesto: 'Desvirtuado', adverso: false });
  expect(await listed()).toEqual([]);
  await publish(t, [enLista(PRO[0], 'DEFINITIVO')]);
  expect(await crossAll(almacenId)).toBe(1);
  expect((await told())[3]).toMatchObject({ cambio: 'entra', supuesto: 'Definitivo', adverso: true });
  expect(await listed()).toEqual([[PRO[0], '69-B', 'Definitivo']]);
  expect(await told()).toHaveLength(4);
});

test('a reading with a listed counterparty is crossed, and a reading without news is not', async () => {
  await publish(t, [enLista(PRO[0]), enLista(PRO[3], 'DEFINITIVO')]);
  const { read, listed, almacenId } = await subscribe();
  const isDue = async () => (await riesgo().due(almacenId - 1, 1)).includes(almacenId);
  expect(await isDue()).toBe(false);
  await read([cfdi(1, PRO[0])]);
  expect(await isDue()).toBe(true);
  await crossAll();
  await read([cfdi(1, PRO[0])]);
  expect(await isDue()).toBe(false);
  await read([cfdi(1, PRO[0]), cfdi(2, PRO[3])]);
  expect(await isDue()).toBe(true);
  await crossAll();
  expect(await listed()).toEqual([
    [PRO[3], '69-B', 'Definitivo'],
    [PRO[0], '69-B', 'Presunto'],
  ]);
});

test('certifiers and third parties of a CFDI are no counterparties', async () => {
  const { read, listed } = await subscribe();
  await publish(t, [enLista(PRO[1]), enLista(PRO[2]), enLista(PRO[4])]);
  await read([cfdi(1, PRO[0], { pac: PRO[1], tercero: [PRO[2], 'Tercero'] })]);
  await crossAll();
  expect(await listed()).toEqual([]);
  // Under the very name that he had as a third party.
  await read([
    cfdi(1, PRO[0], { pac: PRO[1], tercero: [PRO[2], 'Tercero'] }),
    cfdi(2, PRO[2], { emisor: [PRO[2], 'Tercero'] }),
  ]);
  await crossAll();
  expect(await listed()).toEqual([[PRO[2], '69-B', 'Presunto']]);
});

test('of several rows of an RFC the worst counts, and of those that clear the newest', async () => {
  const { read, listed } = await subscribe();
  await publish(t, [
    enLista(PRO[0], 'SENTENCIA_FAVORABLE', '2026-06-01'),
    enLista(PRO[0], 'PRESUNTO', '2026-05-01'),
    enLista(PRO[0], 'DEFINITIVO', '2020-01-01'),
    enLista(PRO[3], 'DESVIRTUADO', '2019-01-01'),
    enLista(PRO[3], 'SENTENCIA_FAVORABLE', '2021-01-01'),
    { rfc: null, situacion: 'DEFINITIVO' },
  ]);
  await read([cfdi(1, PRO[0]), cfdi(2, PRO[3])]);
  await crossAll();
  expect(await listed()).toEqual([
    [PRO[3], '69-B', 'Sentencia Favorable'],
    [PRO[0], '69-B', 'Definitivo'],
  ]);
});

test('two accounts with the same supplier get one event each, and nothing of the other', async () => {
  const [uno, otro] = [await subscribe(), await subscribe()];
  await publish(t, []);
  await uno.read([cfdi(1, PRO[0])]);
  await otro.read([cfdi(2, PRO[0], { monto: '7.00' }), cfdi(3, PRO[1])]);
  await crossAll();
  await publish(t, [enLista(PRO[0])]);
  await crossAll();
  const montos = [await uno.told(), await otro.told()].map((all) =>
    all.map(({ proveedor_rfc, cfdi: suyos }) => [
      proveedor_rfc,
      (suyos as { recibidos: { ingresos: { monto: string } } }).recibidos.ingresos.monto,
    ]),
  );
  expect(montos).toEqual([[[PRO[0], '100.50']], [[PRO[0], '7.00']]]);
});

test('a list that loaded without a crossing is crossed later, by several processes in small steps, with one event', async () => {
  const { read, told, almacenId } = await subscribe();
  await publish(t, []);
  await read(PRO.map((rfc, n) => cfdi(n, rfc)));
  await crossAll();
  await publish(
    t,
    PRO.map((rfc) => enLista(rfc)),
  );
  // The process that swapped the list died here; another one looks.
  const other = openDatabase({ ...t.db.settings, url: t.url, poolSize: 4 });
  try {
    const cross = () => createRiesgo(other).cross(almacenId, 2);
    for (let isOver = false; !isOver; ) {
      const all = await Promise.all([cross(), cross(), riesgo().cross(almacenId, 2)]);
      isOver = all.some((cruce) => cruce?.isOver);
    }
  } finally {
    await other.close();
  }
  expect((await told()).map(({ proveedor_rfc }) => proveedor_rfc).sort()).toEqual([...PRO].sort());
  expect(await riesgo().due(almacenId - 1, 1)).not.toContain(almacenId);
});

test('pages give everybody who is listed, each once', async () => {
  const { read, almacenId } = await subscribe();
  await publish(
    t,
    PRO.map((rfc) => enLista(rfc)),
  );
  await read(PRO.map((rfc, n) => cfdi(n, rfc)));
  await crossAll();
  const seen: string[] = [];
  for (let despuesDe = null as { rfc: string; lista: string } | null; ; ) {
    const page = await riesgo().list({ almacenId, despuesDe, limite: 2, uuids: 1 });
    seen.push(...page.map(({ rfc }) => rfc));
    despuesDe = page.at(-1) ?? null;
    if (page.length < 2) break;
  }
  expect(seen.sort()).toEqual([...PRO].sort());
});

test('an interrupted crossing notes nothing, raises nothing, and stays due', async () => {
  const { read, told, almacenId, listed } = await subscribe();
  await publish(t, [enLista(PRO[0]), enLista(PRO[1])]);
  await read([cfdi(1, PRO[0]), cfdi(2, PRO[1])]);
  await t.sql`ALTER TABLE riesgo_cruce ADD CONSTRAINT broken CHECK (versiones = '') NOT VALID`;
  await expect(riesgo().cross(almacenId, 100)).rejects.toThrow('broken');
  await t.sql`ALTER TABLE riesgo_cruce DROP CONSTRAINT broken`;
  expect([await told(), await listed()]).toEqual([[], []]);
  expect(await riesgo().due(almacenId - 1, 1)).toContain(almacenId);
  await riesgo().cross(almacenId, 100);
  expect([(await told()).length, (await listed()).length]).toEqual([2, 2]);
});

test('after any order of lists and readings the notes equal a full comparison, and the replayed changes give them', async () => {
  const situaciones = ['PRESUNTO', 'DESVIRTUADO', 'DEFINITIVO', 'SENTENCIA_FAVORABLE'] as const;
  const renglon = fc.record({ rfc: fc.constantFrom(...PRO), situacion: fc.constantFrom(...situaciones) });
  const paso = fc.oneof(
    fc.record({ lista: fc.array(renglon, { maxLength: 6 }) }),
    fc.record({ lectura: fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...PRO)), { maxLength: 5 }) }),
    fc.record({ cruza: fc.integer({ min: 1, max: 3 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(paso, { minLength: 1, maxLength: 12 }), async (pasos) => {
      await publish(t, []);
      const { read, listed, told, almacenId } = await subscribe();
      let lista: readonly Renglon[] = [];
      const emisores = new Map<number, string>();
      for (const each of pasos) {
        if ('lista' in each) {
          lista = each.lista.map((r) => enLista(r.rfc, r.situacion));
          await publish(t, lista);
        }
        if ('cruza' in each) await riesgo().cross(almacenId, each.cruza);
        if ('lectura' in each) {
          for (const [n, rfc] of each.lectura) emisores.set(n, rfc);
          await read([...emisores].map(([n, rfc]) => cfdi(n, rfc)));
        }
      }
      for (let isOver = false; !isOver; ) isOver = (await riesgo().cross(almacenId, 2))?.isOver ?? true;
      const order = ['DEFINITIVO', 'PRESUNTO', 'DESVIRTUADO', 'SENTENCIA_FAVORABLE'] as const;
      const words = {
        DEFINITIVO: 'Definitivo',
        PRESUNTO: 'Presunto',
        DESVIRTUADO: 'Desvirtuado',
        SENTENCIA_FAVORABLE: 'Sentencia Favorable',
      };
      const expected = [...new Set(emisores.values())].flatMap((rfc) => {
        const own = new Set(lista.filter((r) => r.rfc === rfc).map((r) => r.situacion));
        const worst = order.find((situacion) => own.has(situacion));
        return worst === undefined ? [] : [[rfc, '69-B', words[worst]]];
      });
      const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
      expect(sorted(await listed())).toEqual(sorted(expected));

      const replayed = new Map<unknown, unknown>();
      for (const { cambio, proveedor_rfc, supuesto, supuesto_anterior } of await told()) {
        const before = replayed.get(proveedor_rfc);
        expect(before !== undefined).toBe(cambio !== 'entra');
        if (cambio === 'cambia') expect([supuesto_anterior, supuesto === before]).toEqual([before, false]);
        if (cambio === 'sale') replayed.delete(proveedor_rfc);
        else replayed.set(proveedor_rfc, supuesto);
      }
      expect(sorted([...replayed].map(([rfc, supuesto]) => [rfc, '69-B', supuesto]))).toEqual(sorted(expected));
    }),
    { numRuns: 25, seed: 20261123 },
  );
});

test('a subscription that ends takes along who was listed, and is crossed no more', async () => {
  await publish(t, [enLista(PRO[0])]);
  const { read, almacenId, contribuyenteId } = await subscribe();
  await read([cfdi(1, PRO[0])]);
  await crossAll();
  const left = async () =>
    (
      await t.sql<{ n: number }>`SELECT ((SELECT count(*) FROM riesgo_contraparte WHERE almacen_id = ${almacenId})
        + (SELECT count(*) FROM riesgo_cambio WHERE almacen_id = ${almacenId}) + (SELECT count(*) FROM riesgo_cruce WHERE almacen_id = ${almacenId}))::int AS n`
    )[0]?.n;
  expect(await left()).toBe(3);
  await createSincronizaciones(t.db).remove(contribuyenteId, quien);
  await publish(t, []);
  expect(await riesgo().due(almacenId - 1, 1)).not.toContain(almacenId);
  expect(await riesgo().cross(almacenId, 10)).toBeNull();
  const almacenes = createAlmacenes(t.db);
  while ((await almacenes.removeRows(100)) > 0 || (await createTramos(t.db).forget(100)) > 0);
  expect(await left()).toBe(0);
});
