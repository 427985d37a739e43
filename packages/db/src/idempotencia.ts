import type { ClaveIdempotencia, RespuestaIdempotencia, ResultadoIdempotencia } from '@acuse/core';
import type { Database } from './database.ts';
import { execute, rowOf, rowsOf } from './statements.ts';

/**
 * Inserts a row, or takes over a row that is too old or has an expired lock; then returns the row. An attempt after a
 * refund gets a new `op_id`: the old one cannot be charged again.
 */
const BEGIN = `
WITH tomada AS (
  INSERT INTO idempotencia AS i (api_key_id, operacion, clave, cuerpo_hash, op_id, bloqueada_hasta)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
  ON CONFLICT (api_key_id, operacion, clave) DO UPDATE SET
    bloqueada_hasta = excluded.bloqueada_hasta,
    op_id = CASE WHEN i.creada_en < now() - interval '24 hours'
                   OR EXISTS (SELECT FROM movimiento m WHERE m.op_id = i.op_id AND m.tipo = 'reembolso')
                 THEN excluded.op_id ELSE i.op_id END,
    cuerpo_hash = excluded.cuerpo_hash,
    creada_en = CASE WHEN i.creada_en < now() - interval '24 hours' THEN now() ELSE i.creada_en END,
    status = NULL, sobre = NULL
  WHERE i.creada_en < now() - interval '24 hours'
     OR (i.status IS NULL AND i.bloqueada_hasta <= now() AND i.cuerpo_hash = excluded.cuerpo_hash)
  RETURNING op_id
)
SELECT (SELECT op_id FROM tomada) AS ahead, i.cuerpo_hash = $4 AS es_igual, i.status, i.sobre,
       ceil(extract(epoch FROM i.bloqueada_hasta - now()))::int AS espera
FROM (SELECT 1) uno LEFT JOIN idempotencia i ON i.api_key_id = $1 AND i.operacion = $2 AND i.clave = $3`;

/** The attempt of a request: its key, and what it may charge under. */
const ATTEMPT = 'WHERE api_key_id = $1 AND operacion = $2 AND clave = $3 AND op_id = $4';
const FINISH = `UPDATE idempotencia SET status = $5, sobre = $6 ${ATTEMPT}`;
const REOPEN = `UPDATE idempotencia SET bloqueada_hasta = now() - interval '1 second' ${ATTEMPT} AND status IS NULL`;
const RELEASE = `DELETE FROM idempotencia ${ATTEMPT} AND status IS NULL`;

const KEEP_TROZOS = `INSERT INTO idempotencia (api_key_id, operacion, clave, cuerpo_hash, op_id, bloqueada_hasta, status, sobre)
SELECT $1, $2, t.clave, $3, $4, now(), $5, t.sobre FROM unnest($6::text[], $7::bytea[]) AS t (clave, sobre)`;

const TROZOS = `SELECT clave, sobre FROM idempotencia
WHERE api_key_id = $1 AND operacion = $2 AND clave = ANY ($3::text[]) AND cuerpo_hash = $4 AND creada_en > now() - interval '24 hours'`;

interface Row {
  ahead: string | null;
  es_igual: boolean | null;
  status: number | null;
  sobre: Buffer | null;
  espera: number | null;
}

/** The attempt of a request: which, and what it charges under. */
type Attempt = ClaveIdempotencia & { readonly opId: string };

/** Answers kept for 24 hours so that a repeated request is neither run nor charged again. By the database's clock. */
export function createIdempotencia({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Claims the request by one insert, or tells what became of the earlier one. A row older than 24 hours counts as
     * absent. A row without an answer whose lock is over is taken over by exactly one caller. `cuerpoHash`: 32 bytes
     * that are equal for equal bodies of this request and key, and tell nothing of them; `opId`: a UUIDv7, the identity
     * of the charge when this is the first time; `bloqueoSegundos`: how long the first attempt may take before another
     * may take it over.
     */
    async begin(
      inicio: Attempt & { readonly cuerpoHash: Buffer; readonly bloqueoSegundos: number },
    ): Promise<ResultadoIdempotencia> {
      const { apiKeyId, operacion, clave, cuerpoHash, opId, bloqueoSegundos } = inicio;
      const row = await rowOf<Row>(pool, BEGIN, [apiKeyId, operacion, clave, cuerpoHash, opId, bloqueoSegundos]);
      if (row?.ahead) return { resultado: 'ADELANTE', opId: row.ahead };
      // Inserted by another between the snapshot and the conflict: it is in flight.
      if (!row || row.es_igual === null) return { resultado: 'EN_CURSO', libreEn: 1 };
      if (!row.es_igual) return { resultado: 'OTRO_CUERPO' };
      if (row.status !== null && row.sobre !== null)
        return { resultado: 'CONTESTADA', status: row.status, sobre: row.sobre };
      return { resultado: 'EN_CURSO', libreEn: Math.max(1, row.espera ?? 1) };
    },

    /** Keeps the answer; nothing when the row is no longer under this `opId`. */
    async finish({ apiKeyId, operacion, clave, opId, status, sobre }: RespuestaIdempotencia): Promise<void> {
      await execute(pool, FINISH, [apiKeyId, operacion, clave, opId, status, sobre]);
    },

    /**
     * Keeps a list for its later pages for 24 hours, in pieces under names (`clave`) that no key of a caller has.
     * `cuerpoHash`: of the question, as in {@link begin}.
     */
    async keepTrozos(
      lista: Pick<Attempt, 'apiKeyId' | 'operacion' | 'opId'> & {
        readonly cuerpoHash: Buffer;
        readonly status: number;
        readonly trozos: readonly { readonly clave: string; readonly sobre: Buffer }[];
      },
    ): Promise<void> {
      const { apiKeyId, operacion, cuerpoHash, opId, status, trozos } = lista;
      const columns = [trozos.map(({ clave }) => clave), trozos.map(({ sobre }) => sobre)];
      await execute(pool, KEEP_TROZOS, [apiKeyId, operacion, cuerpoHash, opId, status, ...columns]);
    },

    /** Those of these pieces that are kept for the same question, by their names. */
    async trozos(
      buscados: Pick<Attempt, 'apiKeyId' | 'operacion'> & {
        readonly claves: readonly string[];
        readonly cuerpoHash: Buffer;
      },
    ): Promise<ReadonlyMap<string, Buffer>> {
      const { apiKeyId, operacion, claves, cuerpoHash } = buscados;
      const values = [apiKeyId, operacion, claves, cuerpoHash];
      const rows = await rowsOf<{ clave: string; sobre: Buffer }>(pool, TROZOS, values);
      return new Map(rows.map(({ clave, sobre }) => [clave, sobre]));
    },

    /** It is not known whether it was done: the next repetition goes on at once, under this same `opId`. */
    async reopen({ apiKeyId, operacion, clave, opId }: Attempt): Promise<void> {
      await execute(pool, REOPEN, [apiKeyId, operacion, clave, opId]);
    },

    /** Forgets a failed and refunded request, so that it can be made again. Only under this `opId`. */
    async release({ apiKeyId, operacion, clave, opId }: Attempt): Promise<void> {
      await execute(pool, RELEASE, [apiKeyId, operacion, clave, opId]);
    },
  };
}
