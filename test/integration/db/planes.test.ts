import { beforeAll, expect, test } from 'vitest';
import { isTest, readSources } from '../../architecture/sources.ts';
import { useDatabase } from '../fixtures/database.ts';
import { flowsOf } from '../fixtures/flujos.ts';
import { ports } from '../fixtures/flujos-contexto.ts';
import { fillDatabase, type GranBase } from '../fixtures/gran-base.ts';
import { examine } from '../fixtures/planes.ts';

/** Enough that reading all of a table shows. */
const SOLICITUDES = 50_000;
/** Rows that one step of a statement may read: the greatest batch of a loop, or a limit of counting. */
const MOST_READ = 8_000;
/** Tables that grow with what customers do. */
const GROWING = [
  'solicitud',
  'parte',
  'paquete_sat',
  'evento',
  'paso',
  'movimiento',
  'auditoria',
  'documento',
  'idempotencia',
  'webhook_evento',
  'webhook_entrega',
  'webhook_intento',
  'correo',
];
/** An operator's own look at all accounts, at a terminal. */
const AT_A_TERMINAL = new Set(['createListaSolicitudes.all', 'createTrazas.read']);
/** Functions that write sums from memory or listen. */
const WITHOUT = new Set([
  'createSatMetrics.record',
  'createSatMetrics.close',
  'createOutbox.listen',
  'createEntregas.listen',
  'createCorreos.listen',
]);

const t = useDatabase({ timeoutMs: 60_000 });
let base: GranBase;
beforeAll(async () => {
  base = await fillDatabase(t.url, { solicitudes: SOLICITUDES });
});

test('no statement reads a growing table from end to end, nor more rows than a page or a batch needs', async () => {
  const wrong: string[] = [];
  for (const [name, flow] of Object.entries(flowsOf(t.db, base)))
    for (const run of [flow].flat()) {
      // What a function makes of the rows is tested elsewhere.
      const plans = await examine(() => run().catch(() => {}));
      if (plans.length === 0 && !WITHOUT.has(name)) wrong.push(`${name}: asked nothing`);
      for (const { nodes, jit, sql } of plans) {
        const scanned = nodes.find(({ kind, table }) => kind === 'Seq Scan' && GROWING.includes(table ?? ''));
        if (scanned && scanned.read > 1_000) wrong.push(`${name}: reads all of ${scanned.table}: ${sql}`);
        const most = Math.max(...nodes.map(({ read }) => read));
        if (!AT_A_TERMINAL.has(name) && nodes.some(({ table }) => GROWING.includes(table ?? '')) && most > MOST_READ)
          wrong.push(`${name}: reads ${most} rows: ${sql}`);
        if (jit) wrong.push(`${name}: is compiled: ${sql}`);
      }
    }
  expect(wrong).toEqual([]);
}, 300_000);

test('every repository that names a growing table is exported by the index of its package, where it needs a flow', () => {
  const isGrowing = new RegExp(`\\b(${GROWING.join('|')})\\b`);
  const outside = readSources()
    .filter((source) => /^packages\/db\/src\/\w+\/\w+\.ts$/.test(source.path) && !isTest(source))
    .filter(({ text }) =>
      [...text.matchAll(/^export function (create\w+)/gm)].some(([, name = '']) => !(name in ports)),
    );
  expect(outside.filter(({ text }) => isGrowing.test(text)).map(({ path }) => path)).toEqual([]);
});
