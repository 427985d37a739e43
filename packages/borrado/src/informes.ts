import { type Database, execute, inTransaction, rowOf, rowsOf } from '@acuse/db';
import type { Borrado } from './borrado.ts';

type Db = Pick<Database, 'pool'>;

/** Any number, the same in every process: who holds it writes the next report of the chain. */
const CHAIN = 310_031;

/** Report of a finished order. */
export interface Sealed {
  readonly numero: number;
  /** Its report, as it was hashed. */
  readonly informe: string;
  readonly huella: string;
}

/**
 * Ends an order with the report that `write` makes of its number, the hash of the previous report (null for the first)
 * and the time. The row then names no person. Null when another process ended the order.
 */
export const sealErasure = (
  { pool }: Db,
  { id }: Pick<Borrado, 'id'>,
  write: (of: { numero: number; anterior: string | null; terminadoEn: Date; contado: Borrado['contado'] }) => {
    informe: string;
    huella: string;
  },
): Promise<Sealed | null> =>
  inTransaction(pool, async (client) => {
    await execute(client, 'SELECT pg_advisory_xact_lock($1)', [CHAIN]);
    const row = await rowOf<{
      numero: number;
      anterior: string | null;
      terminadoEn: Date;
      contado: Borrado['contado'];
    }>(
      client,
      `SELECT coalesce(u.numero, 0) + 1 AS numero, u.huella AS anterior, now()::timestamptz(3) AS "terminadoEn", b.contado
       FROM borrado b LEFT JOIN (SELECT numero, huella FROM borrado WHERE numero IS NOT NULL ORDER BY numero DESC LIMIT 1) u ON true
       WHERE b.id = $1 AND b.terminado_en IS NULL FOR UPDATE OF b`,
      [id],
    );
    if (!row) return null;
    const { informe, huella } = write(row);
    await execute(
      client,
      'UPDATE borrado SET rfc = NULL, numero = $2, informe = $3, huella = $4, terminado_en = $5 WHERE id = $1',
      [id, row.numero, informe, huella, row.terminadoEn],
    );
    return { numero: row.numero, informe, huella };
  });

/** Every report, in the order of the chain. */
export const sealedErasures = ({ pool }: Db) =>
  rowsOf<Sealed & { rfcHuella: string }>(
    pool,
    `SELECT numero, informe, huella, rfc_huella AS "rfcHuella" FROM borrado WHERE numero IS NOT NULL ORDER BY numero`,
  );
