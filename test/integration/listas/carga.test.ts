import { SatError } from '@acuse/core';
import { type Database, openDatabase } from '@acuse/db';
import { ListaRechazada } from '@acuse/listas';
import { createCargaListas, createListaEdos, createListas } from '@acuse/listas/db';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { examine } from '../fixtures/planes.ts';
import { waitFor } from '../fixtures/servicio.ts';
import { abrir, CUANTAS, type FakeList, filas, rfcs, TODOS, unchanged } from './lista-fingida.ts';

const signal = () => AbortSignal.timeout(60_000);

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());
const carga = () => createCargaListas(database.db);
/** Entries of one RFC, list by list. */
const listasDe = (db: Pick<Database, 'pool'>) => ({
  async consultar(rfc: string) {
    const { fechaCorte, edosFuente: fuente, rfcs: answers } = await createListas(db).consultar([rfc]);
    const [{ efos: rows, enEdos } = { efos: [], enEdos: false }] = answers;
    return {
      efos: fechaCorte === null ? null : { fechaCorte, filas: rows },
      edos: fuente === null ? null : { fuente, estaListado: enEdos },
    };
  },
});
const listas = () => listasDe(database.db);
const load = (fakeList: FakeList = {}, minFilas = 1) =>
  carga().loadList({ abrir: abrir(fakeList), minFilas }, signal());
const count = async (table: string) =>
  Number((await database.db.pool.query(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n);
/** Holds the rows of a version back from the 500th on, until it is opened. */
function newGate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate: { at: 500, open: isOpen }, open };
}
const untilRows = () => waitFor(async () => (await count('efos_fila')) > 0 || null);
const rechazada = (motivo: string) => expect.objectContaining({ name: 'ListaRechazada', motivo });

describe('a version of list 69-B', () => {
  it('is used for no answer before it is complete, and for every answer after', async () => {
    expect(await listas().consultar('AAA010101000')).toEqual({ efos: null, edos: null });
    const { gate, open } = newGate();
    const loading = load({ gate });
    await untilRows();
    expect((await listas().consultar('AAA010101000')).efos).toBeNull();
    open();
    expect(await loading).toMatchObject({
      resultado: 'CARGADA',
      version: { filas: CUANTAS, fechaCorte: '2026-07-31' },
    });
    expect(await listas().consultar('AAA010101000')).toEqual({
      efos: {
        fechaCorte: '2026-07-31',
        filas: [
          {
            situacion: 'DEFINITIVO',
            historial: [{ situacion: 'DEFINITIVO', oficio: 'a', fechaSat: '2024-03-05', fechaDof: null }],
          },
        ],
      },
      edos: null,
    });
    expect((await listas().consultar('ZZZ010101000')).efos).toEqual({ fechaCorte: '2026-07-31', filas: [] });
  });

  it('gives every row of an RFC, in the order of the list, and hidden rows never', async () => {
    const [one] = filas('a', 1);
    if (!one) throw new Error('no row');
    await load({ filas: [one, { ...one, rfc: null }, { ...one, situacion: 'SENTENCIA_FAVORABLE', historial: [] }] });
    const { efos } = await listas().consultar(one.rfc ?? '');
    expect(efos?.filas.map(({ situacion }) => situacion)).toEqual(['DEFINITIVO', 'SENTENCIA_FAVORABLE']);
    for (const rfc of ['XXXXXXXXXXXX', '', 'null']) expect((await listas().consultar(rfc)).efos?.filas).toEqual([]);
  });

  it('is seen whole by readers while others take its place', async () => {
    await load({ corte: '2026-01-01', filas: filas('2026-01-01') });
    const reader = openDatabase({ ...database.db.settings, url: database.url, poolSize: 4 });
    const seen = new Set<string>();
    let isOver = false;
    let looks = 0;
    const read = async (offset: number) => {
      for (let n = offset; !isOver; n += 7) {
        const { efos } = await listasDe(reader).consultar(TODOS[n % CUANTAS] ?? '');
        looks += 1;
        expect(efos?.filas).toHaveLength(1);
        // The row belongs to the version of the shown cut.
        expect(efos?.filas[0]?.historial[0]?.oficio).toBe(efos?.fechaCorte);
        seen.add(efos?.fechaCorte ?? '');
      }
    };
    const readers = Promise.all([0, 1, 2, 3].map(read));
    const cuts = Array.from({ length: 8 }, (_, n) => `2026-02-0${n + 1}`);
    try {
      for (const corte of cuts) await load({ corte, filas: filas(corte) });
      await waitFor(async () => seen.has(cuts.at(-1) ?? '') || null);
    } finally {
      isOver = true;
      await readers.finally(() => reader.close());
    }
    expect(looks).toBeGreaterThan(100);
    expect(seen.size).toBeGreaterThan(3);
    expect([await count('efos_version'), await count('efos_fila')]).toEqual([1, CUANTAS]);
  });

  it('takes its place in the moment in which its attempt is noted as done and the order as carried out', async () => {
    await carga().askFor({ forzar: false, actor: 'prueba', ip: null });
    const { gate, open } = newGate();
    const loading = load({ gate });
    await untilRows();
    const holder = await database.db.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM efos_carga FOR UPDATE');
      open();
      await waitForLocks(database.db.pool, 1);
      expect(await carga().estado()).toMatchObject({
        vigente: null,
        cargas: [{ resultado: 'EN_CURSO' }],
        pedidaEn: expect.any(Date),
      });
      await holder.query('COMMIT');
    } finally {
      holder.release(true);
    }
    await loading;
    expect(await carga().estado()).toMatchObject({
      vigente: { filas: CUANTAS },
      cargas: [{ resultado: 'CARGADA' }],
      pedidaEn: null,
    });
  });

  it('is shown to the operator as of one moment, also during a swap', async () => {
    const { pool } = database.db;
    const slow = async () => {
      const client = await pool.connect();
      const query = client.query.bind(client) as (statement: string | { text: string }) => Promise<unknown>;
      const connection = {
        release: () => client.release(),
        async query(statement: string | { text: string }) {
          const text = typeof statement === 'string' ? statement : statement.text;
          if (text.includes('efos_vigente')) await load();
          return query(statement);
        },
      };
      return connection;
    };
    const reader = new Proxy(pool, { get: (target, key) => (key === 'connect' ? slow : Reflect.get(target, key)) });
    expect(await createCargaListas({ pool: reader }).estado()).toMatchObject({ vigente: null, cargas: [] });
    expect(await carga().estado()).toMatchObject({ vigente: {}, cargas: [{ resultado: 'CARGADA' }] });
  });

  it('does not take the place of a newer one, nor of one with many more rows', async () => {
    await load({ corte: '2026-07-31' });
    await expect(load({ corte: '2026-07-30' })).rejects.toEqual(rechazada('LISTA_ANTERIOR'));
    await expect(load({ corte: '2026-08-01', filas: filas('b', 1_799) })).rejects.toEqual(rechazada('LISTA_MENGUADA'));
    expect((await carga().estado()).vigente).toMatchObject({ fechaCorte: '2026-07-31', filas: CUANTAS });
    expect((await listas().consultar('AAA010101000')).efos?.filas[0]?.historial[0]?.oficio).toBe('a');
    await load({ corte: '2026-08-01', filas: filas('b', 1_800) });
    expect((await carga().estado()).vigente).toMatchObject({ fechaCorte: '2026-08-01', filas: 1_800 });
    expect([await count('efos_version'), await count('efos_fila')]).toEqual([1, 1_800]);
  });

  it('has at least so many rows the first time', async () => {
    await expect(load({ filas: filas('a', 99) }, 100)).rejects.toEqual(rechazada('LISTA_MENGUADA'));
    expect((await listas().consultar('AAA010101000')).efos).toBeNull();
    await load({ filas: filas('a', 100) }, 100);
  });

  it('may be shorter and older when the operator asked for it, once', async () => {
    await load();
    await carga().askFor({ forzar: true, actor: 'prueba', ip: null });
    expect(await carga().pendiente({ maxHoras: 48 })).toBe('PEDIDA');
    await load({ corte: '2026-01-01', filas: filas('b', 10) });
    expect(await carga().pendiente({ maxHoras: 48 })).toBeNull();
    await expect(load({ filas: filas('c', 1) })).rejects.toBeInstanceOf(ListaRechazada);
  });

  it('leaves nothing behind when its end does not come, and says why', async () => {
    await load();
    const failure = new SatError('RESPUESTA_ILEGIBLE', { detalle: 'lista 69-B: renglón 7' });
    await expect(load({ corte: '2026-08-01', filas: filas('b'), failure })).rejects.toBe(failure);
    await expect(load({ failure: new Error('secret of a library') })).rejects.toThrow();
    const { vigente, cargas } = await carga().estado();
    expect(vigente?.fechaCorte).toBe('2026-07-31');
    expect(cargas.map(({ resultado, motivo }) => [resultado, motivo])).toEqual([
      ['FALLIDA', 'Error'],
      ['FALLIDA', 'RESPUESTA_ILEGIBLE: lista 69-B: renglón 7'],
      ['CARGADA', null],
    ]);
    await load({ corte: '2026-08-01', filas: filas('b') });
    expect([await count('efos_version'), await count('efos_fila')]).toEqual([1, CUANTAS]);
  });

  it('is loaded by one of several that try at the same time', async () => {
    const other = openDatabase({ ...database.db.settings, url: database.url });
    const { gate, open } = newGate();
    const first = load({ gate });
    await untilRows();
    const asked: unknown[] = [];
    const second = await createCargaListas(other).loadList({ minFilas: 1, abrir: unchanged(asked) }, signal());
    expect([second, asked]).toEqual([{ resultado: 'OTRA_EN_CURSO' }, []]);
    open();
    expect((await first).resultado).toBe('CARGADA');
    const third = await createCargaListas(other).loadList({ minFilas: 1, abrir: abrir() }, signal());
    expect(third.resultado).toBe('CARGADA');
    await other.close();
  });

  it('is not touched by a loader that lost its connection, and the next one cleans up', async () => {
    await load({ corte: '2026-01-01' });
    const { gate, open } = newGate();
    const dying = load({ corte: '2026-08-01', filas: filas('b'), gate });
    const outcome = dying.then(
      () => 'loaded',
      () => 'failed',
    );
    await waitFor(async () => (await count('efos_version')) === 2 || null);
    await database.db.pool.query(
      `SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid <> pg_backend_pid()
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    // Its lock goes with its connection, a moment later.
    await waitFor(async () => {
      const { resultado } = await load({ corte: '2026-02-01', filas: filas('c') });
      return resultado === 'CARGADA' || null;
    });
    open();
    expect(await outcome).toBe('failed');
    expect((await carga().estado()).vigente?.fechaCorte).toBe('2026-02-01');
    expect([await count('efos_version'), await count('efos_fila')]).toEqual([1, CUANTAS]);
  });

  it('is confirmed by a source that has nothing newer, or the same bytes', async () => {
    await load({ sha256: 'f'.repeat(64), etag: '"1"' });
    await database.db.pool.query(`UPDATE efos_version SET revisada_en = now() - interval '49 hours'`);
    expect(await carga().pendiente({ maxHoras: 48 })).toBe('VENCIDA');
    const asked: unknown[] = [];
    const confirmed = await carga().loadList({ minFilas: 1, abrir: unchanged(asked) }, signal());
    expect([confirmed.resultado, asked]).toEqual(['SIN_CAMBIO', ['"1"']]);
    expect(await carga().pendiente({ maxHoras: 48 })).toBeNull();
    const { vigente: before } = await carga().estado();
    expect(await load({ sha256: 'f'.repeat(64), etag: '"2"' })).toMatchObject({
      resultado: 'SIN_CAMBIO',
      version: { id: before?.id, etag: '"2"' },
    });
    expect([await count('efos_version'), await count('efos_fila')]).toEqual([1, CUANTAS]);
  });

  it('is fetched at once when there is none, and a failure is repeated later and later', async () => {
    const pendiente = () => carga().pendiente({ maxHoras: 48 });
    expect(await pendiente()).toBe('SIN_LISTA');
    const age = (seconds: number) =>
      database.db.pool.query(`UPDATE efos_carga SET terminada_en = terminada_en - make_interval(secs => $1)`, [
        seconds,
      ]);
    for (const [n, wait] of [60, 120, 240, 480, 960, 1_920, 3_600, 3_600].entries()) {
      await expect(load({ failure: new SatError('NO_RESPONDE') })).rejects.toThrow();
      expect([n, await pendiente()]).toEqual([n, null]);
      await age(wait - 30);
      expect([n, await pendiente()]).toEqual([n, null]);
      await age(60);
      expect([n, await pendiente()]).toEqual([n, 'REINTENTO']);
    }
    await load();
    expect(await pendiente()).toBeNull();
    for (let n = 0; n < 60; n += 1) await load({ sha256: 'f'.repeat(64) });
    expect(await count('efos_carga')).toBeLessThanOrEqual(51);
  });
});

describe('the EDOS list of the operator', () => {
  const edos = () => createListaEdos(database.db);
  const autor = { actor: 'prueba', ip: null };
  const consultar = async (rfc: string) => (await listas().consultar(rfc)).edos;

  it('answers under its name, is replaced whole, and goes', async () => {
    expect([await edos().estado(), await consultar('AAA010101000')]).toEqual([null, null]);
    await edos().importar({
      fuente: 'Comité de riesgos',
      rfcs: ['AAA010101000', 'AAA010101001', 'AAA010101000'],
      ...autor,
    });
    expect(await edos().estado()).toMatchObject({ fuente: 'Comité de riesgos', rfcs: 2 });
    expect(await consultar('AAA010101000')).toEqual({ fuente: 'Comité de riesgos', estaListado: true });
    expect(await consultar('AAA010101002')).toEqual({ fuente: 'Comité de riesgos', estaListado: false });
    await edos().importar({ fuente: 'Otra', rfcs: ['AAA010101002'], ...autor });
    expect(await consultar('AAA010101000')).toEqual({ fuente: 'Otra', estaListado: false });
    expect([await edos().remove(autor), await edos().remove(autor), await consultar('AAA010101002')]).toEqual([
      true,
      false,
      null,
    ]);
    const { rows } = await database.db.pool.query('SELECT actor, accion FROM auditoria ORDER BY id');
    expect(rows.map(({ actor, accion }) => `${actor} ${accion}`)).toEqual([
      'prueba importar-edos',
      'prueba importar-edos',
      'prueba borrar-edos',
    ]);
  });

  it('is of one import, however many come at once', async () => {
    const sources = ['a', 'b', 'c', 'd'];
    await Promise.all(sources.map((fuente, n) => edos().importar({ fuente, rfcs: rfcs(300, n * 1_000), ...autor })));
    const estado = await edos().estado();
    const n = sources.indexOf(estado?.fuente ?? '');
    const { rows } = await database.db.pool.query<{ rfc: string }>('SELECT rfc FROM edos_rfc');
    expect(new Set(rows.map(({ rfc }) => rfc))).toEqual(new Set(rfcs(300, n * 1_000)));
  });
});

it('efos/consultar reads a few blocks of a list of 14,500, as many as the real one had in 2026, and the planner knows', async () => {
  const todos = rfcs(14_500);
  const [fila] = filas('500-1', 1);
  if (!fila) throw new Error('no row');
  await load({ filas: todos.map((rfc) => ({ ...fila, rfc, nombre: `Empresa ${rfc}` })) });
  await createListaEdos(database.db).importar({ fuente: 'Comité', rfcs: todos, actor: 'prueba', ip: null });
  const plans = await examine(() => listas().consultar(todos[7_000] ?? ''));
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan.jit, plan.text).toBe(false);
    expect(plan.blocks, plan.text).toBeLessThan(40);
    expect(plan.cost, plan.text).toBeLessThan(200);
  }
});
