import { randomBytes } from 'node:crypto';
import { migrate } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { createDatabase } from '@acuse/embedded';
import { flowsOf } from '../integration/fixtures/flujos.ts';
import { fillDatabase } from '../integration/fixtures/gran-base.ts';
import { examine } from '../integration/fixtures/planes.ts';

/** Longest that a statement may take on a warm cache, milliseconds. */
const AIM_MS = 50;

const megabytes = (bytes: string) => `${Math.round(Number(bytes) / 1e6)} MB`;

/**
 * How long each statement of the service takes with so many solicitudes, and how large the tables are: those above
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
    for (const [name, flow] of Object.entries(flowsOf(db, base)))
      for (const run of [flow].flat())
        for (const { ms, blocks, sql } of await examine(() => run().catch(() => {}), { isWarm: true })) {
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
