import type { TipoDescarga } from '@acuse/core';
import { type Connection, type Database, rowOf, rowsOf } from '@acuse/db';
import type { NuevaLectura } from './merge.ts';
import { readPage } from './pagina.ts';
import { readResumen } from './resumen.ts';

export type { EstadoConocido, FiltroCfdi } from './filtro.ts';
export type { LecturaHecha, NuevaLectura } from './merge.ts';
export type { CfdiConocido, LugarCfdi, PaginaCfdi } from './pagina.ts';
export type { DemasiadosCfdi, ResumenCfdi, SumaPorEfecto, Sumas } from './resumen.ts';

/** Change of a CFDI. */
export type ClaseCambio = 'nuevo' | 'cancelado' | 'vigente' | 'corregido' | 'ausente' | 'presente';

/** A CFDI as it was at a change; amounts and names as they are now. Times are wall clock of central Mexico. */
export interface Cambio {
  /** Number of the change in its store: no two are alike, and none comes later with a smaller one. */
  readonly n: bigint;
  readonly clase: ClaseCambio;
  readonly notadoEn: Date;
  readonly tipo: TipoDescarga;
  /** Upper case. */
  readonly uuid: string;
  readonly isVigente: boolean;
  readonly canceladaEn: string | null;
  readonly emitidaEn: string;
  readonly certificadaEn: string | null;
  readonly contraparte: { readonly rfc: string; readonly nombre: string };
  readonly rfcPac: string | null;
  readonly tercero: { readonly rfc: string; readonly nombre: string } | null;
  /** The newest package that has its XML; null when there is none, or not any more. */
  readonly xml: { readonly solicitudId: string; readonly ruta: string } | null;
  /** `I`, `E`, `T`, `N` or `P`, else what the SAT wrote there. */
  readonly efecto: string;
  /** Decimal, or null where the SAT gave none that can be read. */
  readonly monto: string | null;
}

const ISO_LOCAL = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`;

const TERCERO = `CASE WHEN t.id IS NOT NULL THEN jsonb_build_object('rfc', t.rfc, 'nombre', t.nombre) END`;

/** SQL: {@link Cambio.xml} of the row `x` of `cfdi`, whose package the lateral `z` of {@link xmlOf} is; the path is that of the assembly. */
export const XML = `CASE WHEN z.id IS NOT NULL THEN jsonb_build_object('solicitudId', z.id, 'ruta', z.ruta) END AS xml`;
export const xmlOf = (x: string) => `
LEFT JOIN LATERAL (
  SELECT q.id, format('cfdi/%s/%s.xml', to_char(${x}.emitida, 'YYYY-MM'), upper(${x}.uuid::text)) AS ruta
  FROM lectura b JOIN solicitud q ON q.id = b.solicitud_id
  WHERE b.almacen_id = ${x}.almacen_id AND b.n = ${x}.xml AND q.object_key IS NOT NULL AND q.paquete_borrado_en IS NULL
) z ON true`;

/** A page of changes, looked up one by one: their partitions are known by the date of each. */
const CAMBIOS = `
SELECT k.n, CASE k.clase WHEN 'N' THEN 'nuevo' WHEN 'C' THEN 'cancelado' WHEN 'V' THEN 'vigente' WHEN 'D' THEN 'corregido'
    WHEN 'A' THEN 'ausente' ELSE 'presente' END AS clase,
  l.leida_en AS "notadoEn", l.tipo, upper(k.uuid::text) AS uuid, k.vigente AS "isVigente", ${ISO_LOCAL('k.cancelada')} AS "canceladaEn",
  ${ISO_LOCAL('k.emitida')} AS "emitidaEn", ${ISO_LOCAL('x.certificada')} AS "certificadaEn",
  jsonb_build_object('rfc', c.rfc, 'nombre', c.nombre) AS contraparte, p.rfc AS "rfcPac", ${TERCERO} AS tercero, x.efecto, x.monto::text, ${XML}
FROM (SELECT * FROM cfdi_cambio WHERE almacen_id = $1 AND n > $2 ORDER BY n LIMIT $3) k
JOIN lectura l ON l.almacen_id = $1 AND l.n = k.lectura
CROSS JOIN LATERAL (
  SELECT * FROM cfdi x WHERE x.almacen_id = $1 AND x.recibido = (l.tipo = 'recibidos') AND x.emitida = k.emitida AND x.uuid = k.uuid OFFSET 0
) x
JOIN nombrado c ON c.id = x.contraparte_id
LEFT JOIN nombrado p ON p.id = x.pac_id
LEFT JOIN nombrado t ON t.id = x.tercero_id${xmlOf('x')}
ORDER BY k.n`;

/** Before the first and at the last change of the readings that were merged in a time. */
const RANGE = `
SELECT min(l.despues_de)::text AS "despuesDe",
  coalesce(max(coalesce((SELECT s.despues_de FROM lectura s WHERE s.almacen_id = $1 AND s.n > l.n ORDER BY s.n LIMIT 1), a.cambios)), 0)::text AS ultimo
FROM lectura l JOIN almacen a ON a.id = l.almacen_id WHERE l.almacen_id = $1 AND l.leida_en >= $2 AND l.leida_en < $3`;

const LAST_BEFORE = `
SELECT coalesce((SELECT min(l.despues_de) FROM lectura l WHERE l.almacen_id = a.id AND l.leida_en >= $2), a.cambios)::text AS n FROM almacen a WHERE a.id = $1`;

interface PedidoNotados {
  readonly almacenId: number;
  readonly desde: Date;
  readonly hasta: Date;
  readonly lote: number;
}

/** Opens an empty store, and gives its number. */
export async function openAlmacen(connection: Connection, contribuyenteId: string): Promise<number> {
  const text = 'INSERT INTO almacen (contribuyente_id) VALUES ($1) RETURNING id';
  const row = await rowOf<{ id: number }>(connection, text, [contribuyenteId]);
  if (row === null) throw new Error('no store was opened');
  return row.id;
}

/** Store of the CFDI of taxpayers, kept up to date by merging packages of metadata. */
export function createAlmacenes(database: Database) {
  const { pool } = database;

  /** The changes after the one numbered `despuesDe` (0: from the first), in their order, at most `limite`. */
  async function cambios(despues: { almacenId: number; despuesDe: bigint; limite: number }): Promise<Cambio[]> {
    const { almacenId, despuesDe, limite } = despues;
    const values = [almacenId, despuesDe.toString(), limite];
    const rows = await rowsOf<Omit<Cambio, 'n'> & { n: string }>(pool, CAMBIOS, values);
    return rows.map((row) => ({ ...row, n: BigInt(row.n) }));
  }

  return {
    /** As {@link mergeLectura}, which only workers load. */
    async merge(lectura: NuevaLectura, csv: AsyncIterable<Uint8Array>, signal: AbortSignal) {
      return (await import('./merge.ts')).mergeLectura(database, lectura, csv, signal);
    },

    cambios,

    /** Number of the last change before those that were noticed at this instant or later; 0 when they are all. */
    async lastBefore({ almacenId, instante }: { almacenId: number; instante: Date }): Promise<bigint> {
      return BigInt((await rowOf<{ n: string }>(pool, LAST_BEFORE, [almacenId, instante]))?.n ?? 0);
    },

    /**
     * The changes that were noticed from one instant until before another, in their order, at most `lote` at once. What is
     * noticed while they are read is not among them.
     */
    async *noticed({ almacenId, desde, hasta, lote }: PedidoNotados): AsyncGenerator<Cambio[], void, undefined> {
      const range = await rowOf<{ despuesDe: string | null; ultimo: string }>(pool, RANGE, [almacenId, desde, hasta]);
      if (range === null || range.despuesDe === null) return;
      const ultimo = BigInt(range.ultimo);
      for (let despuesDe = BigInt(range.despuesDe); despuesDe < ultimo; ) {
        const lot = await cambios({ almacenId, despuesDe, limite: lote });
        const last = lot.at(-1);
        if (last === undefined) return;
        // A reading that waited for another may have begun before it, and be numbered after it.
        const isIn = ({ n, notadoEn }: Cambio) => n <= ultimo && notadoEn >= desde && notadoEn < hasta;
        yield lot.filter(isIn);
        despuesDe = last.n;
      }
    },

    page: readPage.bind(null, pool),

    resumen: readResumen.bind(null, pool),

    /** Deletes so many rows, at most, of one of the stores that were closed. Gives how many went: 0 when all are gone. */
    async removeRows(limite: number): Promise<number> {
      const row = await rowOf<{ filas: number }>(pool, REMOVE, [limite]);
      return row?.filas ?? 0;
    },
  };
}

export type Almacenes = ReturnType<typeof createAlmacenes>;

/**
 * One kind of row at a time, in the order of its references; the store itself last. By month, so that one partition is
 * looked at.
 */
const REMOVE = `
WITH cual AS MATERIALIZED (
  SELECT id FROM almacen WHERE borrado_en IS NOT NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
), cambios AS (
  DELETE FROM cfdi_cambio k USING cual WHERE k.almacen_id = cual.id AND k.n IN (
    SELECT n FROM cfdi_cambio WHERE almacen_id = cual.id ORDER BY n LIMIT $1) RETURNING 1
), primera AS MATERIALIZED (
  SELECT x.emitida, date_trunc('month', x.emitida) AS mes FROM cual CROSS JOIN LATERAL (SELECT emitida FROM cfdi WHERE almacen_id = cual.id LIMIT 1) x
), filas AS (
  DELETE FROM cfdi x USING cual, primera m WHERE NOT EXISTS (SELECT FROM cambios) AND x.almacen_id = cual.id
    AND x.emitida >= m.mes AND x.emitida < m.mes + interval '1 month'
    AND (x.recibido, x.emitida, x.uuid) IN (SELECT recibido, emitida, uuid FROM cfdi
      WHERE almacen_id = cual.id AND emitida >= m.mes AND emitida < m.mes + interval '1 month' LIMIT $1) RETURNING 1
), nombres AS (
  DELETE FROM nombrado n USING cual WHERE NOT EXISTS (SELECT FROM cambios) AND NOT EXISTS (SELECT FROM primera)
    AND n.id IN (SELECT id FROM nombrado WHERE almacen_id = cual.id LIMIT $1) RETURNING 1
), lecturas AS (
  DELETE FROM lectura l USING cual WHERE NOT EXISTS (SELECT FROM cambios) AND NOT EXISTS (SELECT FROM primera) AND NOT EXISTS (SELECT FROM nombres)
    AND l.almacen_id = cual.id RETURNING 1
), fin AS (
  DELETE FROM almacen a USING cual WHERE a.id = cual.id AND NOT EXISTS (SELECT FROM cambios) AND NOT EXISTS (SELECT FROM primera)
    AND NOT EXISTS (SELECT FROM nombres) AND NOT EXISTS (SELECT FROM lecturas) AND NOT EXISTS (SELECT FROM sincronizacion s WHERE s.almacen_id = a.id) RETURNING 1
)
SELECT (SELECT count(*) FROM cambios)::int + (SELECT count(*) FROM filas)::int + (SELECT count(*) FROM nombres)::int
  + (SELECT count(*) FROM lecturas)::int + (SELECT count(*) FROM fin)::int AS filas`;
