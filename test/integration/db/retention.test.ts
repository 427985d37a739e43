import { createClaims, createRetention, createSolicitudes, type Database } from '@acuse/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { brokenInvariants, newSolicitud, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';

const DAYS = { traceDays: 90, auditDays: 1_825 };

const t = useDatabase();
let ana: Taxpayer;
beforeAll(async () => {
  ana = await seedTaxpayer(t.db, { saldo: 100 });
});

const count = async (table: string, where = 'true') =>
  Number((await t.db.pool.query(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)).rows[0]?.n);

/** Prunes until nothing is left to do; gives the number of turns. */
async function pruneAll(db: Database, limit: number): Promise<number> {
  for (let turns = 1; ; turns += 1) if (!(await createRetention(db).prune({ ...DAYS, limit }))) return turns;
}

/**
 * A solicitud with parts, packages and events that ended so many days ago, its objects deleted unless `keepsObjects`.
 */
async function ended(days: number, { keepsObjects = false } = {}): Promise<string> {
  const id = await newSolicitud(t.db, ana, { desde: '2024-01-01', hasta: '2024-01-31' });
  const claims = createClaims(t.db);
  const claimed = await claimOf(t.db, id);
  const periodos = [{ inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' }];
  const con = await claims.goOn(claimed, { nuevas: { reemplaza: null, periodos }, eventos: [{ tipo: 'ACEPTADA' }] });
  const parteId = con.partes[0]?.id ?? '';
  const una = await claims.goOn(con, { partes: [{ parteId, paquetes: ['p1'] }] });
  await claims.fail(una, { estado: 'ERROR', motivo: 'SAT_RECHAZADA' });
  await t.sql`INSERT INTO riesgo_paquete (solicitud_id, rfc, lista, supuesto, es_adverso, nombre, ingresos, ingresos_monto, egresos, egresos_monto)
    VALUES (${id}, 'PRO010101AB1', '69-B', 'Presunto', true, 'Uno', 1, 1.00, 0, 0)`;
  await t.sql`UPDATE solicitud SET terminada_en = now() - make_interval(days => ${days}),
    objetos_borrados_en = CASE WHEN ${keepsObjects} THEN NULL ELSE now() END WHERE id = ${id}`;
  return id;
}

describe('retention', { shuffle: false }, () => {
  test('deletes the traces of what ended long ago and keeps those of the rest; the ledger and the solicitud stay', async () => {
    const old = await ended(91);
    const withObjects = await ended(91, { keepsObjects: true });
    const young = await ended(89);
    const ledger = await count('movimiento');
    const traces = async (id: string) => [
      await count('parte', `solicitud_id = '${id}'`),
      await count('paquete_sat', `parte_id IN (SELECT id FROM parte WHERE solicitud_id = '${id}')`),
      (await count('evento', `solicitud_id = '${id}'`)) > 0,
      await count('riesgo_paquete', `solicitud_id = '${id}'`),
    ];
    expect(await traces(old)).toEqual([1, 1, true, 1]);
    await pruneAll(t.db, 100);
    expect(await traces(old)).toEqual([0, 0, false, 0]);
    for (const id of [withObjects, young]) expect(await traces(id)).toEqual([1, 1, true, 1]);
    expect(await count('solicitud', `id = '${old}' AND estado = 'ERROR' AND rastro_borrado_en IS NOT NULL`)).toBe(1);
    expect(await count('movimiento')).toBe(ledger);
    expect(await brokenInvariants(t.db)).toEqual([]);
  });

  test('keeps the audit log for the years that the settings say, and deletes from its beginning only', async () => {
    await t.sql`INSERT INTO auditoria (actor, accion, en) SELECT 'prueba', 'poda', now() - make_interval(days => d)
    FROM unnest(ARRAY[2000, 1900, 1824, 1]) d`;
    // Earlier lines of the log become older than the first page.
    await t.sql`UPDATE auditoria SET en = now() - interval '9 years' WHERE accion <> 'poda'`;
    await pruneAll(t.db, 100);
    const rows = await t.sql`SELECT extract(day FROM now() - en)::int AS days FROM auditoria ORDER BY id`;
    expect(rows).toEqual([{ days: 1824 }, { days: 1 }]);
  });

  test('forgets what expired by itself: answers of repeated calls, running queries, heartbeats, notes of deleted documents', async () => {
    const ages = ['2 hours', '5 days', '200 days'];
    const { contribuyenteId, apiKeyId } = ana;
    for (const age of ages) {
      await t.sql`INSERT INTO idempotencia (api_key_id, operacion, clave, cuerpo_hash, op_id, bloqueada_hasta, creada_en)
       VALUES (${apiKeyId}, 'x', ${age}::text, '\\x00', gen_random_uuid(), now(), now() - ${age}::text::interval)`;
      await t.sql`INSERT INTO consulta_en_curso (contribuyente_id, clave, folio, inicio, fin, creada_en)
      VALUES (${contribuyenteId}, ${age}::text, 'f', 'i', 'f', now() - ${age}::text::interval)`;
      await t.sql`INSERT INTO latido (proceso, rol, visto_en) VALUES (${age}::text, 'x', now() - ${age}::text::interval)`;
      await t.sql`INSERT INTO llamada_hecha (contribuyente_id, en, op_id, operacion, http, codigo, ms, request_id)
       VALUES (${contribuyenteId}, now() - ${age}::text::interval, gen_random_uuid(), 'x', 200, 1, 1, 'r')`;
      await t.sql`INSERT INTO documento (id, contribuyente_id, tipo, object_key, bytes, sha256, borrado_en)
       VALUES (gen_random_uuid(), ${contribuyenteId}, 'opinion', ${age}::text, 1, 'a', now() - ${age}::text::interval)`;
    }
    await t.sql`INSERT INTO documento (id, contribuyente_id, tipo, object_key, bytes, sha256, creado_en)
     VALUES (gen_random_uuid(), ${contribuyenteId}, 'opinion', 'kept', 1, 'a', now() - interval '9 years')`;
    await pruneAll(t.db, 100);
    expect([await count('idempotencia'), await count('consulta_en_curso'), await count('latido')]).toEqual([1, 1, 1]);
    expect(await count('llamada_hecha')).toBe(2);
    const rows = await t.sql`SELECT object_key FROM documento ORDER BY 1`;
    expect(rows.map((row) => row.object_key)).toEqual(['2 hours', '5 days', 'kept']);
  });

  test('deletes in batches, and several processes at once delete each row once without waiting for one another', async () => {
    await t.sql`INSERT INTO idempotencia (api_key_id, operacion, clave, cuerpo_hash, op_id, bloqueada_hasta, creada_en)
     SELECT ${ana.apiKeyId}, 'lote', 'c' || n, '\\x00', gen_random_uuid(), now(), now() - interval '2 days'
       FROM generate_series(1, 1000) n`;
    const holder = await t.db.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM idempotencia WHERE operacion = 'lote' AND clave IN ('c1', 'c2') FOR UPDATE`);
      await createRetention(t.db).prune({ ...DAYS, limit: 100 });
      expect(await count('idempotencia', `operacion = 'lote'`)).toBe(900);
      await Promise.all([1, 2, 3].map(() => pruneAll(t.db, 100)));
      // Another transaction holds these two rows; the purge skipped them.
      expect(await count('idempotencia', `operacion = 'lote'`)).toBe(2);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await pruneAll(t.db, 100);
    expect(await count('idempotencia', `operacion = 'lote'`)).toBe(0);
  });

  test('counts a look that found what the last one found in its row, and writes a new row for anything else', async () => {
    const solicitudId = await newSolicitud(t.db, ana, { desde: '2023-01-01', hasta: '2023-01-31' });
    const claims = createClaims(t.db);
    const claimed = await claimOf(t.db, solicitudId);
    const look = { tipo: 'SAT_EN_PROCESO' } as const;
    const silence = { tipo: 'SAT_SIN_RESPUESTA', codigo: 'TIMEOUT', detalle: 'SAT_SIN_RESPUESTA' } as const;
    for (const eventos of [[look], [look], [look], [silence], [silence], [{ ...silence, codigo: '500' }], [look]])
      await claims.save(claimed, { eventos });
    await claims.save(claimed, { eventos: [{ tipo: 'SIN_CFDI' }] });
    await claims.save(claimed, { eventos: [{ tipo: 'SIN_CFDI' }] });
    const rows = await t.sql`SELECT tipo, codigo, veces, ultima_en >= en AS later FROM evento
    WHERE solicitud_id = ${solicitudId} ORDER BY id`;
    expect(rows).toEqual([
      { tipo: 'SAT_EN_PROCESO', codigo: null, veces: 3, later: true },
      { tipo: 'SAT_SIN_RESPUESTA', codigo: 'TIMEOUT', veces: 2, later: true },
      { tipo: 'SAT_SIN_RESPUESTA', codigo: '500', veces: 1, later: null },
      { tipo: 'SAT_EN_PROCESO', codigo: null, veces: 1, later: null },
      { tipo: 'SIN_CFDI', codigo: null, veces: 1, later: null },
      { tipo: 'SIN_CFDI', codigo: null, veces: 1, later: null },
    ]);
    const [newest, , third] = await createSolicitudes(t.db).timeline(ana.cuentaId, solicitudId, { limit: 9 });
    expect([newest?.veces, third?.veces]).toEqual([1, 1]);
  });
});
