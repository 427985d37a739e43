import type { Database } from '../database.ts';
import { rowOf } from '../statements.ts';

/** Where the ledger of an account ended. */
export interface MarcaLibro {
  readonly saldo: number;
  /** PostgreSQL's own text of the time of the last movement, and its id; null in an empty ledger. */
  readonly ultimo: { readonly creadoEn: string; readonly id: string } | null;
}

/** What an operation cost between two looks at the ledger. */
export interface Cobro {
  /** Credits: charges less refunds of that operation; purchases and other operations do not count. */
  readonly cobrado: number;
  readonly saldo: number;
}

const MARK = `
SELECT c.saldo, u.creado_en, u.id FROM cuenta c LEFT JOIN LATERAL (
  SELECT m.creado_en::text AS creado_en, m.id::text AS id FROM movimiento m WHERE m.cuenta_id = c.id
  ORDER BY m.creado_en DESC, m.id DESC LIMIT 1
) u ON true WHERE c.id = $1`;

const SINCE = `
SELECT c.saldo, (
  SELECT coalesce(-sum(m.importe), 0)::integer FROM movimiento m
  WHERE m.cuenta_id = c.id AND m.operacion = $2 AND (m.creado_en, m.id) > ($3::timestamptz, $4::bigint)
) AS cobrado FROM cuenta c WHERE c.id = $1`;

/** The cost of one call, from the ledger. */
export function createCobros({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null when there is no such account. */
    async mark(cuentaId: string): Promise<MarcaLibro | null> {
      const row = await rowOf<{ saldo: number; creado_en: string | null; id: string | null }>(pool, MARK, [cuentaId]);
      if (!row) return null;
      const { saldo, creado_en: creadoEn, id } = row;
      return { saldo, ultimo: creadoEn === null || id === null ? null : { creadoEn, id } };
    },

    /** What `operacion` (a path such as `tax/facturas`) cost since the mark. */
    async since(cuentaId: string, operacion: string, { ultimo }: MarcaLibro): Promise<Cobro | null> {
      return rowOf<Cobro>(pool, SINCE, [cuentaId, operacion, ultimo?.creadoEn ?? '-infinity', ultimo?.id ?? '0']);
    },
  };
}
