import { CUBETAS, cubetaDe, GRUPOS_DE_CUENTAS, WEEKS_OF_ESPERAS } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute, rowOf } from '../statements.ts';

/** Waits for the taxpayer's e.firma do not count: the authority did not cause them. */
const WAITED = `
SELECT s.modo, s.canal, s.tipo, min(p.solicitada_en) AS pedida, extract(epoch FROM now() - min(p.solicitada_en))::float8 AS segundos,
  (1::bigint << (get_byte(uuid_send(s.cuenta_id), 15) % ${GRUPOS_DE_CUENTAS}))::text AS grupo
FROM solicitud s JOIN parte p ON p.solicitud_id = s.id AND p.vacias = '{}' AND p.solicitada_en IS NOT NULL
WHERE s.id = $1 AND NOT EXISTS (SELECT FROM evento v WHERE v.solicitud_id = s.id AND v.tipo = 'ESPERA_EFIRMA') GROUP BY s.id`;

const ADD = `
INSERT INTO espera_sat AS e (dia, hora, modo, canal, tipo, descargas, grupos, cubetas)
SELECT w.local::date, extract(hour FROM w.local), $2, $3, $4, 1, $5, array_fill(0, ARRAY[$6::int]) || 1 || array_fill(0, ARRAY[${CUBETAS - 1} - $6::int])
FROM (SELECT $1::timestamptz AT TIME ZONE 'America/Mexico_City' AS local) w
ON CONFLICT (dia, hora, modo, canal, tipo) DO UPDATE SET descargas = e.descargas + 1, grupos = e.grupos | excluded.grupos,
  cubetas[$6::int + 1] = e.cubetas[$6::int + 1] + 1`;

const PRUNE = `DELETE FROM espera_sat WHERE dia < (now() AT TIME ZONE 'America/Mexico_City')::date - ${7 * WEEKS_OF_ESPERAS}`;

interface Waited {
  readonly modo: string;
  readonly canal: string;
  readonly tipo: string;
  readonly pedida: Date;
  readonly segundos: number;
  readonly grupo: string;
}

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
      const waited = await rowOf<Waited>(pool, WAITED, [solicitudId]);
      if (waited === null) return;
      const { modo, canal, tipo, pedida, segundos, grupo } = waited;
      await execute(pool, ADD, [pedida, modo, canal, tipo, grupo, cubetaDe(segundos)]);
      if (now() - prunedAt < PRUNE_MS) return;
      prunedAt = now();
      await execute(pool, PRUNE);
    },
  };
}
