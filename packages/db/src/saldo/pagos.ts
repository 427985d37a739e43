import type { Autor } from '@acuse/core';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../errors.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import { FIRST_ID, LAST_ID } from '../uuid.ts';

export const ESTADOS_PAGO = ['PENDIENTE', 'ACREDITADO', 'RECHAZADO', 'CANCELADO'] as const;
export type EstadoPago = (typeof ESTADOS_PAGO)[number];

/** A purchase of credits. Amounts in centavos of MXN. */
export interface Pago {
  readonly id: string;
  readonly cuentaId: string;
  /** What the buyer writes on a transfer. */
  readonly referencia: string;
  readonly proveedor: string;
  /** The payment's id at the provider. */
  readonly proveedorRef: string | null;
  readonly creditos: number;
  readonly subtotal: number;
  readonly iva: number;
  readonly total: number;
  readonly estado: EstadoPago;
  readonly motivo: string | null;
  readonly resueltoPor: string | null;
  readonly creadoEn: Date;
  readonly resueltoEn: Date | null;
}

/** A purchase with whose it is, for the operator. */
export interface PagoConCuenta extends Pago {
  readonly cuenta: string;
  readonly email: string;
}

/** Its id is a UUIDv7: ids are in the order of time. */
export interface NuevoPago
  extends Autor,
    Pick<Pago, 'id' | 'cuentaId' | 'referencia' | 'proveedor' | 'creditos' | 'subtotal' | 'iva' | 'total'> {
  readonly usuarioId: string | null;
  /** Of the form that was submitted (a UUID). The same form makes one payment. */
  readonly clave: string;
}

/**
 * What became of an order to end a payment; `REPETIDO` when it had ended like that before, `NO_PENDIENTE` when it ended
 * otherwise.
 */
export type Resolucion =
  | { readonly resultado: 'HECHO' | 'REPETIDO' | 'NO_PENDIENTE'; readonly pago: Pago; readonly saldo: number }
  | { readonly resultado: 'DESCONOCIDO' }
  | { readonly resultado: 'REFERENCIA_USADA' };

const COLUMNS = `p.id, p.cuenta_id AS "cuentaId", p.referencia, p.proveedor, p.proveedor_ref AS "proveedorRef", p.creditos, p.subtotal, p.iva,
  p.total, p.estado, p.motivo, p.resuelto_por AS "resueltoPor", p.creado_en AS "creadoEn", p.resuelto_en AS "resueltoEn"`;

const CREATE = `
WITH nuevo AS (
  INSERT INTO pago (id, cuenta_id, usuario_id, clave, referencia, proveedor, creditos, subtotal, iva, total)
  SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5, $6, $7::integer, $8::integer, $9::integer, $10::integer
  WHERE NOT EXISTS (SELECT FROM pago WHERE cuenta_id = $2 AND clave = $4)
    AND (SELECT count(*) FROM pago WHERE cuenta_id = $2 AND estado = 'PENDIENTE') < $11
  ON CONFLICT (cuenta_id, clave) DO NOTHING RETURNING id, cuenta_id, creditos, total
)
${nota({
  accion: 'crear-pago',
  de: 'nuevo',
  detalle: `jsonb_build_object('pago', id, 'creditos', creditos, 'total', total)`,
  actor: '$12',
  ip: '$13',
})}`;

/** State, ledger, balance and audit log together or not at all, once. */
const CONFIRM = 'SELECT FROM pago_acredita($1, $3, $2, $4) AS hecho WHERE hecho';

const close = (estado: EstadoPago, accion: string) => `
WITH cerrado AS (
  UPDATE pago SET estado = '${estado}', resuelto_en = now(), resuelto_por = $2, motivo = $4
  WHERE id = $1 AND estado = 'PENDIENTE' AND ($5::uuid IS NULL OR cuenta_id = $5) RETURNING id, cuenta_id
)
${nota({ accion, de: 'cerrado', detalle: `jsonb_build_object('pago', id, 'motivo', $4::text)`, actor: '$2', ip: '$3' })}`;

const CLOSE = { RECHAZADO: close('RECHAZADO', 'rechazar-pago'), CANCELADO: close('CANCELADO', 'cancelar-pago') };

const UNCREDITED = nota({
  accion: 'pago-sin-acreditar',
  de: 'pago WHERE id = $1',
  detalle: `jsonb_build_object('pago', id, 'motivo', $4::text)`,
  actor: '$2',
  ip: '$3',
});

/**
 * Payments of credits, for the panel, the operator and the command line. Every change is audited in its own statement.
 */
export function createPagos({ pool }: Pick<Database, 'pool'>) {
  async function one(where: string, values: readonly unknown[]): Promise<Pago | null> {
    const text = `SELECT ${COLUMNS} FROM pago p WHERE ${where}`;
    return rowOf<Pago>(pool, text, values);
  }

  async function resolucion(id: string, done: boolean, estado: EstadoPago): Promise<Resolucion> {
    const row = await rowOf<Pago & { saldo: number }>(
      pool,
      `SELECT ${COLUMNS}, c.saldo FROM pago p JOIN cuenta c ON c.id = p.cuenta_id WHERE p.id = $1`,
      [id],
    );
    if (!row) return { resultado: 'DESCONOCIDO' };
    const { saldo, ...pago } = row;
    if (done) return { resultado: 'HECHO', pago, saldo };
    return { resultado: pago.estado === estado ? 'REPETIDO' : 'NO_PENDIENTE', pago, saldo };
  }

  async function end(
    estado: keyof typeof CLOSE,
    { id, actor, ip, motivo, cuentaId }: { id: string; motivo?: string; cuentaId?: string } & Autor,
  ): Promise<Resolucion> {
    const values = [id, actor, ip, motivo ?? null, cuentaId ?? null];
    const rowCount = await execute(pool, CLOSE[estado], values);
    return resolucion(id, rowCount === 1, estado);
  }

  return {
    /**
     * Notes a payment to come. The same `clave` of an account answers the payment it made before, whatever else was
     * sent. Null when the account already has `maxPendientes` that wait.
     */
    async create(nuevo: NuevoPago, maxPendientes: number): Promise<Pago | null> {
      const { id, cuentaId, clave } = nuevo;
      const values = [
        ...[id, cuentaId, nuevo.usuarioId, clave, nuevo.referencia, nuevo.proveedor],
        ...[nuevo.creditos, nuevo.subtotal, nuevo.iva, nuevo.total],
        ...[maxPendientes, nuevo.actor, nuevo.ip],
      ];
      await inTransaction(pool, async (client) => {
        // Payments of an account are made one after the other, so that those that wait are counted right.
        await execute(client, 'SELECT FROM cuenta WHERE id = $1 FOR NO KEY UPDATE', [cuentaId]);
        // A payment that is there already is only looked at: to wait here for whoever is crediting it, who waits for
        // the account, would be a deadlock.
        await execute(client, CREATE, values);
      });
      return one('p.cuenta_id = $1 AND p.clave = $2', [cuentaId, clave]);
    },

    /** A payment of an account; another account's is null like a missing one. */
    find: (cuentaId: string, id: string) => one('p.id = $1 AND p.cuenta_id = $2', [id, cuentaId]),

    /** A payment of any account by its id: for providers and the operator only. */
    findAny: (id: string) => one('p.id = $1', [id]),

    /** A payment by what the buyer wrote on the transfer: for the operator only. */
    findByReferencia: (referencia: string) => one('p.referencia = $1', [referencia.trim().toUpperCase()]),

    /** An account's payments, newest first; `antes` is the id that the page before ended with. */
    async list(input: { cuentaId: string; antes?: string; limite: number }): Promise<Pago[]> {
      return rowsOf<Pago>(
        pool,
        `SELECT ${COLUMNS} FROM pago p WHERE p.cuenta_id = $1 AND p.id < $2 ORDER BY p.id DESC LIMIT $3`,
        [input.cuentaId, input.antes ?? LAST_ID, input.limite],
      );
    },

    /**
     * Payments of every account in one state, oldest first, as an operator works through them; `despues` is the last id
     * of the page before.
     */
    async listEstado(input: { estado: EstadoPago; despues?: string; limite: number }): Promise<PagoConCuenta[]> {
      return rowsOf<PagoConCuenta>(
        pool,
        `SELECT ${COLUMNS}, c.nombre AS cuenta, c.email FROM pago p JOIN cuenta c ON c.id = p.cuenta_id
               WHERE p.estado = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`,
        [input.estado, input.despues ?? FIRST_ID, input.limite],
      );
    },

    /**
     * Notes the payment's id at its provider, while it is pending. False when another payment has that id, or this one
     * is over.
     */
    async setProveedorRef(id: string, proveedorRef: string): Promise<boolean> {
      try {
        return await isOne(pool, `UPDATE pago SET proveedor_ref = $2 WHERE id = $1 AND estado = 'PENDIENTE'`, [
          id,
          proveedorRef,
        ]);
      } catch (error) {
        if (isUniqueViolation(error, 'pago_proveedor_proveedor_ref_key')) return false;
        throw error;
      }
    },

    /**
     * Credits a pending payment: its state, the ledger, the balance and the audit log change in one statement, once,
     * however often and from wherever it is called. `REFERENCIA_USADA` when another payment has the same id at the
     * provider.
     */
    async confirmar(input: { id: string; proveedorRef?: string } & Autor): Promise<Resolucion> {
      try {
        const rowCount = await execute(pool, CONFIRM, [input.id, input.actor, input.proveedorRef ?? null, input.ip]);
        return await resolucion(input.id, rowCount === 1, 'ACREDITADO');
      } catch (error) {
        if (isUniqueViolation(error, 'pago_proveedor_proveedor_ref_key')) return { resultado: 'REFERENCIA_USADA' };
        throw error;
      }
    },

    /** Ends a pending payment that did not arrive; nothing is credited. `motivo` is shown to the buyer. */
    refuse: (input: { id: string; motivo: string } & Autor) => end('RECHAZADO', input),

    /** The buyer gives a pending payment up. Another account's payment stays as it is. */
    cancel: (input: { cuentaId: string; id: string } & Autor) => end('CANCELADO', input),

    /** Writes down money that arrived for a payment and was not credited, for the operator to look at. */
    async noteUncredited({ id }: Pago, { actor, ip }: Autor, motivo: string): Promise<void> {
      await execute(pool, UNCREDITED, [id, actor, ip, motivo]);
    },
  };
}

export type Pagos = ReturnType<typeof createPagos>;
