import { GRUPOS_DE_CUENTAS, LIMITES, WEEKS_OF_ESPERAS } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute } from '../statements.ts';
import { type FlushOptions, startFlush } from './flush.ts';

/**
 * Counts the waits of solicitudes ($1) that ended so many seconds ago ($2). Waits for the taxpayer's e.firma do not count:
 * the authority did not cause them.
 */
const NOTE = `
WITH espera AS (
  SELECT s.modo, s.canal, s.tipo, min(p.solicitada_en) AT TIME ZONE 'America/Mexico_City' AS local,
    width_bucket(extract(epoch FROM now() - min(p.solicitada_en))::float8 - l.hace, $3::float8[]) AS cubeta,
    1::bigint << (get_byte(uuid_send(s.cuenta_id), 15) % ${GRUPOS_DE_CUENTAS}) AS grupo
  FROM unnest($1::uuid[], $2::float8[]) AS l (id, hace) JOIN solicitud s ON s.id = l.id
  JOIN parte p ON p.solicitud_id = s.id AND p.vacias = '{}' AND p.solicitada_en IS NOT NULL
  WHERE NOT EXISTS (SELECT FROM evento v WHERE v.solicitud_id = s.id AND v.tipo = 'ESPERA_EFIRMA') GROUP BY s.id, l.hace
), suma AS (
  SELECT local::date AS dia, extract(hour FROM local) AS hora, modo, canal, tipo, count(*) AS descargas, bit_or(grupo) AS grupos,
    array_agg(cubeta) AS todas
  FROM espera GROUP BY 1, 2, 3, 4, 5
)
INSERT INTO espera_sat AS e (dia, hora, modo, canal, tipo, descargas, grupos, cubetas)
SELECT dia, hora, modo, canal, tipo, descargas, grupos,
  ARRAY(SELECT cardinality(array_positions(todas, i)) FROM generate_series(0, cardinality($3::float8[])) AS i ORDER BY i)
FROM suma ORDER BY 1, 2, 3, 4, 5
ON CONFLICT (dia, hora, modo, canal, tipo) DO UPDATE SET descargas = e.descargas + excluded.descargas, grupos = e.grupos | excluded.grupos,
  cubetas = ARRAY(SELECT t.antes + t.nueva FROM unnest(e.cubetas, excluded.cubetas) AS t (antes, nueva))`;

const PRUNE = `DELETE FROM espera_sat WHERE dia < (now() AT TIME ZONE 'America/Mexico_City')::date - ${7 * WEEKS_OF_ESPERAS}`;

/** Milliseconds between two deletions of old rows by this process. */
const PRUNE_MS = 3_600_000;

/** Waits kept in memory while the database is away. The oldest give way. */
const MAX_WAITING = 5_000;

/**
 * The history of how long downloads take, over PostgreSQL: kept in memory and written together. `now`: a clock of
 * milliseconds.
 */
export function createEsperas(
  { pool }: Pick<Database, 'pool'>,
  options: FlushOptions & { readonly now?: () => number } = {},
) {
  const { now = () => performance.now(), onError = () => {} } = options;
  /** When the wait of each solicitud ended. */
  let ended = new Map<string, number>();
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    if (ended.size === 0) return;
    const batch = ended;
    ended = new Map();
    try {
      const hace = [...batch.values()].map((at) => (now() - at) / 1_000);
      await execute(pool, NOTE, [[...batch.keys()], hace, LIMITES]);
    } catch (error) {
      ended = new Map([...batch, ...ended].slice(-MAX_WAITING));
      return onError(error);
    }
    if (now() - prunedAt < PRUNE_MS) return;
    prunedAt = now();
    // A failure here leaves the written waits as they are.
    await execute(pool, PRUNE).then(() => {}, onError);
  }

  return {
    /** Counts the wait of a solicitud at the SAT, once, when its last package becomes ready. */
    note(solicitudId: string): void {
      ended.set(solicitudId, now());
    },
    ...startFlush(write, options),
  };
}
