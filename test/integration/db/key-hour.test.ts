import { createAccessSnapshots, createBoveda } from '@acuse/db';
import { expect, it } from 'vitest';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
const KEYS = 1_000;

it('1,000 keys of e.firmas, a second apart: each is given until its second of the database, and gone at the next reaping', async () => {
  const { contribuyenteId } = await seedTaxpayer(t.db);
  // One taxpayer after the other would take minutes: copies of one, their hours ending from 500 s ago to in 500 s.
  const rows = await t.sql<{ llave: string; expira: Date }>`WITH dueno AS (
       INSERT INTO contribuyente (id, cuenta_id, rfc)
       SELECT gen_random_uuid(), c.cuenta_id, 'K' || lpad(n::text, 11, '0')
       FROM contribuyente c, generate_series(1, ${KEYS}) n WHERE c.id = ${contribuyenteId}
         RETURNING id, substr(rfc, 2)::integer AS n
     ), llave AS (
       INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4)
       SELECT substr(md5(d.id::text), 1, 12), d.id, 'test', sha256(d.id::text::bytea), 1, 'abcd' FROM dueno d
       RETURNING id, contribuyente_id
     ), credencial AS (
       INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, expira_en)
       SELECT gen_random_uuid(), d.id, l.id, 'efirma_key', 'k1', '\\x00', now() + make_interval(secs => d.n - ${KEYS} / 2)
       FROM dueno d JOIN llave l ON l.contribuyente_id = d.id RETURNING id, api_key_id, expira_en
     ), trozo AS (
       INSERT INTO efirma_shred (credencial_id, llave, expira_en) SELECT id, '\\x00', expira_en FROM credencial
     )
     SELECT api_key_id AS llave, expira_en AS expira FROM credencial`;
  expect(rows).toHaveLength(KEYS);
  const [snapshots, boveda] = [createAccessSnapshots(t.db), createBoveda(t.db)];
  const seen = { given: 0, refused: 0 };
  for (const { llave, expira } of rows) {
    const before = await boveda.now();
    const isGiven = (await snapshots.load(llave))?.efirmaKey != null;
    const after = await boveda.now();
    seen[isGiven ? 'given' : 'refused'] += 1;
    if (expira <= before) expect([llave, isGiven]).toEqual([llave, false]);
    if (expira > after) expect([llave, isGiven]).toEqual([llave, true]);
  }
  expect(seen.given).toBeGreaterThan(KEYS / 4);
  expect(seen.refused).toBeGreaterThanOrEqual(KEYS / 2);

  const before = await boveda.now();
  await boveda.reap();
  for (const table of ['credencial', 'efirma_shred']) {
    const left = await t.db.pool.query<{ expira: Date }>(`SELECT expira_en AS expira FROM ${table}`);
    expect([table, left.rows.filter(({ expira }) => expira <= before)]).toEqual([table, []]);
    const alive = rows.filter(({ expira }) => expira > new Date(before.getTime() + 30_000));
    expect(left.rowCount).toBeGreaterThanOrEqual(alive.length);
  }
});
