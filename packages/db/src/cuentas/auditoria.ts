import type { Autor } from '@acuse/core';
import type { Database } from '../database.ts';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import { rowsOf } from '../statements.ts';

/**
 * SQL that notes a change in the audit log, in the statement that makes it: one line for each row of `de`. `accion` is its name or
 * a parameter, all else is SQL; `cuenta` and `contribuyente` say whom the change is about: `NULL::uuid` where it is the
 * installation.
 */
export const nota = ({
  accion,
  de,
  cuenta = 'cuenta_id',
  contribuyente = 'NULL::uuid',
  detalle = `'{}'::jsonb`,
  actor,
  ip,
}: {
  readonly accion: string;
  readonly de: string;
  readonly cuenta?: string;
  readonly contribuyente?: string;
  readonly detalle?: string;
  readonly actor: string;
  readonly ip: string;
}): string => `INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
  SELECT ${cuenta}, ${contribuyente}, ${actor}, ${accion.startsWith('$') ? accion : `'${accion}'`}, ${detalle}, ${ip} FROM ${de}`;

/** Lines of the audit log about changes of plain records, for the transaction that makes them. */
export const note = (
  tx: Pick<Prisma.TransactionClient, 'auditoria'>,
  ...lineas: (Autor & Pick<Prisma.AuditoriaCreateManyInput, 'accion' | 'cuentaId' | 'contribuyenteId' | 'detalle'>)[]
) => tx.auditoria.createMany({ data: lineas });

/** SQL of the account that a user opened last: of those that the user may enter, the one that the next log-in is in. */
export const cuentaOf = (usuario: string): string =>
  `(SELECT m.cuenta_id FROM miembro m WHERE m.usuario_id = ${usuario} ORDER BY m.abierta_en DESC, m.cuenta_id LIMIT 1)`;

/**
 * Changes a user and notes it in the audit log, under the account that the user opened last; notes nothing when `run`
 * returns false. Returns whether it noted the change.
 */
export const changeUser = (
  prisma: PrismaClient,
  usuarioId: string,
  accion: string,
  { actor, ip, detalle = {} }: Autor & { detalle?: Prisma.InputJsonObject },
  run: (tx: Prisma.TransactionClient) => Promise<unknown>,
): Promise<boolean> =>
  prisma.$transaction(async (tx) => {
    if ((await run(tx)) === false) return false;
    const orderBy: Prisma.MiembroOrderByWithRelationInput[] = [{ abiertaEn: 'desc' }, { cuentaId: 'asc' }];
    const last = await tx.miembro.findFirst({ where: { usuarioId }, select: { cuentaId: true }, orderBy });
    await note(tx, { accion, ...last, detalle, actor, ip });
    return true;
  });

/** One line of the audit log. */
export interface LineaAuditoria {
  /** Grows with time; decimal digits. */
  readonly id: string;
  readonly en: Date;
  /** `usuario:<id>`, `operador:cli`, a key, or a part of the service. */
  readonly actor: string;
  /** E-mail of the person behind the actor; null when it is none, or is gone. */
  readonly persona: string | null;
  readonly accion: string;
  readonly detalle: Readonly<Record<string, unknown>>;
  readonly ip: string | null;
  readonly cuentaId: string | null;
  /** E-mail of the account that was changed. */
  readonly cuenta: string | null;
  readonly rfc: string | null;
}

export interface FiltroAuditoria {
  readonly accion?: string;
  /** Not these. */
  readonly salvo?: readonly string[];
  /** Exactly as it stands in the log. */
  readonly actor?: string;
  readonly cuentaId?: string;
  readonly desde?: Date;
  /** Exclusive. */
  readonly hasta?: Date;
  /** Id of the last line of the page before. */
  readonly antes?: string;
  /** Oldest first. */
  readonly isReversed?: boolean;
  readonly limite: number;
}

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const LIST = `
SELECT a.id, a.en, a.actor, u.email AS persona, a.accion, a.detalle, a.ip, a.cuenta_id AS "cuentaId", q.email AS cuenta, c.rfc
FROM auditoria a
LEFT JOIN usuario u ON u.id = CASE WHEN a.actor ~ '^usuario:${UUID}$' THEN substr(a.actor, 9)::uuid END
LEFT JOIN cuenta q ON q.id = a.cuenta_id
LEFT JOIN contribuyente c ON c.id = a.contribuyente_id`;

/**
 * Ids follow time but for transactions under way at the same moment, which take minutes at most: a time stands for a
 * place in the log.
 */
const FROM_ID = (p: string) =>
  `a.id >= coalesce((SELECT x.id FROM auditoria x WHERE x.en >= ${p} - interval '10 minutes' ORDER BY x.en LIMIT 1), 0)`;
const UNTIL_ID = (p: string) =>
  `a.id <= coalesce((SELECT x.id FROM auditoria x WHERE x.en > ${p} + interval '10 minutes' ORDER BY x.en LIMIT 1), ${2n ** 63n - 1n})`;

const BY_DAY = `
SELECT to_char(a.en AT TIME ZONE 'America/Mexico_City', 'YYYY-MM-DD') AS dia, count(*)::int AS cuantas, count(DISTINCT a.cuenta_id)::int AS cuentas
FROM auditoria a WHERE a.accion = $1 AND ($2::uuid IS NULL OR a.cuenta_id = $2) AND a.en >= $3 AND a.en < $4
  AND ${FROM_ID('$3::timestamptz')} AND ${UNTIL_ID('$4::timestamptz')} GROUP BY 1 ORDER BY 1 DESC`;

/** Steps from one action to the next along its index, however long the log is. */
const ACCIONES = `
WITH RECURSIVE accion AS (
  (SELECT accion FROM auditoria ORDER BY accion LIMIT 1)
  UNION ALL SELECT (SELECT a.accion FROM auditoria a WHERE a.accion > p.accion ORDER BY a.accion LIMIT 1) FROM accion p WHERE p.accion IS NOT NULL
)
SELECT accion FROM accion WHERE accion IS NOT NULL`;

/** The audit log of the whole installation, for its operator. */
export function createAuditoria({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Newest first, unless the other order is asked for. */
    async list(filtro: FiltroAuditoria): Promise<LineaAuditoria[]> {
      const values: unknown[] = [];
      const conditions: string[] = [];
      const where = (condition: (parameter: string) => string, value: unknown) => {
        if (value === undefined) return;
        values.push(value);
        conditions.push(condition(`$${values.length}`));
      };
      where((p) => `a.accion = ${p}`, filtro.accion);
      where((p) => `a.accion <> ALL (${p}::text[])`, filtro.salvo);
      where((p) => `a.actor = ${p}`, filtro.actor);
      where((p) => `a.cuenta_id = ${p}::uuid`, filtro.cuentaId);
      where((p) => `a.en >= ${p}::timestamptz AND ${FROM_ID(`${p}::timestamptz`)}`, filtro.desde);
      where((p) => `a.en < ${p}::timestamptz AND ${UNTIL_ID(`${p}::timestamptz`)}`, filtro.hasta);
      const [sign, order, before] = filtro.isReversed ? ['>', 'ASC', '0'] : ['<', 'DESC', String(2n ** 63n - 1n)];
      // Always a bound, so that lines are read from an end of the key, whatever the other conditions are.
      where((p) => `a.id ${sign} ${p}::bigint`, filtro.antes ?? before);
      values.push(filtro.limite);
      const filters = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const text = `${LIST} ${filters} ORDER BY a.id ${order} LIMIT $${values.length}`;
      return rowsOf<LineaAuditoria>(pool, text, values);
    },

    /** Lines of one action by day of central Mexico, newest first; of an account alone where it is named. */
    byDay: (accion: string, { cuentaId, desde, hasta }: { cuentaId?: string | undefined; desde: Date; hasta: Date }) =>
      rowsOf<{ dia: string; cuantas: number; cuentas: number }>(pool, BY_DAY, [accion, cuentaId, desde, hasta]),

    /** The actions that occur, in the order of the alphabet. */
    async acciones(): Promise<string[]> {
      return (await rowsOf<{ accion: string }>(pool, ACCIONES)).map(({ accion }) => accion);
    },
  };
}
