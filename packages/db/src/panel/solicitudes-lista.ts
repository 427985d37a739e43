import { ESTADOS_SOLICITUD, type EstadoSolicitud } from '@acuse/contract';
import { type EstadoParte, progresoDe, type TipoDescarga } from '@acuse/core';
import type { Database } from '../database.ts';
import { isUuid } from '../uuid.ts';

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
  /** Part of an id: hexadecimal digits and dashes. */
  readonly texto?: string;
}

/** Where a page begins: after an id towards the older ones, or before one towards the newer ones. Absent: at the newest. */
export type Cursor = { readonly antesDe: string } | { readonly despuesDe: string };

export interface FilaSolicitudPanel {
  readonly id: string;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  readonly estado: EstadoSolicitud;
  readonly motivo: string | null;
  /** 0 to 1. */
  readonly progreso: number;
  readonly registros: number | null;
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
  readonly paqueteBorradoEn: Date | null;
}

export interface PaginaSolicitudes {
  /** Newest first. */
  readonly filas: readonly FilaSolicitudPanel[];
  readonly hayAntes: boolean;
  readonly hayDespues: boolean;
}

/** Solicitudes of one state are counted up to here; more are "at least so many". */
export const TOPE_CUENTA = 1_000;

const TIPOS: readonly TipoDescarga[] = ['emitidos', 'recibidos'];
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** The clock of the process that made an id and the one of the database that dated its row may differ by so much. */
const CLOCKS_MS = 600_000;

/** The least or greatest UUIDv7 of a millisecond (RFC 9562, section 5.7). */
function idAt(date: Date, end: 'least' | 'greatest'): string {
  const ms = Math.min(Math.max(date.getTime(), 0), 2 ** 48 - 1);
  const hex = ms.toString(16).padStart(12, '0');
  const rest = end === 'least' ? '-0000-0000-000000000000' : '-ffff-ffff-ffffffffffff';
  return `${hex.slice(0, 8)}-${hex.slice(8)}${rest}`;
}

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statement of a page. Each pair of state and tipo gives its newest ids from an index that holds them in order, whatever else is
 * filtered being in that index too; only the rows of the page are then read from the table.
 */
export function statementOfPage(
  cuentaId: string,
  filtro: FiltroSolicitudes,
  cursor: Cursor | null,
  limit: number,
): Statement {
  const { rfc, tipo, estado, periodo, creada, texto } = filtro;
  const isUp = cursor !== null && 'despuesDe' in cursor;
  const low = [FIRST_ID];
  const high = [LAST_ID];
  if (cursor && 'antesDe' in cursor) high.push(cursor.antesDe);
  if (cursor && 'despuesDe' in cursor) low.push(cursor.despuesDe);
  if (creada?.desde) low.push(idAt(new Date(creada.desde.getTime() - CLOCKS_MS), 'least'));
  if (creada?.hasta) high.push(idAt(new Date(creada.hasta.getTime() + CLOCKS_MS), 'greatest'));
  const values: unknown[] = [
    cuentaId,
    estado ? [estado] : (filtro.estados ?? ESTADOS_SOLICITUD),
    tipo ? [tipo] : TIPOS,
    low.sort().at(-1),
    high.sort()[0],
    limit + 1,
  ];
  const place = (value: unknown) => `$${values.push(value)}`;
  const isWholeId = texto !== undefined && isUuid(texto);
  const conditions = [
    rfc === undefined
      ? 's.cuenta_id = $1'
      : `s.contribuyente_id = (SELECT c.id FROM contribuyente c WHERE c.cuenta_id = $1 AND c.rfc = ${place(rfc)})`,
    's.estado = e.estado AND s.tipo = t.tipo AND s.id > $4 AND s.id < $5',
  ];
  const flags = [isUp ? 'arriba' : 'abajo'];
  const also = (flag: string, condition: string) => {
    flags.push(flag);
    conditions.push(condition);
  };
  if (rfc !== undefined) flags.push('rfc');
  if (periodo) {
    const [until, from] = [place(periodo.hasta), place(periodo.desde)];
    also('periodo', `s.desde <= ${until}::date AND s.hasta >= ${from}::date`);
  }
  if (creada?.desde) also('desde', `s.creada_en >= ${place(creada.desde)}`);
  if (creada?.hasta) also('hasta', `s.creada_en < ${place(creada.hasta)}`);
  if (isWholeId) also('id', `s.id = ${place(texto)}::uuid`);
  else if (texto !== undefined) also('texto', `strpos(s.id::text, ${place(texto)}) > 0`);
  const order = isUp ? 'ASC' : 'DESC';
  return {
    name: `panel-solicitudes-${flags.join('-')}`,
    text: `
WITH hallada AS MATERIALIZED (
  SELECT x.id FROM unnest($2::text[]) AS e (estado) CROSS JOIN unnest($3::text[]) AS t (tipo) CROSS JOIN LATERAL (
    SELECT s.id FROM solicitud s WHERE ${conditions.join(' AND ')}
    ORDER BY s.id ${order} LIMIT $6
  ) x ORDER BY x.id ${order} LIMIT $6
)
SELECT s.id, s.rfc, s.tipo, s.desde::text, s.hasta::text, s.estado, s.fase, s.motivo, s.registros, s.creada_en, s.terminada_en,
       s.paquete_borrado_en, p.partes
FROM hallada JOIN solicitud s ON s.id = hallada.id LEFT JOIN LATERAL (
  SELECT json_object_agg(n.estado, n.n) AS partes FROM
    (SELECT estado, count(*)::int AS n FROM parte WHERE solicitud_id = s.id AND s.terminada_en IS NULL GROUP BY estado) n
) p ON true
ORDER BY s.id ${order}`,
    values,
  };
}

const COUNTS = (whose: string) => `
SELECT e.estado, (SELECT count(*)::int FROM
  (SELECT FROM solicitud s WHERE ${whose} AND s.estado = e.estado LIMIT ${TOPE_CUENTA + 1}) x) AS n
FROM unnest($2::text[]) AS e (estado)`;

const COUNTS_OF_CUENTA = COUNTS('s.cuenta_id = $1');
const COUNTS_OF_RFC = COUNTS(
  's.contribuyente_id = (SELECT c.id FROM contribuyente c WHERE c.cuenta_id = $1 AND c.rfc = $3)',
);

interface Row {
  id: string;
  rfc: string;
  tipo: TipoDescarga;
  desde: string;
  hasta: string;
  estado: EstadoSolicitud;
  fase: 'DESCARGA' | 'ENSAMBLE';
  motivo: string | null;
  registros: string | null;
  creada_en: Date;
  terminada_en: Date | null;
  paquete_borrado_en: Date | null;
  partes: Partial<Record<EstadoParte, number>> | null;
}

function filaOf(row: Row): FilaSolicitudPanel {
  const { id, rfc, tipo, desde, hasta, estado, fase, motivo, partes } = row;
  return {
    id,
    rfc,
    tipo,
    desde,
    hasta,
    estado,
    motivo,
    progreso: progresoDe({ estado, fase, partes: partes ?? {} }),
    registros: row.registros === null ? null : Number(row.registros),
    creadaEn: row.creada_en,
    terminadaEn: row.terminada_en,
    paqueteBorradoEn: row.paquete_borrado_en,
  };
}

/** Lists of the solicitudes of one account, for its people. */
export function createListaPanel({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A page of the account's solicitudes, newest first. */
    async page(
      cuentaId: string,
      filtro: FiltroSolicitudes,
      cursor: Cursor | null,
      limit: number,
    ): Promise<PaginaSolicitudes> {
      const { name, text, values } = statementOfPage(cuentaId, filtro, cursor, limit);
      const { rows } = await pool.query<Row>({ name, text, values: [...values] });
      const hasMore = rows.length > limit;
      const filas = rows.slice(0, limit).map(filaOf);
      const isUp = cursor !== null && 'despuesDe' in cursor;
      if (isUp) filas.reverse();
      return { filas, hayAntes: isUp ? true : hasMore, hayDespues: isUp ? hasMore : cursor !== null };
    },

    /** The RFCs of the account in alphabetical order, as many as a list to choose from can hold. */
    async rfcs(cuentaId: string): Promise<readonly string[]> {
      const { rows } = await pool.query<{ rfc: string }>({
        name: 'panel-rfcs-nombres',
        text: 'SELECT rfc FROM contribuyente WHERE cuenta_id = $1 ORDER BY rfc LIMIT 1000',
        values: [cuentaId],
      });
      return rows.map(({ rfc }) => rfc);
    },

    /** How many there are in each state, up to {@link TOPE_CUENTA} + 1 each. */
    async counts(cuentaId: string, rfc?: string): Promise<Readonly<Record<EstadoSolicitud, number>>> {
      const values = [cuentaId, ESTADOS_SOLICITUD];
      const { rows } = await pool.query<{ estado: EstadoSolicitud; n: number }>(
        rfc === undefined
          ? { name: 'panel-cuentas', text: COUNTS_OF_CUENTA, values }
          : { name: 'panel-cuentas-rfc', text: COUNTS_OF_RFC, values: [...values, rfc] },
      );
      const counts = new Map(rows.map(({ estado, n }) => [estado, n]));
      return Object.fromEntries(
        ESTADOS_SOLICITUD.map((estado) => [estado, counts.get(estado) ?? 0]),
      ) as Record<EstadoSolicitud, number>;
    },
  };
}
