import { randomUUID } from 'node:crypto';
import type { Autor } from '@acuse/core';
import type { Prisma } from '../generated/client.ts';
import type { Records } from '../records.ts';
import { createListaSolicitudes } from '../solicitudes/lista.ts';
import { isUuid } from '../uuid.ts';
import { note } from './auditoria.ts';
import { createEquipo } from './equipo.ts';
import { refusingCopies } from './rechazo.ts';

const VISTA = { id: true, nombre: true, email: true, saldo: true, creadaEn: true } as const;
export type CuentaVista = Readonly<Prisma.CuentaGetPayload<{ select: typeof VISTA }>>;

/** A taxpayer with its active key, if any. */
const RFC = {
  rfc: true,
  nombre: true,
  creadoEn: true,
  apiKeys: { where: { estado: 'ACTIVA' }, select: { ultimos4: true, uso: { select: { ultimoUsoEn: true } } } },
} as const;

/** E-mails identify accounts and users whatever their letter case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Accounts, for the operator. */
export function createCuentas({ prisma, pool }: Pick<Records, 'prisma' | 'pool'>) {
  const suspend = ({ cuentaId, motivo, actor, ip }: { cuentaId: string; motivo: string | null } & Autor) =>
    prisma.$transaction(async (tx) => {
      // In the order in which an acceptance takes them, so that neither waits for the other in a circle: taxpayers by
      // id, then the account.
      await tx.$executeRaw`SELECT FROM contribuyente WHERE cuenta_id = ${cuentaId}::uuid ORDER BY id FOR NO KEY UPDATE`;
      const { count } = await tx.cuenta.updateMany({
        where: { id: cuentaId, suspendidaEn: motivo === null ? { not: null } : null },
        data: { suspendidaEn: motivo === null ? null : new Date(), suspensionMotivo: motivo },
      });
      const change =
        motivo === null ? { accion: 'reabrir-cuenta' } : { accion: 'suspender-cuenta', detalle: { motivo } };
      if (count === 1) await note(tx, { ...change, cuentaId, actor, ip });
      return count === 1;
    });

  return {
    /**
     * A new account with balance 0. The e-mail identifies it, whatever its letter case. Rejects with `EMAIL_REPETIDO`.
     */
    async create({ nombre, email, actor, ip }: { nombre: string; email: string } & Autor): Promise<CuentaVista> {
      const data = { id: randomUUID(), nombre: nombre.trim(), email: normalizeEmail(email) };
      const change = prisma.$transaction([
        prisma.cuenta.create({ data, select: VISTA }),
        note(prisma, { accion: 'crear-cuenta', cuentaId: data.id, actor, ip }),
      ]);
      return (await refusingCopies('EMAIL_REPETIDO', change))[0];
    },

    list: (): Promise<CuentaVista[]> => prisma.cuenta.findMany({ select: VISTA, orderBy: { creadaEn: 'asc' } }),

    findByEmail: (email: string): Promise<CuentaVista | null> =>
      prisma.cuenta.findUnique({ where: { email: normalizeEmail(email) }, select: VISTA }),

    /**
     * Accounts, newest first, whose e-mail, name or one of whose RFCs contains `texto`; `salta` skips the pages before.
     * With their numbers of RFCs and of open solicitudes.
     */
    async search(input: { texto: string; salta: number; limite: number }) {
      const texto = input.texto.trim();
      const contains = { contains: texto, mode: 'insensitive' as const };
      const cuentas = await prisma.cuenta.findMany({
        ...(texto === ''
          ? {}
          : {
              where: {
                OR: [{ email: contains }, { nombre: contains }, { contribuyentes: { some: { rfc: contains } } }],
              },
            }),
        select: {
          ...VISTA,
          _count: {
            select: {
              contribuyentes: true,
              solicitudes: { where: { estado: { in: ['EN_PROCESO', 'ESPERA_EFIRMA'] } } },
            },
          },
        },
        orderBy: [{ creadaEn: 'desc' }, { id: 'desc' }],
        skip: input.salta,
        take: input.limite,
      });
      return cuentas.map(({ _count: { contribuyentes: rfcs, solicitudes: abiertas }, ...cuenta }) => ({
        ...cuenta,
        rfcs,
        abiertas,
      }));
    },

    /** One account with its people, its RFCs and its open solicitudes; null for an unknown or malformed id. */
    async detail(id: string) {
      if (!isUuid(id)) return null;
      const found = await prisma.cuenta.findUnique({
        where: { id },
        select: {
          ...VISTA,
          suspendidaEn: true,
          suspensionMotivo: true,
          contribuyentes: { select: RFC, orderBy: { rfc: 'asc' } },
        },
      });
      if (found === null) return null;
      const { contribuyentes: rfcs, ...cuenta } = found;
      const abiertas = await createListaSolicitudes({ pool }).open(id, 50);
      return { cuenta, personas: await createEquipo({ pool, prisma }).list(id, 100), rfcs, abiertas };
    },

    /**
     * Suspends an account: from their next call on, its keys answer 403/1003 to everything, on every instance. What
     * runs goes on, since it is paid for; its packages can be fetched from the panel, or from the API once the account
     * is open again. False when it was suspended already, or is none.
     */
    suspend: (input: { cuentaId: string; motivo: string } & Autor) => suspend(input),

    /** Opens a suspended account again: its keys answer from their next call. False when it was open, or is none. */
    reopen: (input: { cuentaId: string } & Autor) => suspend({ ...input, motivo: null }),
  };
}

export type Cuentas = ReturnType<typeof createCuentas>;
