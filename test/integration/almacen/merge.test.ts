import { randomUUID } from 'node:crypto';
import { type Cambio, createAlmacenes, type NuevaLectura, openAlmacen } from '@acuse/sincronizacion/db';
import { expect, test } from 'vitest';
import { LecturaIlegible } from '../../../packages/sincronizacion/src/db/merge.ts';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { csvOf, type FilaCfdi } from './csv.ts';

const t = useDatabase();
const { signal } = new AbortController();

const YO = ['ACU200101DB1', 'La Empresa'] as const;
const PROVEEDORES = [
  ['PRO010101AB1', 'Proveedor Uno'],
  ['PRO020202AB2', 'Proveedor, "Dos"\nde México'],
  ['ÑUÑ030303AB3', ''],
] as const;

const recibido = (n: number, rest: Partial<FilaCfdi> = {}): FilaCfdi => ({
  uuid: `00000000-0000-4000-8000-${n.toString(16).toUpperCase().padStart(12, '0')}`,
  emisor: PROVEEDORES[n % PROVEEDORES.length] ?? PROVEEDORES[0],
  receptor: YO,
  emitida: `2026-03-${String(1 + (n % 28)).padStart(2, '0')}T10:00:${String(n % 60).padStart(2, '0')}`,
  monto: `${n}.50`,
  ...rest,
});

async function open() {
  const { contribuyenteId } = await seedTaxpayer(t.db);
  const almacenes = createAlmacenes(t.db);
  const almacenId = await openAlmacen(t.db.pool, contribuyenteId);
  const read = (filas: Iterable<FilaCfdi>, rest: Partial<NuevaLectura> = {}) =>
    almacenes.merge(
      {
        almacenId,
        solicitudId: randomUUID(),
        tipo: 'recibidos',
        desde: '2026-03-01',
        hasta: '2026-03-31',
        pedidaEn: new Date(),
        isConfirmada: true,
        ...rest,
      },
      csvOf(filas),
      signal,
    );
  const cambios = async (despuesDe = 0n, limite = 10_000) => almacenes.cambios({ almacenId, despuesDe, limite });
  const said = async (despuesDe = 0n) =>
    (await cambios(despuesDe)).map(({ n, clase, uuid }) => [Number(n), clase, uuid]);
  return { almacenes, almacenId, read, cambios, said };
}

/** A follower of the changes from the first page to the last. */
async function replay(pages: (despuesDe: bigint) => Promise<readonly Cambio[]>) {
  const kept = new Map<string, { isVigente: boolean; canceladaEn: string | null; isAusente: boolean }>();
  let n = 0n;
  for (;;) {
    const page = await pages(n);
    if (page.length === 0) return { kept, n };
    for (const cambio of page) {
      expect(cambio.n).toBe(n + 1n);
      n = cambio.n;
      const key = `${cambio.tipo} ${cambio.uuid}`;
      expect(kept.has(key)).toBe(cambio.clase !== 'nuevo');
      const { isVigente, canceladaEn, clase } = cambio;
      kept.set(key, { isVigente, canceladaEn, isAusente: clase === 'ausente' });
    }
  }
}

test('a merged package raises new CFDI, row by row, with all fields', async () => {
  const { read, cambios } = await open();
  const tercero = ['TER010101AB1', 'Tercero'] as const;
  const filas = [recibido(2, { tercero }), recibido(1, { cancelada: '2026-03-05T09:00:00', efecto: 'E' })];
  expect(await read(filas)).toEqual({ n: 1, filas: 2, nuevos: 2, cambiados: 0, ausentes: 0, isDudosa: false });
  const [primero, segundo] = await cambios();
  expect(primero).toEqual({
    n: 1n,
    clase: 'nuevo',
    notadoEn: expect.any(Date),
    tipo: 'recibidos',
    uuid: '00000000-0000-4000-8000-000000000001',
    isVigente: false,
    canceladaEn: '2026-03-05T09:00:00',
    emitidaEn: '2026-03-02T10:00:01',
    certificadaEn: '2026-03-02T10:00:01',
    contraparte: { rfc: 'PRO020202AB2', nombre: 'Proveedor, "Dos"\nde México' },
    rfcPac: 'SAT970701NN3',
    tercero: null,
    efecto: 'E',
    monto: '1.50',
    xml: null,
  });
  expect(segundo).toMatchObject({ n: 2n, isVigente: true, tercero: { rfc: tercero[0], nombre: tercero[1] } });
});

test('equal rows raise nothing; a cancelled, a missing, a returned and a corrected CFDI raise one change each', async () => {
  const { read, said } = await open();
  const filas = [1, 2, 3, 4, 5].map((n) => recibido(n));
  await read(filas);
  expect(await read(filas)).toMatchObject({ n: 2, nuevos: 0, cambiados: 0, ausentes: 0 });
  const cancelada = '2026-04-01T08:00:00';
  expect(
    await read([recibido(1, { cancelada }), recibido(3), recibido(4, { monto: '4.75' }), recibido(5)]),
  ).toMatchObject({ nuevos: 0, cambiados: 2, ausentes: 1 });
  expect((await said(5n)).map(([, clase, uuid]) => [clase, String(uuid).slice(-1)])).toEqual([
    ['cancelado', '1'],
    ['ausente', '2'],
    ['corregido', '4'],
  ]);
  // Missing still: that was told.
  await read([recibido(1, { cancelada }), recibido(3), recibido(4, { monto: '4.75' }), recibido(5)]);
  expect(await said(8n)).toEqual([]);
  await read([recibido(1), recibido(2, { cancelada }), recibido(3), recibido(4, { monto: '4.75' }), recibido(5)]);
  expect((await said(8n)).map(([, clase, uuid]) => [clase, String(uuid).slice(-1)])).toEqual([
    ['vigente', '1'],
    ['presente', '2'],
    ['cancelado', '2'],
  ]);
});

test('a package is merged once, however often it is brought', async () => {
  const { read, said } = await open();
  const solicitudId = randomUUID();
  const first = await read([recibido(1), recibido(2)], { solicitudId });
  expect(await read([recibido(3)], { solicitudId })).toEqual(first);
  expect(await said()).toHaveLength(2);
});

test('of two merges of a package at once one merges it, and both return the same', async () => {
  const { read, said } = await open();
  const solicitudId = randomUUID();
  const both = Array.from({ length: 4 }, () => read([recibido(1), recibido(2)], { solicitudId }));
  const first = { n: 1, filas: 2, nuevos: 2, cambiados: 0, ausentes: 0, isDudosa: false };
  expect(await Promise.all(both)).toEqual(both.map(() => first));
  expect(await said()).toHaveLength(2);
});

test('only the period and the kind that were read are compared', async () => {
  const { read, said } = await open();
  await read([1, 2, 3].map((n) => recibido(n)));
  await read([], { desde: '2026-04-01', hasta: '2026-04-30' });
  const emitido = recibido(1, { emisor: YO, receptor: PROVEEDORES[0] });
  await read([emitido], { tipo: 'emitidos' });
  await read([recibido(2)], { desde: '2026-03-03', hasta: '2026-03-03' });
  expect((await said(3n)).map(([, clase]) => clase)).toEqual(['nuevo']);
});

test('CFDI of other days are left to the reading of those days', async () => {
  const { read, said } = await open();
  await read([recibido(1)]);
  const others = ['2026-03-31T23:59:59', '2026-05-01T00:00:00', '1999-01-01T00:00:00'].map((emitida, n) =>
    recibido(10 + n, { emitida }),
  );
  const april = { desde: '2026-04-01', hasta: '2026-04-30' };
  const edges = ['2026-04-01T00:00:00', '2026-04-30T23:59:59'].map((emitida, n) => recibido(20 + n, { emitida }));
  expect(await read([recibido(1), ...others, ...edges], april)).toMatchObject({ filas: 2, nuevos: 2, ausentes: 0 });
  expect(await said(1n)).toEqual(edges.map(({ uuid }, at) => [2 + at, 'nuevo', uuid]));
});

test('a row that the SAT gives twice counts once, the cancelled one before the other', async () => {
  const { read, cambios } = await open();
  const cancelada = '2026-04-01T08:00:00';
  expect(await read([recibido(1), recibido(1, { cancelada }), recibido(1)])).toMatchObject({ filas: 1, nuevos: 1 });
  expect(await cambios()).toMatchObject([{ isVigente: false, canceladaEn: cancelada }]);
});

test('an answer from which much is missing is doubted until the next one says the same', async () => {
  const { read, said } = await open();
  const filas = Array.from({ length: 100 }, (_, n) => recibido(n));
  await read(filas);
  const few = filas.slice(0, 60);
  expect(await read(few)).toMatchObject({ ausentes: 0, isDudosa: true });
  expect(await said(100n)).toEqual([]);
  expect(await read(few)).toMatchObject({ ausentes: 40, isDudosa: false });
  expect((await said(100n)).filter(([, clase]) => clase === 'ausente')).toHaveLength(40);
});

test('a month that lasts is doubted once, though it is a day longer when it is asked for again', async () => {
  const { read } = await open();
  const filas = Array.from({ length: 100 }, (_, n) => recibido(n));
  const few = filas.slice(0, 20);
  await read(filas);
  expect(await read(few, { hasta: '2026-03-29' })).toMatchObject({ ausentes: 0, isDudosa: true });
  expect(await read(few, { hasta: '2026-03-30' })).toMatchObject({ ausentes: 80, isDudosa: false });
});

test.for([
  [30, 10, false],
  [100, 79, true],
  [200, 179, false],
])('of %i known, an answer with %i is doubted: %s', async ([known = 0, given = 0, isDudosa]) => {
  const { read } = await open();
  const filas = Array.from({ length: Number(known) }, (_, n) => recibido(n));
  await read(filas);
  expect(await read(filas.slice(0, Number(given)))).toMatchObject({ isDudosa });
});

test('an unconfirmed empty answer removes no CFDI, however often it comes', async () => {
  const { read, said } = await open();
  await read([recibido(1), recibido(2)]);
  for (const _ of [1, 2, 3])
    expect(await read([], { isConfirmada: false })).toMatchObject({ ausentes: 0, isDudosa: true });
  expect(await said(2n)).toEqual([]);
  expect(await read([], { isConfirmada: true })).toMatchObject({ ausentes: 2, isDudosa: false });
});

test('rows that are none leave nothing behind, and so does a merge that is broken off', async () => {
  const { almacenes, almacenId, read, said } = await open();
  await read([recibido(1)]);
  await expect(read([recibido(2), recibido(3, { emitida: '2026-13-45T10:00:00' })])).rejects.toThrow(LecturaIlegible);
  // A row without its day is neither one of another day nor a fault of ours, which would be tried for ever.
  await expect(read([recibido(2), recibido(3, { emitida: '' })])).rejects.toThrow(LecturaIlegible);
  await expect(read([recibido(2, { emisor: ['PRO\u0000', 'x'] })])).rejects.toThrow(LecturaIlegible);
  const controller = new AbortController();
  async function* broken() {
    yield* csvOf([recibido(2)]);
    controller.abort(new Error('the process is going'));
  }
  const lectura = {
    ...({ almacenId, solicitudId: randomUUID(), tipo: 'recibidos', desde: '2026-03-01', hasta: '2026-03-31' } as const),
    pedidaEn: new Date(),
    isConfirmada: true,
  };
  await expect(almacenes.merge(lectura, broken(), controller.signal)).rejects.toThrow('the process is going');
  async function* failing() {
    yield* csvOf([recibido(2)]);
    throw new Error('storage away');
  }
  await expect(almacenes.merge(lectura, failing(), signal)).rejects.toThrow('storage away');
  expect(await said()).toHaveLength(1);
  expect(await almacenes.merge(lectura, csvOf([recibido(1), recibido(2)]), signal)).toMatchObject({ n: 2, nuevos: 1 });
});

test('amounts that are no numbers, long names and odd kinds are stored as far as they can be read', async () => {
  const { read, cambios } = await open();
  const nombre = 'N'.repeat(5_000);
  await read([
    recibido(1, { monto: '$1,234.00' }),
    recibido(2, { monto: '', emisor: ['X'.repeat(3_000), nombre] }),
    recibido(3, { monto: '99999999999999999999.123456', efecto: 'Nómina' }),
    recibido(4, { monto: '-5', efecto: '' }),
  ]);
  expect((await cambios()).map(({ monto, efecto }) => [monto, efecto])).toEqual([
    [null, 'I'],
    [null, 'I'],
    ['99999999999999999999.123456', 'N'],
    ['-5', '?'],
  ]);
});

test('readings that are merged at the same time number their changes one after the other, and a reader misses none', async () => {
  const { read, cambios } = await open();
  const months = ['01', '02', '03', '04', '05', '06'];
  const reading = months.map((month, at) =>
    read(
      Array.from({ length: 50 }, (_, n) => recibido(at * 100 + n, { emitida: `2026-${month}-10T10:00:00` })),
      { desde: `2026-${month}-01`, hasta: `2026-${month}-28` },
    ),
  );
  let isOver = false;
  const following = (async () => {
    const seen: bigint[] = [];
    for (;;) {
      const wasOver = isOver;
      const page = await cambios(seen.at(-1) ?? 0n, 7);
      seen.push(...page.map(({ n }) => n));
      if (page.length === 0 && wasOver) return seen;
    }
  })();
  await Promise.all(reading);
  isOver = true;
  expect(await following).toEqual(Array.from({ length: 300 }, (_, at) => BigInt(at + 1)));
});

test('partitions that many merges need at once are made once, and no merge fails', async () => {
  const make = () => t.sql<{ made: number }>`SELECT cfdi_meses('2031-01-01', '2033-12-31') AS made`;
  const made = await Promise.all(Array.from({ length: 10 }, make));
  expect(made.flat().reduce((sum, each) => sum + each.made, 0)).toBe(36);
});

/** A small generator of the same numbers at every run (mulberry32). */
function seeded(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return (((x ^ (x >>> 14)) >>> 0) % below) as number;
  };
}

test.for([1, 2])(
  'after any readings the store is what the SAT has, and so is what the changes tell (world %i)',
  async (seed) => {
    const { almacenes, almacenId, read, cambios } = await open();
    const below = seeded(seed);
    const world = new Map<number, FilaCfdi>();
    const seen = new Set<number>();
    const isIn = ({ emitida }: FilaCfdi, desde: string, hasta: string) =>
      emitida.slice(0, 10) >= desde && emitida.slice(0, 10) <= hasta;
    for (let turn = 0; turn < 16; turn++) {
      for (let n = 0; n < 8; n++) {
        const id = below(120);
        const old = world.get(id);
        const cancelada = below(3) === 0 ? '2026-05-01T00:00:00' : null;
        if (old === undefined) world.set(id, recibido(id, { emitida: `2026-0${1 + (id % 3)}-1${id % 10}T10:00:00` }));
        else if (below(6) === 0) world.delete(id);
        else world.set(id, { ...old, cancelada });
      }
      const month = 1 + below(3);
      const [desde, hasta] = below(2) === 0 ? [`2026-0${month}-01`, `2026-0${month}-28`] : ['2026-01-01', '2026-03-31'];
      const filas = [...world].filter(([, fila]) => isIn(fila, desde, hasta));
      for (const [id] of filas) seen.add(id);
      await read(
        filas.map(([, fila]) => fila),
        { desde, hasta },
      );
    }
    const all = { desde: '2026-01-01', hasta: '2026-03-31' };
    for (const _ of [1, 2]) await read(world.values(), all);
    for (const id of world.keys()) seen.add(id);
    const truth = new Map([...world.values()].map((fila) => [fila.uuid, fila.cancelada ?? null]));
    const stored = await t.sql<{ uuid: string; cancelada: string | null; isAusente: boolean; vigente: boolean }>`
    SELECT upper(uuid::text) AS uuid, to_char(cancelada, 'YYYY-MM-DD"T"HH24:MI:SS') AS cancelada, ausente IS NOT NULL AS "isAusente", vigente
    FROM cfdi WHERE almacen_id = ${almacenId}`;
    expect(stored).toHaveLength(seen.size);
    const present = stored.filter(({ isAusente }) => !isAusente);
    expect(new Map(present.map(({ uuid, cancelada }) => [uuid, cancelada]))).toEqual(truth);
    const { kept } = await replay((despuesDe) => cambios(despuesDe, 1 + below(40)));
    expect(kept).toEqual(
      new Map(
        stored.map(({ uuid, cancelada, isAusente, vigente }) => [
          `recibidos ${uuid}`,
          { isVigente: vigente, canceladaEn: cancelada, isAusente },
        ]),
      ),
    );
    await t.sql`UPDATE almacen SET borrado_en = now() WHERE id = ${almacenId}`;
    while ((await almacenes.removeRows(50)) > 0);
    const [left] = await t.sql<{ filas: number }>`
    SELECT (SELECT count(*) FROM cfdi WHERE almacen_id = ${almacenId}) + (SELECT count(*) FROM cfdi_cambio WHERE almacen_id = ${almacenId})
      + (SELECT count(*) FROM nombrado WHERE almacen_id = ${almacenId}) + (SELECT count(*) FROM almacen WHERE id = ${almacenId}) AS filas`;
    expect(Number(left?.filas)).toBe(0);
  },
);
