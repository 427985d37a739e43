import { randomUUID } from 'node:crypto';
import type { Autor } from '@acuse/core';
import { nota } from '../cuentas/auditoria.ts';
import { Rechazo } from '../cuentas/rechazo.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../errors.ts';
import { execute, rowOf, rowsOf } from '../statements.ts';
import { SIN_RESPUESTA } from './saldos.ts';

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
  /** Not of this operation. */
  readonly salvo?: string;
  readonly tipo?: TipoMovimiento;
}

/** A refund that the service gave by itself. */
export interface Devolucion {
  readonly id: string;
  readonly cuentaId: string;
  readonly cuenta: string;
  readonly importe: number;
  readonly operacion: string | null;
  readonly detalle: string;
  readonly creadoEn: Date;
}

/**
 * What became of credits that the operator gave; `REFERENCIA_USADA` when another account or amount had that reference.
 */
export type Abono =
  | { readonly resultado: 'ABONADO' | 'REPETIDO'; readonly saldo: number }
  | { readonly resultado: 'REFERENCIA_USADA' | 'CUENTA_DESCONOCIDA' };

/** What became of a correction of the balance; `SALDO_INSUFICIENTE` when it would leave less than nothing. */
export type Ajuste =
  | { readonly resultado: 'AJUSTADO' | 'REPETIDO'; readonly saldo: number }
  | { readonly resultado: 'SALDO_INSUFICIENTE' | 'CUENTA_DESCONOCIDA' };

const SELECT = `SELECT m.id, m.creado_en AS "creadoEn", m.tipo, m.importe, m.saldo, m.operacion, c.rfc, m.op_id AS "opId",
  m.solicitud_id AS "solicitudId", m.pago_id AS "pagoId", m.detalle
  FROM movimiento m LEFT JOIN contribuyente c ON c.id = m.contribuyente_id`;

/** Refunds without a caller: of calls that their process left, and of solicitudes past their deadline. */
const DEVOLUCIONES = `
SELECT m.id, m.cuenta_id AS "cuentaId", q.email AS cuenta, m.importe, m.operacion, m.detalle, m.creado_en AS "creadoEn"
FROM movimiento m JOIN cuenta q ON q.id = m.cuenta_id
WHERE m.tipo = 'reembolso' AND m.detalle IN ('${SIN_RESPUESTA}', 'PLAZO_AGOTADO')
ORDER BY m.creado_en DESC, m.id DESC LIMIT $1`;

/** What the order made of the account, the balance, and whether this order made the movement that was there before. */
const moving = (antes: string, orden: string) => `
WITH antes AS (SELECT cuenta_id, importe FROM movimiento WHERE ${antes}),
hecho AS MATERIALIZED (
  SELECT saldo_nuevo AS saldo FROM cuenta c CROSS JOIN LATERAL ${orden} AS saldo_nuevo WHERE c.id = $1 AND NOT EXISTS (SELECT FROM antes)
)
SELECT (SELECT saldo FROM hecho) AS hecho, saldo, EXISTS (SELECT FROM antes WHERE cuenta_id = $1 AND importe = $4) AS repetido
FROM cuenta WHERE id = $1`;

const ABONAR = moving('pago_id = $5', 'cuenta_abona(c.id, $7::uuid, $4::integer, $5, $6, $2, $3)');

const AJUSTAR = moving(`op_id = $5 AND tipo = 'ajuste'`, 'cuenta_ajusta(c.id, $5::uuid, $4::integer, $6, $2, $3)');

const SET_UMBRAL = `
WITH puesto AS (
  INSERT INTO aviso_saldo (cuenta_id, umbral) VALUES ($1, $4)
  ON CONFLICT (cuenta_id) DO UPDATE SET umbral = excluded.umbral RETURNING cuenta_id, umbral
)
${nota({ accion: 'cambiar-aviso-saldo', de: 'puesto', detalle: `jsonb_build_object('umbral', umbral)`, actor: '$2', ip: '$3' })}`;

/** Credits that one movement may be of. */
const MAX_CREDITOS = 100_000_000;

/** Before the first and after the last row. */
const FIRST = ['-infinity', '0'] as const;
const LAST = ['infinity', String(2n ** 63n - 1n)] as const;

type Limit = readonly [creadoEn: Date | string, id: string];

/**
 * The rows strictly between two places of the ledger: of the filter's time, and beyond the cursor. Ids are greater than
 * 0.
 */
function limitsOf({ desde, hasta }: FiltroMovimientos, order: 'ASC' | 'DESC', cursor?: CursorMovimiento) {
  const from: Limit = desde ? [desde, '0'] : FIRST;
  const until: Limit = hasta ? [hasta, '0'] : LAST;
  if (!cursor) return [from, until] as const;
  const at: Limit = [cursor.creadoEn, cursor.id];
  if (order === 'ASC') return [desde && desde > cursor.creadoEn ? from : at, until] as const;
  return [from, hasta && hasta <= cursor.creadoEn ? until : at] as const;
}

/**
 * Each combination of filters is a statement of its own, written so that one index alone has its rows in their order,
 * whatever the planner knows of the account: that of the kind for the few rows that are no charges, else that of
 * taxpayer or account, with the operation when one is asked for. Its columns are compared as rows, not as equalities,
 * which other indexes could also serve; a condition that must not choose the index stands inside IS TRUE.
 */
function statement(
  cuentaId: string,
  filtro: FiltroMovimientos,
  order: 'ASC' | 'DESC',
  limite: number,
  cursor?: CursorMovimiento,
) {
  const values: unknown[] = [cuentaId];
  const place = (value: unknown) => `$${values.push(value)}`;
  const { rfc, operacion, salvo, tipo } = filtro;
  const isPocos = tipo !== undefined && tipo !== 'cargo';
  const where: string[] = [];
  if (rfc === undefined) where.push('m.cuenta_id = $1');
  if (rfc !== undefined) {
    // Of the account: another's taxpayer is none.
    const suya = `m.contribuyente_id = (SELECT id FROM contribuyente WHERE cuenta_id = $1 AND rfc = ${place(rfc)})`;
    where.push(suya);
  }
  if (tipo === 'cargo') where.push(`m.tipo = 'cargo'`);
  // Named as in the predicate of their index.
  if (isPocos) where.push(`m.tipo <> 'cargo'`);
  if (isPocos && operacion !== undefined) where.push(`(m.operacion = ${place(operacion)}) IS TRUE`);

  if (salvo !== undefined) where.push(`(m.operacion IS DISTINCT FROM ${place(salvo)}) IS TRUE`);

  const [column, value] = isPocos ? ['m.tipo', tipo] : ['m.operacion', operacion];
  const lead = value === undefined ? null : place(value);
  // A range lets a planner without statistics expect few rows: it reads them in index order instead of sorting.
  if (lead !== null) where.push(`${column} BETWEEN ${lead} AND ${lead}`);
  const columns = [...(lead ? [column] : []), 'm.creado_en', 'm.id'];
  const placeOf = ([creadoEn, id]: Limit) =>
    `(${[...(lead ? [lead] : []), `${place(creadoEn)}::timestamptz`, `${place(id)}::bigint`].join(', ')})`;
  const [from, until] = limitsOf(filtro, order, cursor);
  where.push(`(${columns.join(', ')}) > ${placeOf(from)}`, `(${columns.join(', ')}) < ${placeOf(until)}`);
  const by = columns.map((name) => `${name} ${order}`).join(', ');
  const text = `${SELECT} WHERE ${where.join(' AND ')} ORDER BY ${by} LIMIT ${place(limite)}`;
  return [text, values] as const;
}

/** The balance and the ledger of an account. Every read is narrowed by the account. */
export function createLibro({ pool }: Pick<Database, 'pool'>) {
  const read = (...page: Parameters<typeof statement>) => rowsOf<MovimientoVista>(pool, ...statement(...page));

  /** Makes a movement at most once; null for an account that is none. */
  async function move(text: string, values: readonly unknown[]) {
    const run = () => rowOf<{ hecho: number | null; saldo: number; repetido: boolean }>(pool, text, values);
    return run().catch((error: unknown) => {
      // The same was being done at this moment: now its row is visible.
      if (!isUniqueViolation(error)) throw error;
      return run();
    });
  }

  return {
    /** A page of the ledger, newest first. `antes` is the last row of the page before. */
    page: (input: { cuentaId: string; filtro: FiltroMovimientos; antes?: CursorMovimiento; limite: number }) =>
      read(input.cuentaId, input.filtro, 'DESC', input.limite, input.antes),

    /** The rows next to `despues`, or to the oldest, towards the present, newest first. */
    async pageBack(input: {
      cuentaId: string;
      filtro: FiltroMovimientos;
      despues?: CursorMovimiento;
      limite: number;
    }): Promise<MovimientoVista[]> {
      return (await read(input.cuentaId, input.filtro, 'ASC', input.limite, input.despues)).reverse();
    },

    /**
     * The whole ledger in the order it was written, in lots of `batch` rows, each read when the one before was taken:
     * the memory used does not depend on how many rows there are. Rows written after the start come too.
     */
    async *all(input: {
      cuentaId: string;
      filtro: FiltroMovimientos;
      batch: number;
    }): AsyncGenerator<readonly MovimientoVista[]> {
      let cursor: CursorMovimiento | undefined;
      for (;;) {
        const rows = await read(input.cuentaId, input.filtro, 'ASC', input.batch, cursor);
        if (rows.length > 0) yield rows;
        cursor = rows.at(-1);
        if (!cursor || rows.length < input.batch) return;
      }
    },

    /**
     * Balance, the threshold below which the account wants to be told (null: the installation's), and payments that
     * wait.
     */
    async summary(cuentaId: string): Promise<{ saldo: number; umbral: number | null; pendientes: number } | null> {
      return rowOf(
        pool,
        `SELECT c.saldo, a.umbral, (SELECT count(*)::integer FROM pago p WHERE p.cuenta_id = c.id AND p.estado = 'PENDIENTE') AS pendientes
               FROM cuenta c LEFT JOIN aviso_saldo a ON a.cuenta_id = c.id WHERE c.id = $1`,
        [cuentaId],
      );
    },

    /** Sets the balance below which the account gets a notice; 0: none. */
    async setUmbral({ cuentaId, umbral, actor, ip }: { cuentaId: string; umbral: number } & Autor): Promise<void> {
      await execute(pool, SET_UMBRAL, [cuentaId, actor, ip, umbral]);
    },

    /**
     * Gives an account credits that were paid for, once per `referencia` however often it is sent. Rejects with
     * `CREDITOS_INVALIDOS` unless `creditos` is a positive integer.
     */
    async credit(
      input: { cuentaId: string; creditos: number; referencia: string; detalle: string } & Autor,
    ): Promise<Abono> {
      const { cuentaId, creditos, referencia, detalle, actor, ip } = input;
      if (!Number.isSafeInteger(creditos) || creditos <= 0 || creditos > MAX_CREDITOS)
        throw new Rechazo('CREDITOS_INVALIDOS');
      const row = await move(ABONAR, [cuentaId, actor, ip, creditos, referencia, detalle, randomUUID()]);
      if (!row) return { resultado: 'CUENTA_DESCONOCIDA' };
      if (row.hecho !== null) return { resultado: 'ABONADO', saldo: row.hecho };
      return row.repetido ? { resultado: 'REPETIDO', saldo: row.saldo } : { resultado: 'REFERENCIA_USADA' };
    },

    /**
     * Corrects a balance by `creditos` (an integer, not 0; negative takes away) with the reason that the ledger and the
     * audit log keep, once per `opId` (UUID) however often it is sent.
     */
    async adjust(input: { cuentaId: string; opId: string; creditos: number; motivo: string } & Autor): Promise<Ajuste> {
      const { cuentaId, opId, creditos, motivo, actor, ip } = input;
      const row = await move(AJUSTAR, [cuentaId, actor, ip, creditos, opId, motivo]);
      if (!row) return { resultado: 'CUENTA_DESCONOCIDA' };
      if (row.hecho !== null) return { resultado: 'AJUSTADO', saldo: row.hecho };
      return row.repetido ? { resultado: 'REPETIDO', saldo: row.saldo } : { resultado: 'SALDO_INSUFICIENTE' };
    },

    /** Refunds that the service gave any account by itself, newest first. */
    devoluciones: (limite: number) => rowsOf<Devolucion>(pool, DEVOLUCIONES, [limite]),
  };
}
