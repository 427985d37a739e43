import type { TipoDescarga } from '@acuse/core';
import { FIRST_ID, LAST_ID, rowsOf } from '@acuse/db';
import type pg from 'pg';
import { type Cambio, XML, xmlOf } from './almacen.ts';
import { type Corte, corteOf, type FiltroCfdi, idsOf, Values } from './filtro.ts';

/** A CFDI as it is known now. Times are wall clock of central Mexico. */
export interface CfdiConocido extends Omit<Cambio, 'n' | 'clase' | 'notadoEn'> {
  /** When it was first seen. */
  readonly vistoEn: Date;
  /** Since when the SAT does not give it any more; null while it does. */
  readonly ausenteDesde: Date | null;
  /** When the last undoubted reading of its day was merged: the state is what the SAT answered then. */
  readonly leidoEn: Date;
}

/** A place in the order of a store, by issue. Every CFDI has its own, and keeps it. */
export interface LugarCfdi {
  readonly emitidaEn: string;
  readonly uuid: string;
  readonly tipo: TipoDescarga;
}

export interface PaginaCfdi {
  readonly filas: readonly CfdiConocido[];
  /** After which place to go on; null when there is nothing more. A page may have less than was asked for before it. */
  readonly siguiente: LugarCfdi | null;
}

/** Rows that are looked at for one page, at most: a filter that hardly any meets would else look at all of a store. */
const EXAMINED = 250_000;
/** How many more are looked at each time that too few were met. */
const GROWTH = 8;

const ISO_LOCAL = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`;

/**
 * The rows of each part (a kind, or a name of the counterparty) in their order, so many at most, and of them those that
 * are meant, with the last one that was looked at; then those of all parts in one order.
 */
function pageText(corte: Corte, kinds: readonly boolean[], values: Values, turn: Turn): string {
  const { rows, examined, after, isReversed } = turn;
  const [sign, order] = isReversed ? ['>', 'ASC'] : ['<', 'DESC'];
  const { indexed, asked, contrapartes } = corte;
  const { emitidaEn, uuid, tipo } = after;
  const place = `(${values.add(emitidaEn)}::timestamp, ${values.add(uuid)}::uuid, ${values.add(tipo === 'recibidos')}::boolean)`;
  const parts = values.add(contrapartes ?? kinds);
  const [type, column] = contrapartes === null ? ['boolean', 'recibido'] : ['int', 'contraparte_id'];
  const found = [
    ...indexed,
    `x.${column} = parte.valor`,
    ...(contrapartes === null ? [] : [`x.recibido = ANY (${values.add(kinds)}::boolean[])`]),
    // The first alone tells which partitions are beyond.
    `x.emitida ${sign}= ${place.slice(1, place.indexOf(','))}`,
    `(x.emitida, x.uuid, x.recibido) ${sign} ${place}`,
  ];
  const most = values.add(examined);
  const limit = values.add(rows);
  const ORDER = `x.emitida ${order}, x.uuid ${order}, x.recibido ${order}`;
  return `
SELECT m.es_meta AS "isMeta", m.vale AS "isMeant", CASE WHEN m.recibido THEN 'recibidos' ELSE 'emitidos' END AS tipo, upper(m.uuid::text) AS uuid,
  m.vigente AS "isVigente", ${ISO_LOCAL('m.cancelada')} AS "canceladaEn", ${ISO_LOCAL('m.emitida')} AS "emitidaEn",
  ${ISO_LOCAL('m.certificada')} AS "certificadaEn", jsonb_build_object('rfc', c.rfc, 'nombre', c.nombre) AS contraparte, p.rfc AS "rfcPac",
  CASE WHEN t.id IS NOT NULL THEN jsonb_build_object('rfc', t.rfc, 'nombre', t.nombre) END AS tercero, m.efecto, m.monto::text,
  v.leida_en AS "vistoEn", f.leida_en AS "ausenteDesde", ${XML}
FROM (
  SELECT x.* FROM unnest(${parts}::${type}[]) AS parte (valor) CROSS JOIN LATERAL (
    SELECT * FROM (
      SELECT x.*, ${asked.length === 0 ? 'true' : asked.map((each) => `(${each})`).join(' AND ')} AS vale,
        row_number() OVER (ORDER BY ${ORDER}) = ${most} AS es_meta
      FROM (SELECT x.* FROM cfdi x WHERE ${found.join(' AND ')} ORDER BY ${ORDER} LIMIT ${most}) x
    ) x WHERE x.vale OR x.es_meta ORDER BY ${ORDER} LIMIT ${limit}
  ) x ORDER BY ${ORDER} LIMIT ${limit}
) m
JOIN nombrado c ON c.id = m.contraparte_id
LEFT JOIN nombrado p ON p.id = m.pac_id
LEFT JOIN nombrado t ON t.id = m.tercero_id
JOIN lectura v ON v.almacen_id = m.almacen_id AND v.n = m.primera
LEFT JOIN lectura f ON f.almacen_id = m.almacen_id AND f.n = m.ausente${xmlOf('m')}
ORDER BY m.emitida ${order}, m.uuid ${order}, m.recibido ${order}`;
}

interface Turn {
  readonly isReversed: boolean;
  readonly rows: number;
  readonly examined: number;
  readonly after: LugarCfdi;
}

type Fila = Omit<CfdiConocido, 'leidoEn'>;

type Row = Fila & { readonly isMeta: boolean; readonly isMeant: boolean };

/** Beyond the newest issue, and before the oldest. */
const NEWEST: LugarCfdi = { emitidaEn: 'infinity', uuid: LAST_ID, tipo: 'recibidos' };
const OLDEST: LugarCfdi = { emitidaEn: '-infinity', uuid: FIRST_ID, tipo: 'emitidos' };

const placeOf = ({ emitidaEn, uuid, tipo }: LugarCfdi): LugarCfdi => ({ emitidaEn, uuid, tipo });

export interface PedidoPagina {
  readonly almacenId: number;
  readonly filtro: FiltroCfdi;
  /** Null for the first page. */
  readonly despuesDe: LugarCfdi | null;
  /** From the oldest issue to the newest. */
  readonly isReversed?: boolean;
  readonly limite: number;
  /** Rows that are looked at, at most. */
  readonly tope?: number;
}

/** Days read between two, both included, with their last reading; the newest first. */
const LEIDAS = `
SELECT tipo, desde::text, hasta::text, max(leida_en) AS "leidaEn" FROM lectura
WHERE almacen_id = $1 AND NOT es_dudosa AND hasta >= $2::date AND desde <= $3::date GROUP BY tipo, desde, hasta ORDER BY "leidaEn" DESC`;

interface Leida {
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  readonly leidaEn: Date;
}

/** The same rows, in the order of their issue, each with when its day was read last. */
async function withLeidoEn(pool: pg.Pool, almacenId: number, filas: readonly Fila[]): Promise<CfdiConocido[]> {
  const dayOf = ({ emitidaEn }: Fila) => emitidaEn.slice(0, 10);
  const [first, last] = [filas[0], filas.at(-1)];
  if (first === undefined || last === undefined) return [];
  const leidas = await rowsOf<Leida>(pool, LEIDAS, [almacenId, ...[dayOf(first), dayOf(last)].sort()]);
  const leidoEn = (fila: Fila) =>
    leidas.find(({ tipo, desde, hasta }) => tipo === fila.tipo && desde <= dayOf(fila) && dayOf(fila) <= hasta)
      ?.leidaEn;
  return filas.map((fila) => ({ ...fila, leidoEn: leidoEn(fila) ?? fila.vistoEn }));
}

/** A page of the CFDI that a filter means, the newest issue first unless the other order is asked for. */
export async function readPage(pool: pg.Pool, pedido: PedidoPagina): Promise<PaginaCfdi> {
  const { filas, siguiente } = await findFilas(pool, pedido);
  return { filas: await withLeidoEn(pool, pedido.almacenId, filas), siguiente };
}

async function findFilas(
  pool: pg.Pool,
  { almacenId, filtro, despuesDe, isReversed = false, limite, tope = EXAMINED }: PedidoPagina,
): Promise<{ readonly filas: readonly Fila[]; readonly siguiente: LugarCfdi | null }> {
  const filas: Fila[] = [];
  const kinds = filtro.tipos.map((tipo) => tipo === 'recibidos');
  let after = despuesDe ?? (isReversed ? OLDEST : NEWEST);
  let left = tope;
  const ids = filtro.contraparte === undefined ? null : await idsOf(pool, almacenId, filtro.contraparte);
  if (ids?.length === 0) return { filas, siguiente: null };
  for (let step = limite + 1; ; step *= GROWTH) {
    const values = new Values();
    const corte = corteOf(almacenId, filtro, ids, values);
    const turn = { isReversed, rows: limite - filas.length + 1, examined: Math.min(step, left), after };
    // Not prepared: which partitions and which index are best depends on the values.
    const { rows } = await pool.query<Row>(pageText(corte, kinds, values, turn), values.all);
    let end: LugarCfdi | null = null;
    for (const { isMeta, isMeant, ...fila } of rows) {
      const last = filas.at(-1);
      if (filas.length === limite && last !== undefined) return { filas, siguiente: placeOf(last) };
      if (isMeant) filas.push(fila);
      if (!isMeta) continue;
      end = placeOf(fila);
      break;
    }
    left -= turn.examined;
    if (end === null || filas.length === limite || left <= 0) return { filas, siguiente: end };
    after = end;
  }
}
