import { randomUUID } from 'node:crypto';
import type { Autor } from '@acuse/core';
import type { Records } from '../records.ts';
import { createListaSolicitudes } from '../solicitudes/lista.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import { isUuid } from '../uuid.ts';
import { nota } from './auditoria.ts';
import { createEquipo } from './equipo.ts';
import { refusingCopies } from './rechazo.ts';

export interface CuentaVista {
  readonly id: string;
  readonly nombre: string;
  readonly email: string;
  readonly saldo: number;
  readonly creadaEn: Date;
}

export interface CuentaOperada extends CuentaVista {
  readonly rfcs: number;
  /** Solicitudes that have not ended. */
  readonly abiertas: number;
}

export interface RfcOperado {
  readonly rfc: string;
  readonly nombre: string | null;
  readonly creadoEn: Date;
  /** Last four characters of its active key; null without one. */
  readonly ultimos4: string | null;
  readonly ultimoUsoEn: Date | null;
}

const CREATE = `
WITH nueva AS (INSERT INTO cuenta (id, nombre, email) VALUES ($1, $2, $3) RETURNING id, nombre, email, saldo, creada_en),
nota AS (${nota({ accion: 'crear-cuenta', de: 'nueva', cuenta: 'id', actor: '$4', ip: '$5' })})
SELECT id, nombre, email, saldo, creada_en AS "creadaEn" FROM nueva`;

/**
 * In the order in which an acceptance takes them, so that neither waits for the other in a circle: taxpayers by id,
 * then the account.
 */
const LOCK = 'SELECT FROM contribuyente WHERE cuenta_id = $1 ORDER BY id FOR NO KEY UPDATE';

const SUSPEND = `
WITH hecho AS (
  UPDATE cuenta SET suspendida_en = now(), suspension_motivo = $4 WHERE id = $1 AND suspendida_en IS NULL RETURNING id
)
${nota({ accion: 'suspender-cuenta', de: 'hecho', cuenta: 'id', detalle: `jsonb_build_object('motivo', $4::text)`, actor: '$2', ip: '$3' })}`;

const REOPEN = `
WITH hecho AS (
  UPDATE cuenta SET suspendida_en = NULL, suspension_motivo = NULL WHERE id = $1 AND suspendida_en IS NOT NULL RETURNING id
)
${nota({ accion: 'reabrir-cuenta', de: 'hecho', cuenta: 'id', actor: '$2', ip: '$3' })}`;

/** E-mails identify accounts and users whatever their letter case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Accounts, for the operator. */
export function createCuentas({ prisma, pool }: Pick<Records, 'prisma' | 'pool'>) {
  const underLock = (text: string, { cuentaId, actor, ip }: { cuentaId: string } & Autor, rest: unknown[] = []) =>
    inTransaction(pool, async (client) => {
      await execute(client, LOCK, [cuentaId]);
      return isOne(client, text, [cuentaId, actor, ip, ...rest]);
    });

  return {
    /**
     * A new account with balance 0. The e-mail identifies it, whatever its letter case. Rejects with `EMAIL_REPETIDO`.
     */
    async create({ nombre, email, actor, ip }: { nombre: string; email: string } & Autor): Promise<CuentaVista> {
      const values = [randomUUID(), nombre.trim(), normalizeEmail(email), actor, ip];
      const row = await refusingCopies('EMAIL_REPETIDO', rowOf<CuentaVista>(pool, CREATE, values));
      if (!row) throw new Error('the new account is not there');
      return row;
    },

    list: (): Promise<CuentaVista[]> => prisma.cuenta.findMany({ orderBy: { creadaEn: 'asc' } }),

    findByEmail: (email: string): Promise<CuentaVista | null> =>
      prisma.cuenta.findUnique({ where: { email: normalizeEmail(email) } }),

    /**
     * Accounts, newest first, whose e-mail, name or one of whose RFCs contains `texto`; `salta` skips the pages before.
     */
    async search(input: { texto: string; salta: number; limite: number }): Promise<CuentaOperada[]> {
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
        include: {
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
      return cuentas.map(({ _count, id, nombre, email, saldo, creadaEn }) => ({
        ...{ id, nombre, email, saldo, creadaEn },
        rfcs: _count.contribuyentes,
        abiertas: _count.solicitudes,
      }));
    },

    /**
     * One account with its people, its RFCs and what is open; null when there is none with that id, whatever `id` is.
     */
    async detail(id: string) {
      if (!isUuid(id)) return null;
      const cuenta = await prisma.cuenta.findUnique({ where: { id } });
      if (cuenta === null) return null;
      const rfcs = await rowsOf<RfcOperado>(
        pool,
        `SELECT c.rfc, c.nombre, c.creado_en AS "creadoEn", k.ultimos4, u.ultimo_uso_en AS "ultimoUsoEn"
         FROM contribuyente c LEFT JOIN api_key k ON k.contribuyente_id = c.id AND k.estado = 'ACTIVA'
         LEFT JOIN api_key_uso u ON u.api_key_id = k.id WHERE c.cuenta_id = $1 ORDER BY c.rfc`,
        [id],
      );
      const abiertas = await createListaSolicitudes({ pool }).open(id, 50);
      return { cuenta, personas: await createEquipo({ pool }).list(id, 100), rfcs, abiertas };
    },

    /**
     * Suspends an account: from their next call on, its keys answer 403/1003 to everything, on every instance. What
     * runs goes on, since it is paid for; its packages can be fetched from the panel, or from the API once the account
     * is open again. False when it was suspended already, or is none.
     */
    suspend: (input: { cuentaId: string; motivo: string } & Autor) => underLock(SUSPEND, input, [input.motivo]),

    /** Opens a suspended account again: its keys answer from their next call. False when it was open, or is none. */
    reopen: (input: { cuentaId: string } & Autor) => underLock(REOPEN, input),
  };
}

export type Cuentas = ReturnType<typeof createCuentas>;
