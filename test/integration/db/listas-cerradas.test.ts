import { readFile } from 'node:fs/promises';
import { OPERACIONES } from '@acuse/contract';
import { MOTIVOS_SOLICITUD, TIPOS_EVENTO } from '@acuse/core';
import { createContribuyentes, migrate } from '@acuse/db';
import { describe, expect, it, test } from 'vitest';
import { acceptSolicitud, seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

/** The words that a CHECK of the database allows. */
async function allowed(constraint: string): Promise<string[]> {
  const [row] = await t.sql`SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = ${constraint}`;
  return [...String(row?.['text']).matchAll(/'([^']+)'/g)].map(([, word]) => word ?? '').sort();
}

describe('the closed lists of the database are those of the types', () => {
  test.each([
    ['evento_tipo_check', TIPOS_EVENTO],
    ['solicitud_motivo_check', MOTIVOS_SOLICITUD],
  ])('%s', async (constraint, words) => {
    expect(await allowed(constraint)).toEqual([...words].sort());
  });

  test('operacion, to which a migration of no step adds what is missing and leaves what is older', async () => {
    const paths = async () => {
      const rows = await t.sql<{ path: string }>`SELECT path FROM operacion`;
      return rows.map(({ path }) => path).sort();
    };
    const current = OPERACIONES.map(({ path }) => path).sort();
    expect(await paths()).toEqual(current);
    await t.sql`UPDATE operacion SET path = 'usuario/anterior' WHERE path = 'efos/consultar'`;
    expect((await migrate(t.url)).aplicadas).toEqual([]);
    expect(await paths()).toEqual([...current, 'usuario/anterior'].sort());
  });
});

describe('the database refuses', () => {
  it.each([
    [
      'an event that nobody describes',
      'evento_tipo_check',
      `INSERT INTO evento (solicitud_id, tipo) SELECT id, 'AVANZO' FROM solicitud`,
    ],
    ['an end for no known reason', 'solicitud_motivo_check', `UPDATE solicitud SET motivo = 'PORQUE_SI'`],
    [
      'to switch off an operation that does not exist',
      'operacion_deshabilitada_operacion_fkey',
      `INSERT INTO operacion_deshabilitada SELECT id, 'tax/inventada' FROM contribuyente`,
    ],
    [
      'an audit line of a taxpayer without its account',
      'auditoria_cuenta_check',
      `INSERT INTO auditoria (contribuyente_id, actor, accion) SELECT id, 'x', 'x' FROM contribuyente`,
    ],
  ])('%s', async (_, constraint, sql) => {
    await acceptSolicitud(t.db, await seedTaxpayer(t.db));
    await expect(t.db.pool.query(sql)).rejects.toMatchObject({ constraint });
  });
});

it('keeps the changes of a taxpayer from the other accounts that have the same RFC', async () => {
  const mine = await seedTaxpayer(t.db);
  const theirs = await seedTaxpayer(t.db, { rfc: mine.rfc });
  const contribuyentes = createContribuyentes(t.db);
  const { cuentaId, rfc } = mine;
  const cambio = { cuentaId, rfc, actor: 'prueba', ip: '203.0.113.9' };
  const operaciones = ['tax/facturas'] as const;
  expect(await contribuyentes.setOperaciones({ ...cambio, operaciones, isHabilitada: false })).toBe(true);
  expect(await contribuyentes.setIdCif({ ...cambio, idCif: '12345678901' })).toBe(true);
  expect(await contribuyentes.find(theirs.cuentaId, rfc)).toMatchObject({ deshabilitadas: [], idCif: null });
  expect(await contribuyentes.find(cuentaId, rfc)).toMatchObject({ deshabilitadas: ['tax/facturas'] });
});

it('is migrated with the words, blocks and audit lines of before', async () => {
  const { contribuyenteId, cuentaId, ...taxpayer } = await seedTaxpayer(t.db);
  await acceptSolicitud(t.db, { contribuyenteId, cuentaId, ...taxpayer });
  const client = await t.db.pool.connect();
  const all = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows;
  try {
    await client.query('BEGIN');
    for (const [table, constraint] of [
      ['evento', 'evento_tipo_check'],
      ['solicitud', 'solicitud_motivo_check'],
      ['operacion_deshabilitada', 'operacion_deshabilitada_operacion_fkey'],
      ['auditoria', 'auditoria_cuenta_check'],
    ])
      await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`);
    await client.query('DROP TABLE operacion');
    const mine = `contribuyente_id = '${contribuyenteId}'`;
    await client.query(`UPDATE solicitud SET motivo = 'PORQUE_SI' WHERE ${mine}`);
    await client.query(`INSERT INTO evento (solicitud_id, tipo) SELECT id, 'AVANZO' FROM solicitud WHERE ${mine}`);
    await client.query(
      `INSERT INTO operacion_deshabilitada VALUES ('${contribuyenteId}', 'tax/inventada'), ('${contribuyenteId}', 'tax/facturas')`,
    );
    await client.query(
      `INSERT INTO ip_permitida SELECT '${contribuyenteId}', unnest(ARRAY['10.1.2.3/8', '10.9.9.9/8', '192.0.2.1/32', '2001:db8::/32'])`,
    );
    await client.query(
      `INSERT INTO auditoria (contribuyente_id, actor, accion) VALUES ('${contribuyenteId}', 'operador:cli', 'cambiar-ips')`,
    );
    await client.query('COMMIT');
    for (const name of ['20261122190000_listas_cerradas', '20261122200000_operaciones']) {
      const file = new URL(`../../../prisma/migrations/${name}/migration.sql`, import.meta.url);
      await client.query(await readFile(file, 'utf8'));
    }
    expect(await all('SELECT FROM operacion')).toHaveLength(22);
    expect(await all(`SELECT motivo FROM solicitud WHERE ${mine}`)).toEqual([[null]]);
    expect(
      await all(`SELECT e.tipo FROM evento e JOIN solicitud s ON s.id = e.solicitud_id WHERE s.${mine} ORDER BY e.id`),
    ).toContainEqual(['AVANZO']);
    expect(await all(`SELECT operacion FROM operacion_deshabilitada WHERE ${mine}`)).toEqual([['tax/facturas']]);
    expect(await all(`SELECT cidr FROM ip_permitida WHERE ${mine} ORDER BY cidr`)).toEqual([
      ['10.0.0.0/8'],
      ['192.0.2.1/32'],
      ['2001:db8::/32'],
    ]);
    expect(await all(`SELECT cuenta_id FROM auditoria WHERE ${mine} AND accion = 'cambiar-ips'`)).toEqual([[cuentaId]]);
  } finally {
    client.release();
  }
});
