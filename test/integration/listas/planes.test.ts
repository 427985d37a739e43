import { createCargaListas, createListaEdos, createListas } from '@acuse/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { examine } from '../fixtures/planes.ts';
import { rfcs } from './archivo.ts';
import { abrir } from './version-fingida.ts';

/** As many as the real list 69-B had in 2026. */
const TODOS = rfcs(14_500);

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  const filas = TODOS.map((rfc) => ({
    rfc,
    nombre: `Empresa ${rfc}`,
    situacion: 'DEFINITIVO' as const,
    historial: [{ situacion: 'DEFINITIVO' as const, oficio: '500-1', fechaSat: null, fechaDof: null }],
  }));
  await createCargaListas(t.db).cargar({ abrir: abrir({ filas }), minFilas: 1 }, AbortSignal.timeout(60_000));
  await createListaEdos(t.db).importar({ fuente: 'Comité', rfcs: TODOS, actor: 'prueba', ip: null });
});
afterAll(() => t.close());

test('efos/consultar reads a few blocks of a list of 14,500, and the planner knows that it will', async () => {
  const plans = await examine(() => createListas(t.db).consultar(TODOS[7_000] ?? ''));
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan.jit, plan.text).toBe(false);
    expect(plan.blocks, plan.text).toBeLessThan(40);
    expect(plan.cost, plan.text).toBeLessThan(200);
  }
});
