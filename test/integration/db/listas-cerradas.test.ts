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

  test('operacion, to which migrate adds missing rows and keeps older ones', async () => {
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
