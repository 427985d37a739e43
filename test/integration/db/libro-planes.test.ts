import { createContribuyentes, createLibro, type FiltroMovimientos } from '@acuse/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { newRfc, seedTaxpayer, type Taxpayer, type TestDatabase, useDatabase } from '../fixtures/database.ts';
import { forgetStatistics } from '../fixtures/planes.ts';
import { writeLibro } from '../panel/fixtures/libro-largo.ts';

const FILAS = 20_000;

const t = useDatabase({ timeoutMs: 60_000 });
let ana: Taxpayer;
let other = '';

beforeAll(async () => {
  ana = await seedTaxpayer(t.db, { saldo: 0 });
  other = newRfc();
  const { cuentaId } = ana;
  await createContribuyentes(t.db).add({ cuentaId, rfc: other, actor: 'prueba', ip: null });
  await t.sql`ALTER TABLE movimiento SET (autovacuum_enabled = false)`;
  // All of it by one taxpayer's calls to one operation: of any other, the planner expects as many.
  await writeLibro(t.url, {
    cuentaId,
    contribuyentes: [ana.contribuyenteId],
    operaciones: ['tax/facturas'],
    filas: FILAS,
    segundos: 20,
  });
});

/** Plans of the one statement that `run` sends, of its values and of any. */
async function explain(run: (db: TestDatabase['db']) => Promise<unknown>): Promise<readonly string[]> {
  const client = await t.db.pool.connect();
  const plans: string[] = [];
  const query = async (statement: { text: string; values: unknown[] }) => {
    const text = `EXPLAIN (ANALYZE, BUFFERS) ${statement.text}`;
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(text, statement.values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return { rows: [] };
  };
  try {
    await run({ ...t.db, pool: { query } as unknown as TestDatabase['db']['pool'] });
    return plans;
  } finally {
    await client.query('RESET plan_cache_mode');
    client.release();
  }
}

describe.each([
  ['that was analyzed', () => t.sql`ANALYZE movimiento`],
  ['that the planner knows nothing of', () => forgetStatistics(t.db, 'movimiento')],
])('a ledger of one operation, %s,', (_, knowledge) => {
  beforeAll(async () => void (await knowledge()));

  test.each<[string, () => FiltroMovimientos]>([
    ['an operation that it never used', () => ({ operacion: 'tax/retenciones' })],
    ['an operation that a taxpayer never used', () => ({ rfc: ana.rfc, operacion: 'tax/retenciones' })],
    ['the operation, by a taxpayer who never used it', () => ({ rfc: other, operacion: 'tax/facturas' })],
    ['the operation', () => ({ operacion: 'tax/facturas' })],
    ['the operation, by its taxpayer', () => ({ rfc: ana.rfc, operacion: 'tax/facturas' })],
    ['the purchases', () => ({ tipo: 'compra' })],
    ['adjustments, of which there is none', () => ({ tipo: 'ajuste' })],
    [
      'a day in the middle',
      () => ({ desde: new Date(Date.now() - 10_000 * 20_000), hasta: new Date(Date.now() - 6_000 * 20_000) }),
    ],
    [
      'a day in the middle of an operation and a taxpayer',
      () => ({
        rfc: ana.rfc,
        operacion: 'tax/facturas',
        desde: new Date(Date.now() - 10_000 * 20_000),
        hasta: new Date(Date.now() - 6_000 * 20_000),
      }),
    ],
  ])('gives %s by the index that has exactly those', async (_name, filtro) => {
    const [newest] = await createLibro(t.db).page({ cuentaId: ana.cuentaId, filtro: filtro(), limite: 1 });
    for (const antes of newest ? [{}, { antes: newest }] : [{}]) {
      const input = { cuentaId: ana.cuentaId, filtro: filtro(), limite: 51, ...antes };
      for (const plan of await explain((db) => createLibro(db).page(input))) {
        const [, hit = '0', read = '0'] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
        expect(Number(hit) + Number(read), plan).toBeLessThan(300);
        expect(plan).not.toMatch(/Rows Removed by Filter: \d{2}/);
      }
    }
  });

  test('gives spontaneous refunds without reading the others', async () => {
    const plans = await explain((db) => createLibro(db).devoluciones(50));
    expect(plans).toHaveLength(2);
    for (const plan of plans) expect(plan).not.toMatch(/Rows Removed by Filter/);
  });
});
