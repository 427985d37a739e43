import { GRUPOS_DE_CUENTAS, LIMITES, WEEKS_OF_ESPERAS } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute } from '../statements.ts';

/** Waits for the taxpayer's e.firma do not count: the authority did not cause them. */
const NOTE = `
INSERT INTO espera_sat AS e (dia, hora, modo, canal, tipo, descargas, grupos, cubetas)
SELECT w.local::date, extract(hour FROM w.local), w.modo, w.canal, w.tipo, 1, w.grupo,
  array_fill(0, ARRAY[w.cubeta]) || 1 || array_fill(0, ARRAY[cardinality($2::float8[]) - w.cubeta])
FROM (
  SELECT s.modo, s.canal, s.tipo, min(p.solicitada_en) AT TIME ZONE 'America/Mexico_City' AS local,
    width_bucket(extract(epoch FROM now() - min(p.solicitada_en))::float8, $2::float8[]) AS cubeta,
    1::bigint << (get_byte(uuid_send(s.cuenta_id), 15) % ${GRUPOS_DE_CUENTAS}) AS grupo
  FROM solicitud s JOIN parte p ON p.solicitud_id = s.id AND p.vacias = '{}' AND p.solicitada_en IS NOT NULL
  WHERE s.id = $1 AND NOT EXISTS (SELECT FROM evento v WHERE v.solicitud_id = s.id AND v.tipo = 'ESPERA_EFIRMA') GROUP BY s.id
) w
ON CONFLICT (dia, hora, modo, canal, tipo) DO UPDATE SET descargas = e.descargas + 1, grupos = e.grupos | excluded.grupos,
  cubetas = ARRAY(SELECT t.antes + t.nueva FROM unnest(e.cubetas, excluded.cubetas) AS t (antes, nueva))`;

const PRUNE = `DELETE FROM espera_sat WHERE dia < (now() AT TIME ZONE 'America/Mexico_City')::date - ${7 * WEEKS_OF_ESPERAS}`;

/** Milliseconds between two deletions of old rows by this process. */
const PRUNE_MS = 3_600_000;

/** The history of how long downloads take, over PostgreSQL. */
export function createEsperas(
  { pool }: Pick<Database, 'pool'>,
  { now = Date.now }: { readonly now?: () => number } = {},
) {
  let prunedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Counts the wait of a solicitud at the SAT, once, when its last package becomes ready. */
    async note(solicitudId: string): Promise<void> {
      if ((await execute(pool, NOTE, [solicitudId, LIMITES])) === 0) return;
      if (now() - prunedAt < PRUNE_MS) return;
      prunedAt = now();
      await execute(pool, PRUNE);
    },
  };
}
