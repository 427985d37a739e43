import { type IncomingMessage, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createContribuyentes, createLibro, createUso, type Database } from '@acuse/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { newRfc } from '../fixtures/database.ts';
import { writeLibro } from './fixtures/libro-largo.ts';
import { type Panel, type Persona, startPanel } from './fixtures/panel.ts';

const OPERACIONES = ['tax/facturas', 'tax/retenciones', 'usuario/datos-fiscales', 'descarga/consulta-cfdi'];

/** Rows of the long ledger: a million when everything is proven. */
const LARGO = inject('isThorough') ? 1_000_000 : 100_000;
const FILAS_CSV = 100_000;

setFlagsFromString('--expose-gc');
/** Frees what nothing refers to, so that what is measured is what is held. */
const collect = runInNewContext('gc') as () => void;

let panel: Panel;
let ana: Persona;
let rareRfc = '';
beforeAll(async () => {
  panel = await startPanel();
  ana = await panel.registrar();
  const contribuyentes = createContribuyentes(panel.db);
  const add = (rfc: string) => contribuyentes.add({ cuentaId: ana.cuentaId, rfc, actor: 'prueba', ip: null });
  const many = [await add(newRfc()), await add(newRfc())].map(({ id }) => id);
  await writeLibro(panel.databaseUrl, {
    cuentaId: ana.cuentaId,
    contribuyentes: many,
    operaciones: OPERACIONES,
    filas: LARGO,
    segundos: 20,
  });
  rareRfc = newRfc();
  await add(rareRfc);
  await panel.db.pool.query('ANALYZE movimiento');
}, 600_000);
afterAll(() => panel.close());

/** Every statement that a function of the panel sends, with what PostgreSQL did for it. */
async function explain(run: (db: Pick<Database, 'pool'>) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const pool = new Proxy(panel.db.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name);
      return async (query: { text: string; values: unknown[] }) => {
        const text = `EXPLAIN (ANALYZE, BUFFERS) ${query.text}`;
        const { rows } = await target.query<{ 'QUERY PLAN': string }>(text, query.values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return target.query(query.text, query.values);
      };
    },
  });
  await run({ pool });
  return plans;
}

/** Pages (8 KiB) of tables and indexes that a plan looked at, in all. */
function buffersOf(plan: string): number {
  const [, hit = '0', read = '0'] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
  return Number(hit) + Number(read);
}

/** Rows of the ledger that were read to be thrown away. */
const discardedOf = (plan: string) =>
  [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].reduce((sum, [, rows]) => sum + Number(rows), 0);

it('finds any page of a long ledger by its index: what it reads does not grow with what is before or after', async () => {
  const { cuentaId } = ana;
  const at = new Date(Date.now() - (LARGO / 2) * 20_000);
  const middle = { creadoEn: at, id: '999999999' };
  const day = { desde: new Date(at.getTime() - 86_400_000), hasta: at };
  const cases = {
    'first page': { filtro: {} },
    'middle page': { filtro: {}, antes: middle },
    'a day in the middle': { filtro: day },
    'an RFC': { filtro: { rfc: rareRfc } },
    'an RFC, charges of a day': { filtro: { rfc: rareRfc, tipo: 'cargo' as const, ...day } },
    'an RFC, its purchases': { filtro: { rfc: rareRfc, tipo: 'compra' as const } },
    'an operation that it never used': { filtro: { operacion: 'tax/comunicados' } },
    'an operation, from the middle': { filtro: { operacion: 'tax/facturas' }, antes: middle },
    purchases: { filtro: { tipo: 'compra' as const } },
    'refunds, from the middle': { filtro: { tipo: 'reembolso' as const }, antes: middle },
    'adjustments, of which there is none': { filtro: { tipo: 'ajuste' as const } },
  };
  for (const [name, input] of Object.entries(cases)) {
    const [plan = ''] = await explain((db) => createLibro(db).page({ cuentaId, limite: 51, ...input }));
    expect(buffersOf(plan), `${name}\n${plan}`).toBeLessThan(400);
    expect(discardedOf(plan), `${name}\n${plan}`).toBeLessThan(10);
  }
});

it('sums usage up from days, not from calls', async () => {
  const { cuentaId } = ana;
  const plans = await explain(async (db) => {
    await createUso(db).byDay({ cuentaId, desde: '2020-01-01', hasta: '2100-01-01' });
    await createUso(db).byMonth({ cuentaId, desde: '2020-01-01' });
    await createUso(db).operaciones(cuentaId);
  });
  expect(plans).toHaveLength(3);
  for (const plan of plans) {
    expect(plan).toContain('uso_dia');
    expect(plan).not.toMatch(/ on movimiento/);
  }
});

it('exports 100,000 rows to a reader who stops without reading ahead, and whole once he goes on', async () => {
  let read = 0;
  const libro = createLibro({
    pool: new Proxy(panel.db.pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name);
        return async (query: Parameters<typeof target.query>[0]) => {
          const result = await target.query(query);
          read += result.rows.length;
          return result;
        };
      },
    }),
  });
  const { streamCsv } = await import('../../../apps/panel/src/pages/saldo/libro-csv.ts');
  const batch = 2_000;
  const reader = streamCsv(libro.all({ cuentaId: ana.cuentaId, filtro: {}, batch }), {
    withBom: false,
  }).getReader();
  let lines = -1;
  while (lines < FILAS_CSV - 1) {
    const { value, done } = await reader.read();
    if (done) break;
    lines += Buffer.from(value).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
    // The lot that is being read, and one that waits: never more, however long the ledger.
    expect(read).toBeLessThanOrEqual(lines + 1 + 2 * batch);
  }
  expect(lines).toBeGreaterThanOrEqual(FILAS_CSV - 1);
  await reader.cancel();
  const before = read;
  expect((await reader.read()).done).toBe(true);
  expect(read).toBe(before);
});

it('sends the whole ledger over HTTP with the memory of a few lots, and goes on with other pages meanwhile', async () => {
  const cookie = [...ana.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  let bytes = 0;
  let lines = -1;
  let others = 0;
  const samples: number[] = [];
  const sample = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    samples.push(heapUsed + arrayBuffers);
  };
  await ana.get('/saldo/movimientos');
  sample();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${panel.url}/saldo/movimientos.csv`, { headers: { cookie } }, resolve).on('error', reject).end();
  });
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
    if (lines < others * (LARGO / 10)) continue;
    others += 1;
    expect((await ana.get('/saldo/movimientos')).status).toBe(200);
    sample();
  }
  expect(lines).toBe(LARGO);
  expect(others).toBeGreaterThanOrEqual(10);
  expect(bytes).toBeGreaterThan(LARGO * 100);
  const [start = 0] = samples;
  expect(Math.max(...samples) - start).toBeLessThan(bytes / 2);
});

it('knows the balance without counting: the chain ends in it', async () => {
  const { rows } = await panel.db.pool.query<{ saldo: number }>('SELECT saldo FROM cuenta WHERE id = $1', [
    ana.cuentaId,
  ]);
  const [newest] = await createLibro(panel.db).page({ cuentaId: ana.cuentaId, filtro: {}, limite: 1 });
  expect(newest?.saldo).toBe(rows[0]?.saldo);
  await createLibro(panel.db).abonar({
    cuentaId: ana.cuentaId,
    creditos: 5,
    referencia: 'uno',
    detalle: 'x',
    actor: 'prueba',
    ip: null,
  });
  const [next] = await createLibro(panel.db).page({ cuentaId: ana.cuentaId, filtro: {}, limite: 1 });
  expect(next?.saldo).toBe((newest?.saldo ?? 0) + 5);
});
