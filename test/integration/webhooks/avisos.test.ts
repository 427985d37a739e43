import { randomUUID } from 'node:crypto';
import { createRetention } from '@acuse/db';
import { createAvisos } from '@acuse/webhooks/db';
import { beforeEach, expect, it } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { examine } from '../fixtures/planes.ts';
import { createEmisor } from './fixtures/destinos.ts';
import { expectPublicados } from './fixtures/mensajes.ts';

const t = useDatabase();
const AJUSTES = { saldoAviso: 5, diasLlave: 90, diasAntes: [30, 7], limite: 100, pagina: 1_000 };
const DAY_MS = 86_400_000;
const FIN = new Date('2030-06-30T12:00:00.000Z');
/** So many days before the end of the certificates. */
const before = (days: number) => new Date(FIN.getTime() - days * DAY_MS);

let a: Taxpayer;
let webhookId: string;
beforeEach(async () => {
  await t.sql`TRUNCATE webhook CASCADE`;
  await t.sql`TRUNCATE credencial`;
  a = await seedTaxpayer(t.db);
  webhookId = (await createEmisor(t).newWebhook(a.cuentaId, 'http://127.0.0.1:9/')).id;
  await t.sql`UPDATE api_key SET creada_en = ${FIN}`;
});

const newCertificado = ({ contribuyenteId, apiKeyId }: Taxpayer, fin: Date) =>
  t.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, vigente_hasta)
    VALUES (${randomUUID()}, ${contribuyenteId}, ${apiKeyId}, 'efirma_cer', 'k1', '\\x00', ${fin})`;

/** Looks until there is nothing more to tell at once. */
async function look(at: Date, avisos = createAvisos(t.db), ajustes: Partial<typeof AJUSTES> = {}): Promise<void> {
  while (await avisos.look({ ...AJUSTES, ...ajustes, ahora: at }));
}

const told = async (id = webhookId) => {
  await expectPublicados(t);
  return (
    await t.sql<{ tipo: string; n: number }>`
      SELECT v.tipo, count(*)::int AS n FROM webhook_entrega e JOIN webhook_evento v ON v.id = e.evento_id WHERE e.webhook_id = ${id} GROUP BY 1 ORDER BY 1`
  ).map(({ tipo, n }) => `${n} ${tipo}`);
};

it('tells of a certificate once at each of its days, by a clock that jumps too, and of the last when nobody looked for days', async () => {
  await newCertificado(a, FIN);
  await look(before(31));
  expect(await told()).toEqual([]);
  await look(before(29));
  await look(before(28));
  // A clock that was set back, and one that jumped ahead and back.
  await look(before(40));
  await look(before(29));
  expect(await told()).toEqual(['1 credencial.por_vencer']);
  await look(before(6));
  await look(before(20));
  await look(before(5));
  expect(await told()).toEqual(['2 credencial.por_vencer']);
  await look(before(-1));
  expect(await told()).toEqual(['2 credencial.por_vencer']);

  const tarde = await seedTaxpayer(t.db);
  await t.sql`UPDATE api_key SET creada_en = ${FIN} WHERE id = ${tarde.apiKeyId}`;
  const { id } = await createEmisor(t).newWebhook(tarde.cuentaId, 'http://127.0.0.1:9/');
  await newCertificado(tarde, FIN);
  await look(before(3));
  expect(await told(id)).toEqual(['1 credencial.por_vencer']);
});

it('tells of all, each once, page by page, also when several processes look', async () => {
  const fines = [29, 20, 20, 20, 6];
  for (const days of fines) {
    const other = await seedTaxpayer(t.db);
    await t.sql`UPDATE contribuyente SET cuenta_id = ${a.cuentaId} WHERE id = ${other.contribuyenteId}`;
    await t.sql`UPDATE api_key SET creada_en = ${before(140)} WHERE id = ${other.apiKeyId}`;
    await newCertificado(other, new Date(before(0).getTime() + (days - 30) * DAY_MS));
  }
  const both = [createAvisos(t.db), createAvisos(t.db)];
  for (let turn = 0; turn < 4; turn += 1)
    await Promise.all(both.map((each) => look(before(29.5), each, { limite: 2, pagina: 2 })));
  expect(await told()).toEqual([`${fines.length} credencial.por_vencer`, `${fines.length} llave.por_rotar`]);
  // At the end it starts again.
  await newCertificado(a, before(29));
  for (let turn = 0; turn < 4; turn += 1) await look(before(29.5), both[0], { limite: 2, pagina: 2 });
  expect((await told())[0]).toBe(`${fines.length + 1} credencial.por_vencer`);
});

it('finds what ends soon by its time: what ends later, and keys that are young, are not read', async () => {
  const many = 3_000;
  const client = await t.db.pool.connect();
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica`);
    const values = [a.cuentaId, many, FIN];
    for (const text of [
      `INSERT INTO contribuyente (id, cuenta_id, rfc) SELECT md5('c' || n)::uuid, $1::uuid, 'XAXX' || lpad(n::text, 8, '0') FROM generate_series(1, $2::int) n WHERE $3::timestamptz IS NOT NULL`,
      `INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4, creada_en)
       SELECT 'z' || n, md5('c' || n)::uuid, 'test', '\\x00', 1, 'abcd', $3::timestamptz FROM generate_series(1, $2::int) n WHERE $1::uuid IS NOT NULL`,
      `INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, vigente_hasta)
       SELECT md5('v' || n)::uuid, md5('c' || n)::uuid, 'z' || n, 'efirma_cer', 'k1', '\\x00', $3::timestamptz + make_interval(days => 100 + n) FROM generate_series(1, $2::int) n WHERE $1::uuid IS NOT NULL`,
    ])
      await client.query(text, values);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  await t.sql`ANALYZE credencial, api_key, contribuyente, webhook`;
  await newCertificado(a, FIN);
  const plans = await examine(() => look(before(10)));
  expect(plans.length).toBeGreaterThan(3);
  for (const { nodes } of plans)
    for (const { table, read, kind } of nodes)
      if (['credencial', 'api_key', 'contribuyente'].includes(table ?? ''))
        expect([table, kind, read < 100]).toEqual([table, kind, true]);
  expect(await told()).toEqual(['1 credencial.por_vencer']);
});

it('tells nothing to an endpoint that is switched off at that moment', async () => {
  await newCertificado(a, FIN);
  const client = await t.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`UPDATE webhook SET estado = 'APAGADO', motivo = 'USUARIO', apagado_en = now() WHERE id = $1`, [
      webhookId,
    ]);
    const looked = look(before(10));
    await waitForLocks(t.db.pool, 1);
    await client.query('COMMIT');
    await looked;
  } finally {
    client.release();
  }
  expect(await told()).toEqual([]);
  await t.sql`UPDATE webhook SET estado = 'ACTIVO', motivo = NULL, apagado_en = NULL WHERE id = ${webhookId}`;
  await look(before(10));
  expect(await told()).toEqual(['1 credencial.por_vencer']);
});

it('forgets whom it told of what is long over, and goes with its endpoint', async () => {
  const left = () => t.sql`SELECT FROM webhook_aviso`;
  const prune = () => createRetention(t.db).prune({ traceDays: 90, auditDays: 400, limit: 100 });
  await t.sql`INSERT INTO webhook_aviso (webhook_id, clave, hasta) VALUES (${webhookId}, 'credencial.por_vencer uno', now() - interval '31 days')`;
  await t.sql`INSERT INTO webhook_aviso (webhook_id, clave, hasta) VALUES (${webhookId}, 'credencial.por_vencer otro', now() - interval '29 days')`;
  await t.sql`INSERT INTO webhook_aviso (webhook_id, clave) VALUES (${webhookId}, 'saldo.bajo')`;
  await prune();
  expect(await left()).toHaveLength(2);
  await t.sql`UPDATE webhook SET borrado_en = now(), estado = 'APAGADO', motivo = 'USUARIO', apagado_en = now() WHERE id = ${webhookId}`;
  await prune();
  expect([await left(), await t.sql`SELECT FROM webhook WHERE id = ${webhookId}`]).toEqual([[], []]);
});
