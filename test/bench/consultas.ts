import { randomBytes } from 'node:crypto';
import {
  createAuditoria,
  createBacklog,
  createCuentas,
  createLibro,
  createListaSolicitudes,
  createOutbox,
  createRetention,
  createSaludPublica,
  createSweeper,
  createUso,
  migrate,
} from '@acuse/db';
import { openRecords, type Records } from '@acuse/db/records';
import { createDatabase } from '@acuse/embedded';
import { fillDatabase, type GranBase } from '../integration/fixtures/gran-base.ts';
import { examine } from '../integration/fixtures/planes.ts';

/** Longest that a statement may take on a warm cache, milliseconds. */
const AIM_MS = 50;

const megabytes = (bytes: string) => `${Math.round(Number(bytes) / 1e6)} MB`;

/** Reads of the panel and turns of the loops: their statements are those that a large installation makes longer. */
function callsOf(db: Records, { cuentaId, rfc }: GranBase): Readonly<Record<string, () => Promise<unknown>>> {
  const lista = createListaSolicitudes(db);
  const libro = createLibro(db);
  const sweeper = createSweeper(db);
  const periodo = { desde: '1980-01-01', hasta: '1980-12-31' };
  return {
    page: () => lista.page(cuentaId, {}, null, 25),
    'page of a period': () => lista.page(cuentaId, { rfc, periodo }, null, 25),
    'page of a text': () => lista.page(cuentaId, { texto: 'ffffff' }, null, 25),
    counts: () => lista.counts(cuentaId),
    summary: () => lista.summary(cuentaId),
    ledger: () => libro.page({ cuentaId, filtro: { rfc, operacion: 'tax/retenciones' }, limite: 51 }),
    balance: () => libro.summary(cuentaId),
    usage: () => createUso(db).byMonth({ cuentaId, desde: '2020-01-01' }),
    audit: () => createAuditoria(db).list({ accion: 'nunca', cuentaId, limite: 51 }),
    accounts: () => createCuentas(db).search({ texto: 'cuenta5', salta: 0, limite: 25 }),
    health: () => createSaludPublica(db).read(new Date()),
    backlog: () => createBacklog(db).read({ timeoutMs: 60_000 }),
    outbox: () => createOutbox(db).drain({ graceSeconds: 30 }, async () => {}),
    retire: () => sweeper.retire({ retentionDays: 30, limit: 500 }),
    purgeable: () => sweeper.purgeable({ graceSeconds: 7_200, limit: 500 }),
    prune: () => createRetention(db).prune({ traceDays: 90, auditDays: 300, limit: 100 }),
  };
}

/**
 * How long each statement of these calls takes with so many solicitudes, and how large the tables are: those above
 * the aim by name.
 */
export async function benchConsultas(postgresUrl: string, solicitudes: number): Promise<void> {
  const url = await createDatabase(postgresUrl, `bench_${randomBytes(4).toString('hex')}`);
  await migrate(url);
  const started = performance.now();
  const base = await fillDatabase(url, { solicitudes });
  console.log(`consultas: ${solicitudes} solicitudes filled in ${Math.round((performance.now() - started) / 1_000)} s`);
  const db = openRecords({ url, poolSize: 6, timeoutMs: 120_000, applicationName: 'bench' });
  try {
    const { rows } = await db.pool.query<{ name: string; bytes: string }>(
      `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC LIMIT 8`,
    );
    console.log(`consultas: ${rows.map(({ name, bytes }) => `${name} ${megabytes(bytes)}`).join(', ')}`);
    let [statements, slow] = [0, 0];
    for (const [name, run] of Object.entries(callsOf(db, base)))
      for (const { ms, blocks, sql } of await examine(run, { isWarm: true })) {
        statements += 1;
        if (ms <= AIM_MS) continue;
        slow += 1;
        console.log(`consultas: ${name}: ${ms.toFixed(0)} ms, ${blocks} blocks: ${sql.trim().slice(0, 120)}`);
      }
    console.log(`consultas: ${slow} of ${statements} plans above ${AIM_MS} ms`);
  } finally {
    await db.close();
  }
}
