import { randomUUID } from 'node:crypto';
import type { TipoDescarga } from '@acuse/core';
import {
  type CfdiConocido,
  createAlmacenes,
  type FiltroCfdi,
  type LugarCfdi,
  openAlmacen,
  type SumaPorEfecto,
  type Sumas,
} from '@acuse/sincronizacion/db';
import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../faults/random.ts';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { csvOf, type FilaCfdi } from './csv.ts';

const t = useDatabase();
const { signal } = new AbortController();
const YO = ['ACU200101DB1', 'La Empresa'] as const;
const ALL = { desde: '2026-01-01', hasta: '2026-03-31' };
const TIPOS = ['emitidos', 'recibidos'] as const;
/** One under two names, one under more than are looked up one by one, and some under one. */
const CONTRAPARTES: readonly (readonly [string, string])[] = [
  ['PRO010101AB1', 'Proveedor Uno'],
  ['PRO010101AB1', 'Proveedor Uno, S.A. de C.V.'],
  ['PRO020202AB2', ''],
  ['ÑUÑ030303AB3', 'Ñuñoa'],
  ...Array.from({ length: 11 }, (_, n) => ['XEXX010101000', `Foreigner ${n}`] as const),
];

const between = (random: Random, least: number, most: number) => least + random.below(most - least + 1);

interface Conocido extends FilaCfdi {
  readonly tipo: TipoDescarga;
  readonly contraparte: readonly [string, string];
  readonly isAusente: boolean;
}

async function open() {
  const { contribuyenteId } = await seedTaxpayer(t.db);
  const almacenes = createAlmacenes(t.db);
  const almacenId = await openAlmacen(t.db.pool, contribuyenteId);
  const read = (tipo: TipoDescarga, filas: Iterable<FilaCfdi>, periodo = ALL) =>
    almacenes.merge(
      { almacenId, solicitudId: randomUUID(), tipo, ...periodo, pedidaEn: new Date(), isConfirmada: true },
      csvOf(filas),
      signal,
    );
  /** Every page from the first to the last. */
  async function walk(filtro: FiltroCfdi, limite: number, tope?: number): Promise<CfdiConocido[]> {
    const all: CfdiConocido[] = [];
    let despuesDe: LugarCfdi | null = null;
    for (;;) {
      const pedido = { almacenId, filtro, despuesDe, limite, ...(tope === undefined ? {} : { tope }) };
      const { filas, siguiente } = await almacenes.page(pedido);
      expect(filas.length).toBeLessThanOrEqual(limite);
      all.push(...filas);
      if (siguiente === null) return all;
      expect(siguiente).not.toEqual(despuesDe);
      despuesDe = siguiente;
    }
  }
  return { almacenes, almacenId, read, walk };
}

const cfdi = (tipo: TipoDescarga, n: number, contraparte: readonly [string, string], rest: Partial<FilaCfdi> = {}) => ({
  tipo,
  contraparte,
  isAusente: false,
  uuid: `${n.toString(16).toUpperCase().padStart(8, '0')}-0000-4000-8000-00000000000A`,
  ...(tipo === 'recibidos' ? { emisor: contraparte, receptor: YO } : { emisor: YO, receptor: contraparte }),
  efecto: 'I',
  emitida: `2026-0${1 + (n % 3)}-1${n % 4}T10:00:0${n % 2}`,
  monto: `${n % 50}.${n % 7 === 0 ? '123456' : '50'}`,
  ...rest,
});

/** CFDI of both kinds, many of the same second; some cancelled, some missing since, one of each kind the same one. */
async function randomWorld(random: Random, read: Awaited<ReturnType<typeof open>>['read']): Promise<Conocido[]> {
  const world = [...TIPOS.keys()].flatMap((at) => {
    const tipo = TIPOS[at] ?? 'emitidos';
    return Array.from({ length: 90 }, (_, n) => {
      const efecto = random.pick(['I', 'I', 'I', 'E', 'N', 'P', 'T', '?']);
      const cancelada = between(random, 0, 3) === 0 ? '2026-05-01T00:00:00' : null;
      const monto = between(random, 0, 15) === 0 ? { monto: 'none' } : {};
      return cfdi(tipo, 2 * n + at, random.pick(CONTRAPARTES), { efecto, cancelada, ...monto });
    });
  });
  for (const tipo of TIPOS) world.push(cfdi(tipo, 5_000, YO));
  const missing = new Set(Array.from({ length: 12 }, () => random.pick(world)));
  const present = (tipo: TipoDescarga) => world.filter((each) => each.tipo === tipo && !missing.has(each));
  for (const tipo of TIPOS) {
    await read(
      tipo,
      world.filter((each) => each.tipo === tipo),
    );
    await read(tipo, present(tipo));
  }
  return world.map((each) => ({ ...each, isAusente: missing.has(each) }));
}

const MICROS = 1_000_000n;
/** A decimal in millionths; null when it is none. */
function micros(text: string | undefined): bigint | null {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text ?? '') ?? [];
  if (whole === undefined) return null;
  const value = BigInt(whole) * MICROS + BigInt(part.padEnd(6, '0'));
  return sign === '-' ? -value : value;
}

const estadoDe = ({ isAusente, cancelada }: Conocido) =>
  isAusente ? 'AUSENTE' : (cancelada ?? null) === null ? 'VIGENTE' : 'CANCELADO';

/** The rule of each filter, said once more in the plainest words. */
function isMeant(each: Conocido, filtro: FiltroCfdi): boolean {
  const [min, max, monto] = [micros(filtro.montoMin), micros(filtro.montoMax), micros(each.monto)];
  const dia = each.emitida.slice(0, 10);
  if (!filtro.tipos.includes(each.tipo)) return false;
  if (filtro.desde !== undefined && dia < filtro.desde) return false;
  if (filtro.hasta !== undefined && dia > filtro.hasta) return false;
  if (filtro.contraparte !== undefined && each.contraparte[0] !== filtro.contraparte) return false;
  if (filtro.efecto !== undefined && each.efecto !== filtro.efecto) return false;
  if (filtro.uuid !== undefined && each.uuid !== filtro.uuid) return false;
  if (filtro.estado !== undefined && estadoDe(each) !== filtro.estado) return false;
  if (min !== null && (monto === null || monto < min)) return false;
  return max === null || (monto !== null && monto <= max);
}

const keyOf = ({ emitida, uuid, tipo }: Conocido) => `${emitida} ${uuid} ${tipo}`;
const newestFirst = (a: Conocido, b: Conocido) => (keyOf(a) < keyOf(b) ? 1 : -1);

function randomFilter(random: Random, world: readonly Conocido[]): FiltroCfdi {
  const maybe = <T>(value: () => T) => (between(random, 0, 2) === 0 ? value() : undefined);
  const day = () => `2026-0${between(random, 1, 3)}-1${between(random, 0, 3)}`;
  return {
    tipos: random.pick([TIPOS, ['emitidos'], ['recibidos']]),
    desde: maybe(day),
    hasta: maybe(day),
    contraparte: maybe(() => random.pick([...CONTRAPARTES.map(([rfc]) => rfc), YO[0], 'NAD010101AB1'])),
    estado: maybe(() => random.pick(['VIGENTE', 'CANCELADO', 'AUSENTE'] as const)),
    efecto: maybe(() => random.pick(['I', 'E', 'N', 'P', 'T'])),
    montoMin: maybe(() => `${between(random, 0, 30)}.5`),
    montoMax: maybe(() => `${between(random, 20, 50)}.50`),
    uuid: between(random, 0, 9) === 0 ? random.pick(world).uuid : undefined,
  };
}

test.for([1, 2, 3])(
  'pages of any filter are what a look at every CFDI finds, newest first, however little is looked at (world %i)',
  async (seed) => {
    const random = createRandom(seed);
    const { read, walk } = await open();
    const world = await randomWorld(random, read);
    const other = await open();
    await randomWorld(createRandom(seed + 100), other.read);
    for (let turn = 0; turn < 40; turn++) {
      const filtro = turn === 0 ? { tipos: TIPOS } : randomFilter(random, world);
      const expected = world.filter((each) => isMeant(each, filtro)).sort(newestFirst);
      const found = await walk(filtro, between(random, 1, 60), turn % 3 === 0 ? undefined : between(random, 1, 40));
      const said = found.map(({ emitidaEn, uuid, tipo }) => `${emitidaEn} ${uuid} ${tipo}`);
      expect([filtro, said]).toEqual([filtro, expected.map(keyOf)]);
      expect(
        found.map(({ contraparte, efecto, monto, isVigente, canceladaEn, ausenteDesde }) => [
          ...[contraparte.rfc, contraparte.nombre, efecto, monto === null ? null : micros(monto)],
          ...[isVigente, canceladaEn, ausenteDesde !== null],
        ]),
      ).toEqual(
        expected.map(({ contraparte, efecto, monto, cancelada = null, isAusente }) => [
          ...[...contraparte, efecto, micros(monto)],
          ...[cancelada === null, cancelada, isAusente],
        ]),
      );
    }
  },
);

test('paging during merges shows each remaining CFDI once, and none twice', async () => {
  const { almacenes, almacenId, read } = await open();
  const contraparte = ['PRO010101AB1', 'Proveedor Uno'] as const;
  const stays = Array.from({ length: 120 }, (_, n) => cfdi('recibidos', n, contraparte));
  await read('recibidos', stays);
  let isOver = false;
  const merging = (async () => {
    for (let turn = 1; turn <= 6; turn++) {
      const more = Array.from({ length: 20 * turn }, (_, n) => cfdi('recibidos', 1_000 + n, contraparte));
      const cancelada = turn % 2 === 0 ? '2026-05-01T00:00:00' : null;
      await read('recibidos', [...stays.map((each) => ({ ...each, cancelada })), ...more]);
    }
    isOver = true;
  })();
  let walks = 0;
  for (let isLast = false; !isLast; walks++) {
    isLast = isOver;
    const seen: string[] = [];
    let despuesDe: LugarCfdi | null = null;
    do {
      const pagina = await almacenes.page({ almacenId, filtro: { tipos: ['recibidos'] }, despuesDe, limite: 7 });
      seen.push(...pagina.filas.map(({ uuid }) => uuid));
      despuesDe = pagina.siguiente;
    } while (despuesDe !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(stays.filter(({ uuid }) => !seen.includes(uuid))).toEqual([]);
  }
  await merging;
  expect(walks).toBeGreaterThan(1);
});

test('each CFDI shows the last undoubted reading of its day and kind', async () => {
  const { almacenes, almacenId, read } = await open();
  const on = (tipo: TipoDescarga, n: number, day: string) =>
    cfdi(tipo, n, ['PRO010101AB1', 'Proveedor'], { emitida: `${day}T10:00:00` });
  const march = { desde: '2026-03-01', hasta: '2026-03-31' };
  const [january, early, late] = ['2026-01-15', '2026-03-01', '2026-03-31'].map((day, n) => on('recibidos', n, day));
  if (january === undefined || early === undefined || late === undefined) throw new Error('three days');
  const issued = on('emitidos', 3, '2026-03-15');
  await read('recibidos', [january, early, late]);
  await read('emitidos', [issued]);
  await read('recibidos', [early], march);
  await read('recibidos', [early, late], march);
  const day = (n: number) => `2026-0${n}-01T00:00:00.000Z`;
  for (const n of [1, 2, 3, 4])
    await t.sql`UPDATE lectura SET leida_en = ${day(4 + n)}, es_dudosa = ${n === 4} WHERE almacen_id = ${almacenId} AND n = ${n}`;
  const { filas } = await almacenes.page({ almacenId, filtro: { tipos: TIPOS }, despuesDe: null, limite: 10 });
  expect(filas.map(({ uuid, leidoEn }) => [uuid, leidoEn.toISOString()])).toEqual([
    [late.uuid, day(7)],
    [issued.uuid, day(6)],
    [early.uuid, day(7)],
    [january.uuid, day(5)],
  ]);
});

test('an empty store, and a counterparty that it does not know, have no page', async () => {
  const { almacenes, almacenId } = await open();
  const pedido = { almacenId, despuesDe: null, limite: 10 };
  expect(await almacenes.page({ ...pedido, filtro: { tipos: TIPOS } })).toEqual({ filas: [], siguiente: null });
  const filtro = { tipos: TIPOS, contraparte: 'NAD010101AB1' };
  expect(await almacenes.page({ ...pedido, filtro })).toEqual({ filas: [], siguiente: null });
});

/** Sums in millionths, by the plainest words. */
function sumOf(those: readonly Conocido[], estado: string) {
  const mine = those.filter((each) => estadoDe(each) === estado);
  const total = (isOne: (efecto: string) => boolean) =>
    mine.reduce((sum, { efecto = '', monto }) => sum + (isOne(efecto) ? (micros(monto) ?? 0n) : 0n), 0n);
  return {
    cfdi: mine.length,
    ingresos: total((efecto) => efecto === 'I'),
    egresos: total((efecto) => efecto === 'E'),
    nomina: total((efecto) => efecto === 'N'),
    otros: total((efecto) => !['I', 'E', 'N'].includes(efecto)),
    sinMonto: mine.filter(({ monto }) => micros(monto) === null).length,
  };
}

const sumsOf = (those: readonly Conocido[]) => ({
  vigentes: sumOf(those, 'VIGENTE'),
  cancelados: sumOf(those, 'CANCELADO'),
  ausentes: sumOf(those, 'AUSENTE'),
});

const inMicros = ({ cfdi, sinMonto, ...amounts }: SumaPorEfecto) => {
  for (const amount of Object.values(amounts)) expect(amount).toMatch(/^-?\d+\.\d{2,}$/);
  const { ingresos, egresos, nomina, otros } = amounts;
  return {
    cfdi,
    sinMonto,
    ingresos: micros(ingresos),
    egresos: micros(egresos),
    nomina: micros(nomina),
    otros: micros(otros),
  };
};
const allInMicros = ({ vigentes, cancelados, ausentes }: Sumas) => ({
  vigentes: inMicros(vigentes),
  cancelados: inMicros(cancelados),
  ausentes: inMicros(ausentes),
});

test.for([4, 5, 6])(
  'sums of any filter are those of every CFDI, by state, month, kind and counterparty, none as another (world %i)',
  async (seed) => {
    const random = createRandom(seed);
    const { almacenes, almacenId, read } = await open();
    const world = await randomWorld(random, read);
    for (let turn = 0; turn < 25; turn++) {
      const filtro = { ...randomFilter(random, world), tipos: [random.pick(TIPOS)] };
      const top = between(random, 1, 4);
      const answer = await almacenes.resumen({ almacenId, filtro, contrapartes: top });
      if ('demasiados' in answer) throw new Error('too many');
      const meant = world.filter((each) => isMeant(each, filtro));
      const by = (keyOf: (each: Conocido) => string) =>
        [...new Set(meant.map(keyOf))].sort().map((key) => [key, meant.filter((each) => keyOf(each) === key)] as const);
      expect(allInMicros(answer.total)).toEqual(sumsOf(meant));
      expect(answer.meses.map(({ mes, ...sumas }) => [mes, allInMicros(sumas)])).toEqual(
        by(({ emitida }) => emitida.slice(0, 7)).map(([mes, those]) => [mes, sumsOf(those)]),
      );
      const efectos = answer.efectos.map(({ efecto, ...sumas }) => [efecto, allInMicros(sumas)] as const);
      expect(new Map(efectos)).toEqual(
        new Map(by(({ efecto = '' }) => efecto).map(([efecto, those]) => [efecto, sumsOf(those)])),
      );
      const ranked = by(({ contraparte: [rfc] }) => rfc)
        .map(([rfc, those]) => ({ rfc, those, sums: sumsOf(those) }))
        .sort((a, b) => {
          const [one, other] = [a, b].map(({ sums: { vigentes } }) => vigentes.ingresos - vigentes.egresos) as [
            bigint,
            bigint,
          ];
          if (one !== other) return one > other ? -1 : 1;
          const [mine, its] = [a.sums.vigentes.nomina, b.sums.vigentes.nomina];
          return mine === its ? b.those.length - a.those.length : mine > its ? -1 : 1;
        });
      expect(answer.contrapartes.map(({ rfc, nombre: _, ...sumas }) => [rfc, allInMicros(sumas)])).toEqual(
        ranked.slice(0, top).map(({ rfc, sums }) => [rfc, sums]),
      );
      const rest = ranked.slice(top).flatMap(({ those }) => those);
      const { contrapartes, ...otras } = answer.otras;
      expect([contrapartes, allInMicros(otras)]).toEqual([Math.max(0, ranked.length - top), sumsOf(rest)]);
    }
  },
);

test('a sum shows the last name of a counterparty, and refuses too much to add up', async () => {
  const { almacenes, almacenId, read } = await open();
  await read('recibidos', [cfdi('recibidos', 1, ['PRO010101AB1', 'Viejo'])]);
  await read(
    'recibidos',
    [1, 2, 3].map((n) => cfdi('recibidos', n, ['PRO010101AB1', n === 1 ? 'Viejo' : 'Nuevo'])),
  );
  const pedido = { almacenId, filtro: { tipos: ['recibidos'] as const }, contrapartes: 5 };
  expect(await almacenes.resumen(pedido)).toMatchObject({ contrapartes: [{ rfc: 'PRO010101AB1', nombre: 'Nuevo' }] });
  expect(await almacenes.resumen({ ...pedido, tope: 3 })).toHaveProperty('total.vigentes.cfdi', 3);
  expect(await almacenes.resumen({ ...pedido, tope: 2 })).toEqual({ demasiados: true, tope: 2 });
  const narrow = { ...pedido.filtro, contraparte: 'PRO010101AB1', estado: 'CANCELADO' as const };
  expect(await almacenes.resumen({ ...pedido, filtro: narrow, tope: 3 })).toHaveProperty('total.vigentes.cfdi', 0);
});
