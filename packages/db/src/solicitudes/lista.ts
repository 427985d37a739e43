import { ESTADOS_SOLICITUD, type EstadoSolicitud } from '@acuse/contract';
import { type CanalSat, type EstadoParte, type Modo, progresoDe, type TipoDescarga } from '@acuse/core';
import type { Database } from '../database.ts';
import { EN_PROCESO, rowOf, rowsOf } from '../statements.ts';
import { FIRST_ID, isUuid, LAST_ID } from '../uuid.ts';

/** What a list of solicitudes is narrowed by. Days are calendar days, `yyyy-MM-dd`. */
export interface FiltroSolicitudes {
  readonly rfc?: string;
  readonly tipo?: TipoDescarga;
  readonly estado?: EstadoSolicitud;
  /** Only those in one of these, where no `estado` is given. */
  readonly estados?: readonly EstadoSolicitud[];
  /** Only those whose asked period has a day in common with this one. */
  readonly periodo?: { readonly desde: string; readonly hasta: string };
  /** Only those accepted from `desde` on and before `hasta`. */
  readonly creada?: { readonly desde?: Date; readonly hasta?: Date };
  /** Only those that a subscription asked for, or only the others. */
  readonly isLectura?: boolean;
  /** Beginning or end of an id, or all of it: hexadecimal digits and dashes. */
  readonly texto?: string;
}

/**
 * Where a page begins: after an id towards the older ones, or before one towards the newer ones. Absent: at the newest.
 */
export type Cursor = { readonly antesDe: string } | { readonly despuesDe: string };

export interface FilaSolicitud {
  readonly id: string;
  readonly modo: Modo;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  readonly canal: CanalSat;
  readonly estado: EstadoSolicitud;
  readonly motivo: string | null;
  /** Looks at the SAT so far. */
  readonly intentos: number;
  /** 0 to 1. */
  readonly progreso: number;
  readonly registros: number | null;
  /** Counterparties of its package that stood on a published list under a word that speaks against them; null: not crossed. */
  readonly contrapartesAdversas: number | null;
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
  readonly paqueteBorradoEn: Date | null;
}

export interface PaginaSolicitudes {
  /** Newest first. */
  readonly filas: readonly FilaSolicitud[];
  readonly hayAntes: boolean;
  readonly hayDespues: boolean;
}

/** A solicitud that has not ended, as the operator sees it. */
export interface SolicitudAbierta extends Pick<FilaSolicitud, 'id' | 'rfc' | 'tipo' | 'canal' | 'estado' | 'creadaEn'> {
  readonly cuentaId: string;
  /** E-mail. */
  readonly cuenta: string;
  readonly fase: string;
  readonly dueAt: Date;
  readonly deadlineAt: Date;
}

/** Readings of one day, yyyy-MM-dd: how many, of how many RFCs, and with how many CFDI in their packages (null: none yet). */
export interface LecturasDia {
  readonly dia: string;
  readonly lecturas: number;
  readonly rfcs: number;
  readonly registros: number | null;
  readonly abiertas: number;
  readonly fallidas: number;
}

/** Solicitudes of one state are counted up to here; more are "at least so many". */
export const TOPE_CUENTA = 1_000;

export const TIPOS_DESCARGA: readonly TipoDescarga[] = ['emitidos', 'recibidos'];
/** The clock of the process that made an id and the one of the database that dated its row may differ by so much. */
const CLOCKS_MS = 600_000;

/** The least or greatest UUIDv7 of a millisecond (RFC 9562, section 5.7). */
function idAt(date: Date, end: 'least' | 'greatest'): string {
  const ms = Math.min(Math.max(date.getTime(), 0), 2 ** 48 - 1);
  const hex = ms.toString(16).padStart(12, '0');
  const rest = end === 'least' ? '-0000-0000-000000000000' : '-ffff-ffff-ffffffffffff';
  return `${hex.slice(0, 8)}-${hex.slice(8)}${rest}`;
}

/** The least or greatest id that begins with `texto`. */
function idWith(texto: string, rest: string): string {
  const digits = texto.replaceAll('-', '').slice(0, 32);
  const hex = digits + rest.replaceAll('-', '').slice(digits.length);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statement of a page. Each pair of state and tipo gives its newest ids from an index of the account that holds
 * them in order, whatever else is filtered being in that index too; only the rows of the page are then read from the
 * table. Of all accounts (`cuentaId` null) the ids are in order by themselves.
 */
function statementOfPage(
  cuentaId: string | null,
  filtro: FiltroSolicitudes,
  cursor: Cursor | null,
  limit: number,
  donde: 'inicio' | 'final' = 'inicio',
): Statement {
  const { rfc, tipo, estado, periodo, creada, isLectura, texto } = filtro;
  const isUp = cursor !== null && 'despuesDe' in cursor;
  const low = [FIRST_ID];
  const high = [LAST_ID];
  if (cursor && 'antesDe' in cursor) high.push(cursor.antesDe);
  if (cursor && 'despuesDe' in cursor) low.push(cursor.despuesDe);
  if (creada?.desde) low.push(idAt(new Date(creada.desde.getTime() - CLOCKS_MS), 'least'));
  if (creada?.hasta) high.push(idAt(new Date(creada.hasta.getTime() + CLOCKS_MS), 'greatest'));
  const isWholeId: boolean = texto !== undefined && isUuid(texto);
  const isBeginning = texto !== undefined && !isWholeId && donde === 'inicio' && /^[0-9a-f-]+$/.test(texto);
  if (isBeginning) {
    low.push(idWith(texto, FIRST_ID));
    high.push(idWith(texto, LAST_ID));
  }
  const values: unknown[] = [
    cuentaId,
    estado ? [estado] : (filtro.estados ?? ESTADOS_SOLICITUD),
    tipo ? [tipo] : TIPOS_DESCARGA,
    low.sort().at(-1),
    high.sort()[0],
    limit + 1,
  ];
  const place = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['s.id > $4 AND s.id < $5'];
  if (cuentaId === null)
    conditions.push('$1::uuid IS NULL AND s.estado = ANY ($2::text[]) AND s.tipo = ANY ($3::text[])');
  else conditions.push('s.estado = e.estado AND s.tipo = t.tipo');
  if (rfc === undefined && cuentaId !== null) conditions.push('s.cuenta_id = $1');
  if (rfc !== undefined)
    conditions.push(
      cuentaId === null
        ? `s.contribuyente_id = ANY (ARRAY(SELECT c.id FROM contribuyente c WHERE c.rfc = ${place(rfc)}))`
        : `s.contribuyente_id = (SELECT c.id FROM contribuyente c WHERE c.cuenta_id = $1 AND c.rfc = ${place(rfc)})`,
    );
  if (isLectura !== undefined) conditions.push(`s.sincronizacion_id IS ${isLectura ? 'NOT NULL' : 'NULL'}`);
  if (periodo) {
    const [until, from] = [place(periodo.hasta), place(periodo.desde)];
    conditions.push(`s.desde <= ${until}::date AND s.hasta >= ${from}::date`);
  }
  if (creada?.desde) conditions.push(`s.creada_en >= ${place(creada.desde)}`);
  if (creada?.hasta) conditions.push(`s.creada_en < ${place(creada.hasta)}`);
  if (isWholeId) conditions.push(`s.id = ${place(texto)}::uuid`);
  else if (texto !== undefined && !isBeginning) {
    const backwards = place([...texto].reverse().join(''));
    // A few digits are the end of many ids, which come soon in any order; more of them are looked up by the index that
    // has them backwards.
    if (texto.length < 4) conditions.push(`starts_with(reverse(s.id::text), ${backwards})`);
    else
      conditions.push(
        `s.id = ANY (ARRAY(SELECT f.id FROM solicitud f WHERE f.cuenta_id = $1
           AND reverse(f.id::text) ~>=~ ${backwards} AND reverse(f.id::text) ~<~ (${backwards} || 'g')))`,
      );
  }
  const order = isUp ? 'ASC' : 'DESC';
  const ids = `SELECT s.id FROM solicitud s WHERE ${conditions.join(' AND ')} ORDER BY s.id ${order} LIMIT $6`;
  return {
    text: `
WITH hallada AS MATERIALIZED (${
      cuentaId === null
        ? ids
        : `
  SELECT x.id FROM unnest($2::text[]) AS e (estado) CROSS JOIN unnest($3::text[]) AS t (tipo) CROSS JOIN LATERAL (${ids}) x
  ORDER BY x.id ${order} LIMIT $6`
    }
)
SELECT s.id, s.modo, s.rfc, s.tipo, s.desde::text, s.hasta::text, s.canal, s.estado, s.fase, s.motivo, s.intentos, s.registros::float8 AS registros, s.contrapartes_adversas AS "contrapartesAdversas",
       s.creada_en AS "creadaEn", s.terminada_en AS "terminadaEn", s.paquete_borrado_en AS "paqueteBorradoEn", p.partes
FROM hallada JOIN solicitud s ON s.id = hallada.id LEFT JOIN LATERAL (
  SELECT json_object_agg(n.estado, n.n) AS partes FROM
    (SELECT estado, count(*)::int AS n FROM parte WHERE solicitud_id = s.id AND s.terminada_en IS NULL GROUP BY estado) n
) p ON true
ORDER BY s.id ${order}`,
    values,
  };
}

/**
 * Steps from one first day to the one before, each by its longest period, until one reaches the period that is looked
 * for.
 */
const HAS_PERIODO = `
WITH RECURSIVE paso AS (
  (SELECT desde, hasta FROM solicitud WHERE cuenta_id = $1 AND desde <= $2::date ORDER BY desde DESC, hasta DESC LIMIT 1)
  UNION ALL
  SELECT n.desde, n.hasta FROM paso CROSS JOIN LATERAL (
    SELECT s.desde, s.hasta FROM solicitud s WHERE s.cuenta_id = $1 AND s.desde < paso.desde ORDER BY s.desde DESC, s.hasta DESC LIMIT 1
  ) n
)
SELECT EXISTS (SELECT FROM paso WHERE hasta >= $3::date) AS hay`;

const COUNTS = (whose: string) => `
SELECT e.estado, (SELECT count(*)::int FROM
  (SELECT FROM solicitud s WHERE ${whose} AND s.estado = e.estado AND s.sincronizacion_id IS NULL LIMIT ${TOPE_CUENTA + 1}) x) AS n
FROM unnest($2::text[]) AS e (estado)`;

const COUNTS_OF_CUENTA = COUNTS('s.cuenta_id = $1');
const COUNTS_OF_RFC = COUNTS(
  's.contribuyente_id = (SELECT c.id FROM contribuyente c WHERE c.cuenta_id = $1 AND c.rfc = $3)',
);

const SUMMARY = `
SELECT EXISTS (SELECT FROM solicitud s WHERE s.cuenta_id = $1) AS "huboSolicitud",
       (SELECT count(*)::int FROM solicitud s WHERE s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND s.sincronizacion_id IS NULL) AS abiertas`;

const LECTURAS = `
SELECT to_char(s.creada_en AT TIME ZONE 'America/Mexico_City', 'YYYY-MM-DD') AS dia, count(*)::int AS lecturas, count(DISTINCT s.rfc)::int AS rfcs,
  sum(s.registros)::float8 AS registros, count(*) FILTER (WHERE s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA'))::int AS abiertas,
  count(*) FILTER (WHERE s.estado NOT IN ('EN_PROCESO', 'ESPERA_EFIRMA', 'TERMINADA'))::int AS fallidas
FROM solicitud s WHERE s.cuenta_id = $1 AND s.estado = ANY ($2::text[]) AND s.tipo = ANY ($3::text[]) AND s.id > $4 AND s.id < $5
  AND s.sincronizacion_id IS NOT NULL AND s.creada_en >= $6 AND s.creada_en < $7 AND ($8::text IS NULL OR s.rfc = $8)
GROUP BY 1 ORDER BY 1 DESC`;

const ABIERTAS = `
SELECT s.id, s.cuenta_id AS "cuentaId", q.email AS cuenta, s.rfc, s.tipo, s.estado, s.fase, s.canal, s.due_at AS "dueAt",
       s.creada_en AS "creadaEn", s.deadline_at AS "deadlineAt"
FROM solicitud s JOIN cuenta q ON q.id = s.cuenta_id`;

const OPEN_OF_CUENTA = `${ABIERTAS} WHERE s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY s.creada_en DESC LIMIT $2`;

/** Due for longer than it takes the relay to send an unanswered wake-up again. */
const IS_LATE = `due_at < now() - interval '30 seconds'`;

/** By their wake-ups: the first ones of each queue that wait, and those that were handed over. */
const OVERDUE = `
WITH tarde AS (
  SELECT primera.* FROM (VALUES ('descargas'), ('ensambles')) c (cola) CROSS JOIN LATERAL (
    SELECT solicitud_id FROM outbox o WHERE o.cola = c.cola AND o.rung_at IS NULL AND ${IS_LATE} ORDER BY due_at LIMIT $1
  ) primera
  UNION ALL SELECT solicitud_id FROM outbox WHERE rung_at IS NOT NULL AND ${IS_LATE}
)${ABIERTAS} JOIN tarde ON tarde.solicitud_id = s.id WHERE s.estado = ${EN_PROCESO}
  AND (s.lease_until IS NULL OR s.lease_until < now()) ORDER BY s.due_at LIMIT $1`;

type Row = Omit<FilaSolicitud, 'progreso'> & {
  readonly fase: 'DESCARGA' | 'ENSAMBLE';
  readonly partes: Partial<Record<EstadoParte, number>> | null;
};

const filaOf = ({ fase, partes, ...fila }: Row): FilaSolicitud => ({
  ...fila,
  progreso: progresoDe({ estado: fila.estado, fase, partes: partes ?? {} }),
});

/** Lists of solicitudes: of one account, for its people, or of all, for the operator. */
export function createListaSolicitudes({ pool }: Pick<Database, 'pool'>) {
  async function hasPeriodo(cuentaId: string | null, { periodo }: FiltroSolicitudes): Promise<boolean> {
    if (periodo === undefined || cuentaId === null) return true;
    const values = [cuentaId, periodo.hasta, periodo.desde];
    const row = await rowOf<{ hay: boolean }>(pool, HAS_PERIODO, values);
    return row?.hay === true;
  }

  /** By the beginning of the id that was typed, or else by its end. */
  async function read(...page: [string | null, FiltroSolicitudes, Cursor | null, number]): Promise<Row[]> {
    for (const donde of ['inicio', 'final'] as const) {
      const { text, values } = statementOfPage(...page, donde);
      const rows = await rowsOf<Row>(pool, text, values);
      if (rows.length > 0 || page[1].texto === undefined) return rows;
    }
    return [];
  }

  async function pageOf(
    cuentaId: string | null,
    filtro: FiltroSolicitudes,
    cursor: Cursor | null,
    limit: number,
  ): Promise<PaginaSolicitudes> {
    const rows = (await hasPeriodo(cuentaId, filtro)) ? await read(cuentaId, filtro, cursor, limit) : [];
    const hasMore = rows.length > limit;
    const filas = rows.slice(0, limit).map(filaOf);
    const isUp = cursor !== null && 'despuesDe' in cursor;
    if (isUp) filas.reverse();
    return { filas, hayAntes: isUp ? true : hasMore, hayDespues: isUp ? hasMore : cursor !== null };
  }

  return {
    /** A page of the account's solicitudes, newest first. */
    page: (cuentaId: string, filtro: FiltroSolicitudes, cursor: Cursor | null, limit: number) =>
      pageOf(cuentaId, filtro, cursor, limit),

    /** The same for all accounts, for an operator at a terminal: finds rare rows among many. */
    all: (filtro: Pick<FiltroSolicitudes, 'rfc' | 'estado'>, cursor: Cursor | null, limit: number) =>
      pageOf(null, filtro, cursor, limit),

    /** How many there are in each state without readings, up to {@link TOPE_CUENTA} + 1 each. */
    async counts(cuentaId: string, rfc?: string): Promise<Readonly<Record<EstadoSolicitud, number>>> {
      const values = [cuentaId, ESTADOS_SOLICITUD];
      const rows = await rowsOf<{ estado: EstadoSolicitud; n: number }>(
        pool,
        rfc === undefined ? COUNTS_OF_CUENTA : COUNTS_OF_RFC,
        rfc === undefined ? values : [...values, rfc],
      );
      const counts = new Map(rows.map(({ estado, n }) => [estado, n]));
      return Object.fromEntries(ESTADOS_SOLICITUD.map((estado) => [estado, counts.get(estado) ?? 0])) as Record<
        EstadoSolicitud,
        number
      >;
    },

    /** How many of an account's have not ended, readings apart, and whether it ever asked for any. */
    async summary(cuentaId: string): Promise<{ readonly abiertas: number; readonly huboSolicitud: boolean }> {
      const row = await rowOf<{ abiertas: number; huboSolicitud: boolean }>(pool, SUMMARY, [cuentaId]);
      return row ?? { abiertas: 0, huboSolicitud: false };
    },

    /** Readings of subscriptions of an account from `desde` until before `hasta`, by day of central Mexico, newest first. */
    lecturas: (cuentaId: string, { desde, hasta, rfc }: { desde: Date; hasta: Date; rfc?: string | undefined }) =>
      rowsOf<LecturasDia>(pool, LECTURAS, [
        ...[cuentaId, ESTADOS_SOLICITUD, TIPOS_DESCARGA],
        idAt(new Date(desde.getTime() - CLOCKS_MS), 'least'),
        idAt(new Date(hasta.getTime() + CLOCKS_MS), 'greatest'),
        ...[desde, hasta, rfc],
      ]),

    /** Those of an account that have not ended, newest first. */
    open: (cuentaId: string, limit: number) => rowsOf<SolicitudAbierta>(pool, OPEN_OF_CUENTA, [cuentaId, limit]),

    /** Overdue solicitudes of all accounts without a holder, the most overdue first. */
    overdue: (limit: number) => rowsOf<SolicitudAbierta>(pool, OVERDUE, [limit]),
  };
}
