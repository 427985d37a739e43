import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { seedTaxpayer, testDatabase } from '../fixtures/database.ts';

const sqlOf = (name: string) =>
  readFile(new URL(`../../../prisma/migrations/${name}/migration.sql`, import.meta.url), 'utf8');

test('the migration that removes the terms of article 49 Bis keeps every row of theirs in the audit log', async () => {
  const { db, sql, close } = await testDatabase();
  onTestFinished(close);
  await db.pool.query(await sqlOf('20261123192600_aviso_49bis'));
  const { cuentaId, contribuyenteId } = await seedTaxpayer(db);
  const [suyo, deTodos] = [randomUUID(), randomUUID()];
  const en = '2026-07-11T12:00:00+00:00';
  const publicado_en = '2026-07-10';
  await sql`INSERT INTO aviso_49bis (id, contribuyente_id, rfc, publicado_en, nota, creado_en) VALUES
    (${suyo}, ${contribuyenteId}, 'PRO010101AB1', ${publicado_en}, 'DOF', ${en}), (${deTodos}, NULL, 'PRO020202AB2', ${publicado_en}, NULL, ${en})`;
  const webhook = { solo: randomUUID(), ambos: randomUUID() };
  await sql`INSERT INTO webhook (id, cuenta_id, url, eventos) VALUES
    (${webhook.solo}, ${cuentaId}, 'https://a.example', '{plazo.por_vencer}'),
    (${webhook.ambos}, ${cuentaId}, 'https://b.example', '{saldo.bajo,plazo.por_vencer}')`;
  // Its trigger emits the event.
  await sql`INSERT INTO aviso_49bis_dicho (aviso_id, contribuyente_id, dias, quedan, en) VALUES (${suyo}, ${contribuyenteId}, 30, 29, ${en})`;
  expect(await sql`SELECT FROM webhook_entrega`).toHaveLength(2);

  await db.pool.query(await sqlOf('20261124170300_sin_aviso_49bis'));
  const line = { cuenta_id: cuentaId, contribuyente_id: contribuyenteId, accion: 'retirar-aviso-49bis' };
  const lines =
    await sql`SELECT cuenta_id, contribuyente_id, accion, detalle FROM auditoria WHERE actor = 'migracion' ORDER BY accion, detalle->>'proveedor'`;
  expect(lines).toEqual([
    {
      ...{ ...line, contribuyente_id: null, accion: 'borrar-webhook' },
      detalle: { webhook: webhook.solo, url: 'https://a.example' },
    },
    { ...line, detalle: { id: suyo, proveedor: 'PRO010101AB1', publicado_en, nota: 'DOF', creado_en: en } },
    {
      ...{ ...line, cuenta_id: null, contribuyente_id: null },
      detalle: { id: deTodos, proveedor: 'PRO020202AB2', publicado_en, nota: null, creado_en: en },
    },
    {
      ...{ ...line, accion: 'retirar-aviso-49bis-dicho' },
      detalle: { aviso_id: suyo, proveedor: 'PRO010101AB1', dias: 30, quedan: 29, en },
    },
  ]);
  expect(await sql`SELECT id, eventos FROM webhook`).toEqual([{ id: webhook.ambos, eventos: ['saldo.bajo'] }]);
  expect(await sql`SELECT FROM webhook_evento`).toEqual([]);
  expect(await sql`SELECT relname FROM pg_class WHERE relname LIKE '%49bis%'`).toEqual([]);
});
