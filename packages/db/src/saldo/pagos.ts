import type { Autor } from '@acuse/core';
import { note } from '../cuentas/auditoria.ts';
import { isUniqueViolation } from '../errors.ts';
import type { Prisma } from '../generated/client.ts';
import type { Records } from '../records.ts';
import { execute } from '../statements.ts';
import { FIRST_ID, LAST_ID } from '../uuid.ts';

export const ESTADOS_PAGO = ['PENDIENTE', 'ACREDITADO', 'RECHAZADO', 'CANCELADO'] as const;
export type EstadoPago = (typeof ESTADOS_PAGO)[number];

const PAGO = {
  id: true,
  cuentaId: true,
  /** Text that the buyer writes on a transfer. */
  referencia: true,
  proveedor: true,
  /** The payment's id at the provider. */
  proveedorRef: true,
  creditos: true,
  subtotal: true,
  iva: true,
  total: true,
  estado: true,
  motivo: true,
  resueltoPor: true,
  creadoEn: true,
  resueltoEn: true,
} as const;

/** A purchase of credits. Amounts in centavos of MXN. */
export type Pago = Readonly<Prisma.PagoGetPayload<{ select: typeof PAGO }>> & { readonly estado: EstadoPago };

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

/** State, ledger, balance and audit log together or not at all, once. */
const CONFIRM = 'SELECT FROM pago_acredita($1, $3, $2, $4) AS hecho WHERE hecho';

const ACCIONES = { RECHAZADO: 'rechazar-pago', CANCELADO: 'cancelar-pago' } as const;

/**
 * Payments of credits, for the panel, the operator and the command line. The audit log notes every change in its
 * transaction.
 */
export function createPagos({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  const one = (where: Prisma.PagoWhereInput) => prisma.pago.findFirst({ where, select: PAGO }) as Promise<Pago | null>;

  async function resolucion(id: string, done: boolean, estado: EstadoPago): Promise<Resolucion> {
    const found = await prisma.pago.findUnique({
      where: { id },
      select: { ...PAGO, cuenta: { select: { saldo: true } } },
    });
    if (!found) return { resultado: 'DESCONOCIDO' };
    const { cuenta, ...rest } = found;
    const pago = rest as Pago;
    const resultado = done ? 'HECHO' : pago.estado === estado ? 'REPETIDO' : 'NO_PENDIENTE';
    return { resultado, pago, saldo: cuenta.saldo };
  }

  async function end(
    estado: keyof typeof ACCIONES,
    { id, actor, ip, motivo = null }: { id: string; motivo?: string | null } & Autor,
    de: { readonly cuentaId?: string } = {},
  ): Promise<Resolucion> {
    const done = await prisma.$transaction(async (tx) => {
      const [closed] = await tx.pago.updateManyAndReturn({
        where: { ...de, id, estado: 'PENDIENTE' },
        data: { estado, motivo, resueltoEn: new Date(), resueltoPor: actor },
        select: { cuentaId: true },
      });
      if (closed) await note(tx, { accion: ACCIONES[estado], ...closed, detalle: { pago: id, motivo }, actor, ip });
      return closed !== undefined;
    });
    return resolucion(id, done, estado);
  }

  return {
    /**
     * Notes a payment to come. The same `clave` of an account answers the payment it made before, whatever else was
     * sent. Null when the account already has `maxPendientes` that wait.
     */
    async create(nuevo: NuevoPago, maxPendientes: number): Promise<Pago | null> {
      const { id, cuentaId, usuarioId, clave, referencia, proveedor, creditos, subtotal, iva, total, actor, ip } =
        nuevo;
      const pago = await prisma.$transaction(async (tx) => {
        // Payments of an account are made one after the other, so that those that wait are counted right.
        await tx.$executeRaw`SELECT FROM cuenta WHERE id = ${cuentaId}::uuid FOR NO KEY UPDATE`;
        // A payment that exists is only read: its crediting waits for the account, and a wait here would be a deadlock.
        const made = await tx.pago.findUnique({ where: { cuentaId_clave: { cuentaId, clave } }, select: PAGO });
        if (made !== null) return made;
        if ((await tx.pago.count({ where: { cuentaId, estado: 'PENDIENTE' } })) >= maxPendientes) return null;
        await note(tx, { accion: 'crear-pago', cuentaId, detalle: { pago: id, creditos, total }, actor, ip });
        return tx.pago.create({
          data: { id, cuentaId, usuarioId, clave, referencia, proveedor, creditos, subtotal, iva, total },
          select: PAGO,
        });
      });
      return pago as Pago | null;
    },

    /** A payment of an account; another account's is null like a missing one. */
    find: (cuentaId: string, id: string) => one({ id, cuentaId }),

    /** A payment of any account by its id: for providers and the operator only. */
    findAny: (id: string) => one({ id }),

    /** A payment by what the buyer wrote on the transfer: for the operator only. */
    findByReferencia: (referencia: string) => one({ referencia: referencia.trim().toUpperCase() }),

    /** An account's payments, newest first; `antes` is the id that the page before ended with. */
    list: ({ cuentaId, antes = LAST_ID, limite }: { cuentaId: string; antes?: string; limite: number }) =>
      prisma.pago.findMany({
        where: { cuentaId, id: { lt: antes } },
        select: PAGO,
        orderBy: { id: 'desc' },
        take: limite,
      }) as Promise<Pago[]>,

    /**
     * Payments of every account in one state, oldest first, as an operator works through them; `despues` is the last id
     * of the page before.
     */
    async listEstado(input: { estado: EstadoPago; despues?: string; limite: number }): Promise<PagoConCuenta[]> {
      const { estado, despues = FIRST_ID, limite } = input;
      const found = await prisma.pago.findMany({
        where: { estado, id: { gt: despues } },
        orderBy: { id: 'asc' },
        take: limite,
        select: { ...PAGO, cuenta: { select: { nombre: true, email: true } } },
      });
      return found.map(({ cuenta, ...pago }) => ({ ...(pago as Pago), cuenta: cuenta.nombre, email: cuenta.email }));
    },

    /**
     * Notes the payment's id at its provider, while it is pending. False when another payment has that id, or this one
     * is over.
     */
    async setProveedorRef(id: string, proveedorRef: string): Promise<boolean> {
      try {
        const { count } = await prisma.pago.updateMany({ where: { id, estado: 'PENDIENTE' }, data: { proveedorRef } });
        return count === 1;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
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
    cancel: ({ cuentaId, ...input }: { cuentaId: string; id: string } & Autor) => end('CANCELADO', input, { cuentaId }),

    /** Writes down money that arrived for a payment and was not credited, for the operator to look at. */
    async noteUncredited({ id, cuentaId }: Pago, { actor, ip }: Autor, motivo: string): Promise<void> {
      await note(prisma, { accion: 'pago-sin-acreditar', cuentaId, detalle: { pago: id, motivo }, actor, ip });
    },
  };
}

export type Pagos = ReturnType<typeof createPagos>;
