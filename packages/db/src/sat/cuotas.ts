import type { Cuotas } from '@acuse/core';
import type { Database } from '../database.ts';
import { isOne } from '../statements.ts';

/** Taking from the quota of a day deletes the quotas of the days before of that RFC. */
const TAKE = `
WITH vieja AS (DELETE FROM cuota_sat WHERE rfc = $1 AND $2 LIKE 'dia:%' AND clave LIKE 'dia:%' AND clave < $2)
INSERT INTO cuota_sat AS c (rfc, clave, tomadas) SELECT $1, $2, $4::int WHERE $4::int <= $3
ON CONFLICT (rfc, clave) DO UPDATE SET tomadas = c.tomadas + excluded.tomadas WHERE c.tomadas + excluded.tomadas <= $3
RETURNING 1`;

/** Quotas over PostgreSQL. */
export function createCuotas({ pool }: Pick<Database, 'pool'>): Cuotas {
  return { take: ({ rfc, clave, maximo, cuantos }) => isOne(pool, TAKE, [rfc, clave, maximo, cuantos]) };
}
