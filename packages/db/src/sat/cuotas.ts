import type { Cuotas } from '@acuse/core';
import type { Database } from '../database.ts';
import { isOne } from '../statements.ts';

/** Quotas of earlier days of the RFC go with it: only one day counts. */
const TAKE = `
WITH vieja AS (DELETE FROM cuota_sat WHERE rfc = $1 AND $2 LIKE 'dia:%' AND clave LIKE 'dia:%' AND clave < $2)
INSERT INTO cuota_sat AS c (rfc, clave, tomadas) SELECT $1, $2, $4::int WHERE $4::int <= $3
ON CONFLICT (rfc, clave) DO UPDATE SET tomadas = c.tomadas + excluded.tomadas, tomada_en = now() WHERE c.tomadas + excluded.tomadas <= $3
RETURNING 1`;

/** Quotas over PostgreSQL. */
export function createCuotas({ pool }: Pick<Database, 'pool'>): Cuotas {
  return { take: ({ rfc, clave, maximo, cuantos }) => isOne(pool, TAKE, [rfc, clave, maximo, cuantos]) };
}
