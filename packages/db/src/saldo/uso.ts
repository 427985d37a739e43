import type { Database } from '../database.ts';
import { rowOf, rowsOf } from '../statements.ts';
import type { TipoMovimiento } from './libro.ts';

/** Credits used by one operation on one day of central Mexico: charges minus refunds of that day. */
export interface UsoDia {
  /** yyyy-mm-dd. */
  readonly dia: string;
  readonly operacion: string;
  /** Calls that were charged. */
  readonly llamadas: number;
  readonly cargados: number;
  readonly reembolsados: number;
}

/** Sums of a month of central Mexico, yyyy-mm. Credits; charges as a positive number. */
export interface TotalMes {
  readonly mes: string;
  readonly compras: number;
  readonly cargos: number;
  readonly reembolsos: number;
  readonly ajustes: number;
  readonly llamadas: number;
}

const sum = (tipo: TipoMovimiento, sign = '') =>
  `coalesce(${sign}sum(importe) FILTER (WHERE tipo = '${tipo}'), 0)::integer`;
const CALLS = `coalesce(sum(movimientos) FILTER (WHERE tipo = 'cargo'), 0)::integer AS llamadas`;

/**
 * What an account used, from the sums that the ledger keeps by day: the work does not grow with the number of calls.
 */
export function createUso({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Usage from `desde` to `hasta` (days of central Mexico, yyyy-mm-dd, both included), by day and operation. */
    async byDay(input: { cuentaId: string; desde: string; hasta: string }): Promise<UsoDia[]> {
      return rowsOf<UsoDia>(
        pool,
        `SELECT to_char(dia, 'YYYY-MM-DD') AS dia, operacion, ${CALLS}, ${sum('cargo', '-')} AS cargados, ${sum('reembolso')} AS reembolsados
               FROM uso_dia WHERE cuenta_id = $1 AND dia BETWEEN $2::date AND $3::date AND tipo IN ('cargo', 'reembolso')
               GROUP BY uso_dia.dia, operacion ORDER BY uso_dia.dia, operacion`,
        [input.cuentaId, input.desde, input.hasta],
      );
    },

    /**
     * Totals by month, newest first, of the months that have movements; `desde` is the first day looked at
     * (yyyy-mm-dd).
     */
    async byMonth(input: { cuentaId: string; desde: string }): Promise<TotalMes[]> {
      return rowsOf<TotalMes>(
        pool,
        `SELECT to_char(dia, 'YYYY-MM') AS mes, ${sum('compra')} AS compras, ${sum('cargo', '-')} AS cargos,
                      ${sum('reembolso')} AS reembolsos, ${sum('ajuste')} AS ajustes, ${CALLS}
               FROM uso_dia WHERE cuenta_id = $1 AND dia >= $2::date GROUP BY to_char(dia, 'YYYY-MM') ORDER BY 1 DESC`,
        [input.cuentaId, input.desde],
      );
    },

    /** The operations that an account was ever charged for, by name. */
    async operaciones(cuentaId: string): Promise<string[]> {
      const text = `SELECT DISTINCT operacion FROM uso_dia WHERE cuenta_id = $1 AND operacion <> '' ORDER BY 1`;
      return (await rowsOf<{ operacion: string }>(pool, text, [cuentaId])).map(({ operacion }) => operacion);
    },
  };
}

export type Uso = ReturnType<typeof createUso>;

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
SELECT c.saldo, (
  SELECT json_build_object('creadoEn', m.creado_en::text, 'id', m.id::text) FROM movimiento m WHERE m.cuenta_id = c.id
  ORDER BY m.creado_en DESC, m.id DESC LIMIT 1
) AS ultimo FROM cuenta c WHERE c.id = $1`;

const SINCE = `
SELECT c.saldo, (
  SELECT coalesce(-sum(m.importe), 0)::integer FROM movimiento m
  WHERE m.cuenta_id = c.id AND m.operacion = $2 AND (m.creado_en, m.id) > ($3::timestamptz, $4::bigint)
) AS cobrado FROM cuenta c WHERE c.id = $1`;

/** The cost of one call, from the ledger. */
export function createCobros({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null when there is no such account. */
    mark: (cuentaId: string) => rowOf<MarcaLibro>(pool, MARK, [cuentaId]),

    /** What `operacion` (a path such as `tax/facturas`) cost since the mark. */
    async since(cuentaId: string, operacion: string, { ultimo }: MarcaLibro): Promise<Cobro | null> {
      return rowOf<Cobro>(pool, SINCE, [cuentaId, operacion, ultimo?.creadoEn ?? '-infinity', ultimo?.id ?? '0']);
    },
  };
}
