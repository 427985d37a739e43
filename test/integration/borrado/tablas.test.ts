import { randomBytes } from 'node:crypto';
import { inventory, MAPA } from '@acuse/borrado';
import { createProgram, openDeps } from '@acuse/cli';
import { quotaRfc } from '@acuse/core';
import { createCuotas } from '@acuse/db';
import { beforeAll, expect, inject, it } from 'vitest';
import { acuse, UNSEEN } from '../fixtures/cli.ts';
import { newRfc, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { createBucket } from '../fixtures/objetos.ts';
import { fillTables } from './filas.ts';

const t = useDatabase();
const bucket = `t-${randomBytes(6).toString('hex')}`;
beforeAll(() => createBucket({ bucket }));
const DELETED = Object.keys(MAPA).filter((tabla) => MAPA[tabla]?.trato === 'borra');

const config = () => {
  const { endpoint, accessKeyId, secretAccessKey } = inject('s3');
  return {
    DATABASE_URL: t.url,
    QUEUE_URL: t.url,
    S3_BUCKET: bucket,
    S3_REGION: 'us-east-1',
    S3_FORCE_PATH_STYLE: true,
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
};
const borrar = ({ rfc, cuentaId }: Taxpayer) =>
  acuse(config(), 'contribuyente', 'borrar', rfc, '--cuenta', cuentaId, '--no-esperar');
/** Deletes as after ten minutes: earlier work may write until then. */
async function borrarDelTodo(taxpayer: Taxpayer) {
  await borrar(taxpayer);
  await t.sql`UPDATE borrado SET cerrado_en = cerrado_en - interval '10 minutes'`;
  return borrar(taxpayer);
}
const isActive = async ({ apiKeyId }: Taxpayer) =>
  (await t.sql`SELECT FROM api_key WHERE id = ${apiKeyId} AND estado = 'ACTIVA'`).length === 1;

it('deletes a row of every table that is marked for deletion', async () => {
  const taxpayer = await seedTaxpayer(t.db);
  const there = await inventory(t.db, taxpayer);
  await fillTables(
    t.db.pool,
    DELETED.filter((tabla) => there[tabla] === 0),
    taxpayer,
  );
  const before = await inventory(t.db, taxpayer);
  expect(DELETED.filter((tabla) => (before[tabla] ?? 0) === 0)).toEqual([]);
  expect(await borrarDelTodo(taxpayer)).toMatchObject([{ contribuyente_id: taxpayer.contribuyenteId, numero: 1 }]);
  const after = await inventory(t.db, taxpayer);
  expect(DELETED.filter((tabla) => (after[tabla] ?? 0) > 0)).toEqual([]);
});

it('deletes the quotas of test keys with those of the RFC', async () => {
  const taxpayer = await seedTaxpayer(t.db);
  const { take } = createCuotas(t.db);
  const owners = (['live', 'test'] as const).map((modo) => quotaRfc(modo, taxpayer.rfc));
  for (const rfc of owners) await take({ rfc, clave: 'xml:a', maximo: 2, cuantos: 1 });
  await borrarDelTodo(taxpayer);
  expect(await t.sql`SELECT FROM cuota_sat WHERE rfc = ANY (${owners})`).toEqual([]);
});

it('revokes no key where a table that the map does not name would hold rows of the taxpayer', async () => {
  const taxpayer = await seedTaxpayer(t.db);
  await t.sql`CREATE TABLE ajena (contribuyente_id uuid NOT NULL REFERENCES contribuyente)`;
  await t.sql`INSERT INTO ajena VALUES (${taxpayer.contribuyenteId}::uuid)`;
  await expect(borrar(taxpayer)).rejects.toThrow('no conoce estas tablas: ajena (de contribuyente)');
  expect(await isActive(taxpayer)).toBe(true);
  expect(await t.sql`SELECT FROM borrado WHERE contribuyente_id = ${taxpayer.contribuyenteId}`).toEqual([]);
  await t.sql`DROP TABLE ajena`;
  expect(await borrar(taxpayer)).toMatchObject([{ estado: 'CERRADO' }]);
  expect(await isActive(taxpayer)).toBe(false);
});

it('goes on with the other accounts after one that fails, and rejects in the end', async () => {
  const rfc = newRfc();
  const both = [await seedTaxpayer(t.db, { rfc }), await seedTaxpayer(t.db, { rfc })];
  for (const { contribuyenteId } of both)
    await t.sql`INSERT INTO documento (id, contribuyente_id, tipo, object_key, bytes, sha256)
      VALUES (gen_random_uuid(), ${contribuyenteId}::uuid, 'opinion', ${contribuyenteId}, 1, 'x')`;
  const [first, second] = both.sort((a, b) => (a.cuentaId < b.cuentaId ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error('two accounts');
  const deps = openDeps(
    config(),
    () => {},
    () => {},
  );
  const eraser = await deps.openEraser();
  const erase = async (prefix: string) => {
    if (prefix === first.contribuyenteId) throw new Error('the storage went away');
    return eraser.erase(prefix);
  };
  const program = createProgram(
    () => ({ ...deps, openEraser: async () => ({ ...eraser, erase }) }),
    () => {},
    UNSEEN,
  );
  const args = ['contribuyente', 'borrar', rfc, '--todas-las-cuentas', '--no-esperar'];
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(
    `No se terminó en 1 de 2 cuentas. Corrija la causa y repita la orden.\n${first.cuentaId}: the storage went away`,
  );
  await deps.close();
  const left =
    await t.sql`SELECT contribuyente_id::text AS de FROM documento WHERE contribuyente_id = ANY (${both.map((each) => each.contribuyenteId)}::uuid[])`;
  expect(left).toEqual([{ de: first.contribuyenteId }]);
  expect(await isActive(second)).toBe(false);
});
