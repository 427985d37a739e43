import type { EstadoSolicitud } from '@acuse/contract';
import { type Aceptacion, type NuevaSolicitud, ResultadoIncierto } from '@acuse/core';
import type { Database } from '../database.ts';
import { isUniqueViolation, sendOnce } from '../errors.ts';
import { prepared } from '../statements.ts';

/** Operation name in the ledger. */
const OPERACION = 'tax/descarga-metadata';

/**
 * Accepts any number of requests of different accounts: for each of them debit, solicitud, ledger row, sealed
 * credential and ring, or nothing. Rows are locked in order of their ids, so that two statements never wait for each
 * other.
 */
export const ACCEPT = `
/* accept */ WITH pedido AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::date[], $9::date[],
                       $10::text[], $11::integer[], $12::timestamptz[], $13::text[], $14::text[], $15::text[], $16::bytea[], $17::timestamptz[],
                       $18::text[], $19::text[], $20::bytea[], $21::timestamptz[], $22::text[], $23::text[], $24::boolean[])
    AS p (id, cuenta_id, contribuyente_id, api_key_id, version, rfc, tipo, desde, hasta, canal, costo, deadline_at, idem_key,
          credencial_tipo, kid, sobre, expira_en, otra_tipo, otra_kid, otra_sobre, otra_expira_en, formato, traceparent, capsula)
), pase AS MATERIALIZED (
  SELECT p.id FROM pedido p JOIN contribuyente c ON c.id = p.contribuyente_id
  WHERE c.version = p.version AND p.expira_en > now()
    AND EXISTS (SELECT FROM api_key k WHERE k.id = p.api_key_id AND k.estado = 'ACTIVA')
  ORDER BY c.id FOR SHARE OF c
), igual AS MATERIALIZED (
  SELECT p.id AS pedido, s.id, s.estado FROM pedido p CROSS JOIN LATERAL (
    SELECT id, estado FROM solicitud
    WHERE api_key_id = p.api_key_id AND tipo = p.tipo AND desde = p.desde AND hasta = p.hasta AND formato = p.formato
      AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')
    UNION ALL
    SELECT id, estado FROM solicitud WHERE api_key_id = p.api_key_id AND idem_key = p.idem_key
    UNION ALL
    SELECT id, estado FROM solicitud WHERE id = p.id
    LIMIT 1
  ) s
), con_saldo AS MATERIALIZED (
  SELECT c.id, p.id AS pedido, p.costo FROM pedido p JOIN cuenta c ON c.id = p.cuenta_id
  WHERE c.saldo >= p.costo AND p.id IN (SELECT id FROM pase) AND p.id NOT IN (SELECT pedido FROM igual)
  ORDER BY c.id FOR UPDATE OF c
), cargo AS (
  UPDATE cuenta c SET saldo = c.saldo - q.costo FROM con_saldo q WHERE c.id = q.id AND c.saldo >= q.costo RETURNING q.pedido
), nueva AS (
  INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, costo, rfc, tipo, desde, hasta, formato, canal, deadline_at, idem_key, traceparent, capsula)
  SELECT id, cuenta_id, contribuyente_id, api_key_id, costo, rfc, tipo, desde, hasta, formato, canal, deadline_at, idem_key, traceparent, capsula
  FROM pedido JOIN cargo ON cargo.pedido = id
), libro AS (
  INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id)
  SELECT cuenta_id, contribuyente_id, id, 'cargo', -costo, '${OPERACION}', id FROM pedido JOIN cargo ON cargo.pedido = id WHERE costo > 0
), sellada AS (
  INSERT INTO credencial_sellada (solicitud_id, tipo, kid, sobre, expira_en)
  SELECT id, credencial_tipo, kid, sobre, expira_en FROM pedido JOIN cargo ON cargo.pedido = id
  UNION ALL
  SELECT id, otra_tipo, otra_kid, otra_sobre, otra_expira_en FROM pedido JOIN cargo ON cargo.pedido = id WHERE otra_tipo IS NOT NULL
), salida AS (
  INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
  SELECT id, 1, 'descargas', cuenta_id, now() FROM pedido JOIN cargo ON cargo.pedido = id
)
SELECT p.id, p.id IN (SELECT id FROM pase) AS pase, p.id IN (SELECT pedido FROM cargo) AS aceptada,
       igual.id AS igual, igual.estado AS igual_estado
FROM pedido p LEFT JOIN igual ON igual.pedido = p.id`;

interface AcceptRow {
  id: string;
  pase: boolean;
  aceptada: boolean;
  igual: string | null;
  igual_estado: EstadoSolicitud | null;
}

const COLUMNS: readonly ((nueva: NuevaSolicitud) => unknown)[] = [
  (n) => n.id,
  (n) => n.cuentaId,
  (n) => n.contribuyenteId,
  (n) => n.apiKeyId,
  (n) => n.version.toString(),
  (n) => n.rfc,
  (n) => n.tipo,
  (n) => n.desde,
  (n) => n.hasta,
  (n) => n.canal,
  (n) => n.costo,
  (n) => n.deadlineAt,
  (n) => n.idemKey,
  (n) => n.sellada.tipo,
  (n) => n.sellada.kid,
  (n) => n.sellada.sobre,
  (n) => n.sellada.expiraEn,
  (n) => n.otra?.tipo ?? null,
  (n) => n.otra?.kid ?? null,
  (n) => n.otra?.sobre ?? null,
  (n) => n.otra?.expiraEn ?? null,
  (n) => n.formato,
  (n) => n.traceparent ?? null,
  (n) => n.isConCapsula ?? false,
];

function aceptacionOf(row: AcceptRow): Aceptacion {
  // Its own id is there when an earlier try was carried out without saying so.
  if (row.aceptada || row.igual === row.id) return { resultado: 'ACEPTADA', solicitudId: row.id };
  if (!row.pase) return { resultado: 'PASE_VENCIDO' };
  if (row.igual !== null && row.igual_estado !== null)
    return { resultado: 'DUPLICADA', solicitudId: row.igual, estado: row.igual_estado };
  return { resultado: 'SALDO_INSUFICIENTE' };
}

/**
 * Accepts requests of different accounts in one statement; the answers are in the order of `nuevas`. The statement
 * begins before `until`, on the clock of `performance.now`, or not at all. One of which nothing is known is put once
 * more, which finds what the first one did; rejects with `ResultadoIncierto` when that is not known either.
 */
export async function acceptAll(
  { pool }: Pick<Database, 'pool'>,
  nuevas: readonly NuevaSolicitud[],
  until: number,
): Promise<Aceptacion[]> {
  const values = COLUMNS.map((column) => nuevas.map(column));
  const run = () => sendOnce<AcceptRow>(pool, prepared(ACCEPT, values), until);
  const { rows } = await run().catch((error) => {
    if (error instanceof ResultadoIncierto)
      return run().catch(() => {
        throw error;
      });
    // An equal one was being accepted at this moment; everything of ours is rolled back and the other row is visible
    // now.
    if (!isUniqueViolation(error)) throw error;
    return run();
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return nuevas.map(({ id }) => {
    const row = byId.get(id);
    if (!row) throw new Error('the acceptance answered nothing for one of its requests');
    return aceptacionOf(row);
  });
}
