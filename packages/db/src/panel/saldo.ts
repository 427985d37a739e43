import type { Database } from '../database.ts';

export const TIPOS_MOVIMIENTO = ['compra', 'cargo', 'reembolso', 'ajuste'] as const;
export type TipoMovimiento = (typeof TIPOS_MOVIMIENTO)[number];

/** A place in an account's ledger: after this row, or before it, the next page goes on. */
export interface CursorMovimiento {
  readonly creadoEn: Date;
  readonly id: string;
}

/** One row of the ledger; `saldo` is the account's balance after it. */
export interface MovimientoVista extends CursorMovimiento {
  readonly tipo: TipoMovimiento;
  /** Credits: negative for charges. */
  readonly importe: number;
  readonly saldo: number;
  /** Path of the operation without /api/v1/; null for purchases. */
  readonly operacion: string | null;
  readonly rfc: string | null;
  /** The call behind a charge and its refund. */
  readonly opId: string;
  readonly solicitudId: string | null;
  readonly pagoId: string | null;
  readonly detalle: string | null;
}

export interface FiltroMovimientos {
  /** First instant and first instant after. */
  readonly desde?: Date;
  readonly hasta?: Date;
  readonly rfc?: string;
  readonly operacion?: string;
  readonly tipo?: TipoMovimiento;
}

const SELECT = `SELECT m.id, m.creado_en AS "creadoEn", m.tipo, m.importe, m.saldo, m.operacion, c.rfc, m.op_id AS "opId",
  m.solicitud_id AS "solicitudId", m.pago_id AS "pagoId", m.detalle
  FROM movimiento m LEFT JOIN contribuyente c ON c.id = m.contribuyente_id`;

/** The taxpayer of the account with this RFC; none for another account's. */
const contribuyenteSql = (n: number) => `(SELECT id FROM contribuyente WHERE cuenta_id = $1 AND rfc = $${n})`;

/**
 * Each combination of filters is a statement of its own, written so that one index finds its rows in their order, whatever the planner knows of the
 * account: that of the kind for the few rows that are no charges, else that of the taxpayer, else that of account and operation. A condition
 * that must not choose the index stands inside IS TRUE.
 */
function statement(
  filtro: FiltroMovimientos,
  cuentaId: string,
  order: 'ASC' | 'DESC',
  cursor?: CursorMovimiento,
) {
  const values: unknown[] = [cuentaId];
  const where: string[] = [];
  let name = `movimientos-${order}`;
  const add = (clave: string, sql: (n: number) => string, value: unknown) => {
    values.push(value);
    where.push(sql(values.length));
    name += clave;
  };
  // Written out: a partial index is used only for a value that the plan knows. It is one of four words, never the caller's text.
  const tipo = TIPOS_MOVIMIENTO.find((conocido) => conocido === filtro.tipo);
  const isPocos = tipo !== undefined && tipo !== 'cargo';
  if (tipo) {
    where.push(`m.tipo = '${tipo}'`);
    name += tipo;
  }
  if (filtro.rfc === undefined || isPocos) where.push('m.cuenta_id = $1');
  if (filtro.rfc !== undefined)
    add(
      'r',
      (n) =>
        isPocos
          ? `(m.contribuyente_id = ${contribuyenteSql(n)}) IS TRUE`
          : `m.contribuyente_id = ${contribuyenteSql(n)}`,
      filtro.rfc,
    );
  if (filtro.operacion !== undefined)
    add(
      'o',
      (n) => (isPocos || filtro.rfc !== undefined ? `(m.operacion = $${n}) IS TRUE` : `m.operacion = $${n}`),
      filtro.operacion,
    );
  if (filtro.desde) add('d', (n) => `m.creado_en >= $${n}`, filtro.desde);
  if (filtro.hasta) add('h', (n) => `m.creado_en < $${n}`, filtro.hasta);
  if (cursor) {
    values.push(cursor.creadoEn, cursor.id);
    const sign = order === 'ASC' ? '>' : '<';
    where.push(`(m.creado_en, m.id) ${sign} ($${values.length - 1}, $${values.length})`);
    name += '+';
  }
  return { name, where: where.join(' AND '), values };
}

/** The balance and the ledger of an account. Every read is narrowed by the account. */
export function createLibro({ pool }: Pick<Database, 'pool'>) {
  async function read(
    cuentaId: string,
    filtro: FiltroMovimientos,
    order: 'ASC' | 'DESC',
    limite: number,
    cursor?: CursorMovimiento,
  ): Promise<MovimientoVista[]> {
    const { name, where, values } = statement(filtro, cuentaId, order, cursor);
    const { rows } = await pool.query<MovimientoVista>({
      name,
      text: `${SELECT} WHERE ${where} ORDER BY m.creado_en ${order}, m.id ${order} LIMIT $${values.length + 1}`,
      values: [...values, limite],
    });
    return rows;
  }

  return {
    /** A page of the ledger, newest first. `antes` is the last row of the page before. */
    page: (input: {
      cuentaId: string;
      filtro: FiltroMovimientos;
      antes?: CursorMovimiento;
      limite: number;
    }) => read(input.cuentaId, input.filtro, 'DESC', input.limite, input.antes),

    /** The rows next to `despues`, towards the present, newest first: the page before. */
    async pageBack(input: {
      cuentaId: string;
      filtro: FiltroMovimientos;
      despues: CursorMovimiento;
      limite: number;
    }): Promise<MovimientoVista[]> {
      return (await read(input.cuentaId, input.filtro, 'ASC', input.limite, input.despues)).reverse();
    },

    /**
     * The whole ledger in the order it was written, in lots of `lote` rows, each read when the one before was taken: the memory used does not
     * depend on how many rows there are. Rows written after the start come too.
     */
    async *all(input: {
      cuentaId: string;
      filtro: FiltroMovimientos;
      lote: number;
    }): AsyncGenerator<readonly MovimientoVista[]> {
      let cursor: CursorMovimiento | undefined;
      for (;;) {
        const rows = await read(input.cuentaId, input.filtro, 'ASC', input.lote, cursor);
        if (rows.length > 0) yield rows;
        cursor = rows.at(-1);
        if (!cursor || rows.length < input.lote) return;
      }
    },

    /** Balance, the threshold below which the account wants to be told (null: the installation's), and payments that wait. */
    async summary(
      cuentaId: string,
    ): Promise<{ saldo: number; umbral: number | null; pendientes: number } | null> {
      const { rows } = await pool.query<{ saldo: number; umbral: number | null; pendientes: number }>({
        name: 'saldo-resumen',
        text: `SELECT c.saldo, a.umbral, (SELECT count(*)::integer FROM pago p WHERE p.cuenta_id = c.id AND p.estado = 'PENDIENTE') AS pendientes
               FROM cuenta c LEFT JOIN aviso_saldo a ON a.cuenta_id = c.id WHERE c.id = $1`,
        values: [cuentaId],
      });
      return rows[0] ?? null;
    },

    /** Sets the balance below which the account is told; 0 never tells. */
    async setUmbral(input: { cuentaId: string; umbral: number; actor: string }): Promise<void> {
      await pool.query({
        name: 'saldo-umbral',
        text: `WITH puesto AS (
                 INSERT INTO aviso_saldo (cuenta_id, umbral) VALUES ($1, $2)
                 ON CONFLICT (cuenta_id) DO UPDATE SET umbral = excluded.umbral RETURNING umbral
               )
               INSERT INTO auditoria (cuenta_id, actor, accion, detalle)
               SELECT $1, $3, 'cambiar-aviso-saldo', jsonb_build_object('umbral', umbral) FROM puesto`,
        values: [input.cuentaId, input.umbral, input.actor],
      });
    },
  };
}

export type Libro = ReturnType<typeof createLibro>;
