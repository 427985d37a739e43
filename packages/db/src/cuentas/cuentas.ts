import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../errors.ts';
import { Rechazo } from './rechazo.ts';

export interface CuentaVista {
  readonly id: string;
  readonly nombre: string;
  readonly email: string;
  readonly saldo: number;
  readonly creadaEn: Date;
}

const ADD_SALDO = `
WITH cuenta_existente AS (SELECT id FROM cuenta WHERE id = $1),
antes AS (SELECT 1 FROM movimiento WHERE pago_id = $3),
libro AS (
  INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id, detalle)
  SELECT id, $5::uuid, 'compra', $2::integer, $3::text, $4::text FROM cuenta_existente WHERE NOT EXISTS (SELECT FROM antes)
  RETURNING importe
), abono AS (
  UPDATE cuenta SET saldo = saldo + libro.importe FROM libro WHERE cuenta.id = $1 RETURNING saldo
)
SELECT EXISTS (SELECT FROM cuenta_existente) AS existe, (SELECT saldo FROM abono) AS abonado,
       (SELECT saldo FROM cuenta WHERE id = $1) AS saldo`;

/** Accounts and their credits, for the operator's command line and the panel. */
export function createCuentas({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** A new account with balance 0. The e-mail identifies it, whatever its letter case. Rejects with `EMAIL_REPETIDO`. */
    async create(input: { nombre: string; email: string; actor: string }): Promise<CuentaVista> {
      const id = randomUUID();
      try {
        const [cuenta] = await prisma.$transaction([
          prisma.cuenta.create({
            data: { id, nombre: input.nombre.trim(), email: input.email.trim().toLowerCase() },
          }),
          prisma.auditoria.create({ data: { cuentaId: id, actor: input.actor, accion: 'crear-cuenta' } }),
        ]);
        return cuenta;
      } catch (error) {
        if (isPrismaUnique(error)) throw new Rechazo('EMAIL_REPETIDO');
        throw error;
      }
    },

    list(): Promise<CuentaVista[]> {
      return prisma.cuenta.findMany({ orderBy: { creadaEn: 'asc' } });
    },

    findByEmail(email: string): Promise<CuentaVista | null> {
      return prisma.cuenta.findUnique({ where: { email: email.trim().toLowerCase() } });
    },

    /**
     * Adds bought credits, once per `pagoId` however often it is called. Returns the balance and whether this call added them.
     * Rejects with `CUENTA_DESCONOCIDA`, or `CREDITOS_INVALIDOS` unless `creditos` is a positive integer.
     */
    async addSaldo(input: {
      cuentaId: string;
      creditos: number;
      pagoId: string;
      detalle: string;
    }): Promise<{ saldo: number; isNuevo: boolean }> {
      if (!Number.isSafeInteger(input.creditos) || input.creditos <= 0 || input.creditos > 100_000_000)
        throw new Rechazo('CREDITOS_INVALIDOS');
      const run = () =>
        pool.query<{ existe: boolean; abonado: number | null; saldo: number }>(ADD_SALDO, [
          input.cuentaId,
          input.creditos,
          input.pagoId,
          input.detalle,
          randomUUID(),
        ]);
      const result = await run().catch((error) => {
        // The same payment was being credited at this moment: now its row is visible.
        if (!isUniqueViolation(error)) throw error;
        return run();
      });
      const row = result.rows[0];
      if (!row?.existe) throw new Rechazo('CUENTA_DESCONOCIDA');
      return { saldo: row.abonado ?? row.saldo, isNuevo: row.abonado !== null };
    },
  };
}

export function isPrismaUnique(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'P2002';
}
