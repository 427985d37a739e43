import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TipoDescarga } from '@acuse/core';
import {
  Client,
  type Database,
  execute,
  IDLE_MS,
  isDataException,
  isOne,
  rowOf,
  SESSION_OPTIONS,
  transactionOn,
} from '@acuse/db';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** A package of metadata that is to be merged into a store. */
export interface NuevaLectura {
  readonly almacenId: number;
  readonly solicitudId: string;
  readonly tipo: TipoDescarga;
  /** Calendar days of central Mexico, `yyyy-MM-dd`, both included. A known CFDI outside the package is missing. */
  readonly desde: string;
  readonly hasta: string;
  /** When the SAT was asked. */
  readonly pedidaEn: Date;
  /** False for an empty answer without the confirmation of another channel. */
  readonly isConfirmada: boolean;
  /** The package has XML, and its rows end with the path of each. */
  readonly isXml?: boolean;
}

/** What a reading brought. */
export interface LecturaHecha {
  /** Its number in the store, from 1. */
  readonly n: number;
  readonly filas: number;
  readonly nuevos: number;
  /** Cancelled, in force again, there again, or with other data. */
  readonly cambiados: number;
  readonly ausentes: number;
  /** Too many were missing to believe it: the same period has to be read again. */
  readonly isDudosa: boolean;
}

/** A package with rows that cannot be stored: an invalid date, or bytes that are no text. */
export class LecturaIlegible extends Error {
  constructor(cause: unknown) {
    super('the rows of a package cannot be read', { cause });
    this.name = 'LecturaIlegible';
  }
}

/** Time-out of a statement of a merge, milliseconds: a million new rows take half a minute. */
const TIMEOUT_MS = 600_000;

/** As the columns of `metadata.csv` (docs/integrators/es/formatos.md); the last one of packages with XML alone. */
const leidaOf = (isXml: boolean) => `
CREATE TEMPORARY TABLE leida (
  uuid uuid, rfc_emisor text, nombre_emisor text, rfc_receptor text, nombre_receptor text, rfc_pac text, emitida timestamp(0),
  certificada timestamp(0), monto text, efecto text, estatus text, cancelada timestamp(0), rfc_tercero text, nombre_tercero text${isXml ? ', xml text' : ''}
) ON COMMIT DROP`;

/**
 * Copies the rows of the requested days only. A row of another day would count as new at every reading, and its partition
 * may be missing; the reading of that day brings the row. A row without UUID or day is an error.
 */
const copyOf = (desde: string, hasta: string) =>
  `COPY leida FROM STDIN (FORMAT csv, HEADER, FORCE_NOT_NULL (uuid, emitida)) WHERE emitida >= ${pg.escapeLiteral(desde)}::date AND emitida < ${pg.escapeLiteral(hasta)}::date + 1`;

/** Holds the store until the end of the transaction. */
const LOCK = 'SELECT FROM almacen WHERE id = $1 AND borrado_en IS NULL FOR NO KEY UPDATE';

/** Result of an earlier merge of this package. A separate statement sees merges that ended while this one waited. */
const KNOWN = `
SELECT n, filas, nuevos, cambiados, ausentes, es_dudosa AS "isDudosa" FROM lectura WHERE almacen_id = $1 AND solicitud_id = $2`;

/** RFC and name of the counterparty; `$2` is the requested kind. */
const CONTRAPARTE = `CASE WHEN $2 = 'recibidos' THEN rfc_emisor ELSE rfc_receptor END`;
const SU_NOMBRE = `CASE WHEN $2 = 'recibidos' THEN nombre_emisor ELSE nombre_receptor END`;
/** Cuts names to 600 characters: longer ones do not fit into an index (Anexo 20 allows 300). */
const cut = (nombre: string) => `left(coalesce(${nombre}, ''), 600)`;

/** Gives ids to new names only: `ON CONFLICT` would spend an id for every known row. */
const NAMES = `
WITH visto AS (
  SELECT ${CONTRAPARTE} AS rfc, ${cut(SU_NOMBRE)} AS nombre FROM leida
  UNION SELECT rfc_pac, '' FROM leida
  UNION SELECT rfc_tercero, ${cut('nombre_tercero')} FROM leida
)
INSERT INTO nombrado (almacen_id, rfc, nombre)
SELECT $1, left(v.rfc, 600), v.nombre FROM visto v
WHERE v.rfc IS NOT NULL AND NOT EXISTS (SELECT FROM nombrado x WHERE x.almacen_id = $1 AND x.rfc = left(v.rfc, 600) AND x.nombre = v.nombre)`;

/** Missing CFDI that are believed at once; beyond them, the share of the known CFDI that makes a reading doubtful. */
const POCOS_AUSENTES = 20;
const PARTE_AUSENTE = 0.2;

/**
 * Compares the rows of a reading with the store and writes the differences, each with a numbered change. Equal rows stay
 * untouched. A doubtful reading is believed when the next reading from the same day, with the same or a later end, agrees:
 * the current month is read up to the day of the request. A CFDI that comes twice counts once. `$5` solicitud, `$6` time
 * of the request, `$7` confirmed.
 */
const MERGE = `
WITH fila AS MATERIALIZED (
  SELECT DISTINCT ON (emitida, uuid) emitida, uuid, certificada, cancelada, estatus = 'VIGENTE' AS vigente,
    coalesce(nullif(left(efecto, 1), ''), '?') AS efecto,
    CASE WHEN monto ~ '^-?[0-9]{1,30}([.][0-9]{1,12})?$' THEN monto::numeric END AS monto,
    left(coalesce(${CONTRAPARTE}, ''), 600) AS rfc, ${cut(SU_NOMBRE)} AS nombre, left(rfc_pac, 600) AS pac,
    left(rfc_tercero, 600) AS tercero, ${cut('nombre_tercero')} AS nombre_tercero
  FROM leida ORDER BY emitida, uuid, estatus, cancelada DESC NULLS LAST
), leido AS MATERIALIZED (
  SELECT f.emitida, f.uuid, f.certificada, f.cancelada, f.vigente, f.efecto, f.monto, c.id AS contraparte_id, p.id AS pac_id, t.id AS tercero_id
  FROM fila f
  LEFT JOIN nombrado c ON c.almacen_id = $1 AND c.rfc = f.rfc AND c.nombre = f.nombre
  LEFT JOIN nombrado p ON p.almacen_id = $1 AND p.rfc = f.pac AND p.nombre = ''
  LEFT JOIN nombrado t ON t.almacen_id = $1 AND t.rfc = f.tercero AND t.nombre = f.nombre_tercero
), conocido AS MATERIALIZED (
  SELECT * FROM cfdi WHERE almacen_id = $1 AND recibido = ($2 = 'recibidos') AND emitida >= $3::date AND emitida < $4::date + 1
), distinto AS MATERIALIZED (
  SELECT coalesce(l.emitida, x.emitida) AS emitida, coalesce(l.uuid, x.uuid) AS uuid,
    l.certificada, coalesce(l.cancelada, CASE WHEN l.uuid IS NULL THEN x.cancelada END) AS cancelada, coalesce(l.vigente, x.vigente) AS vigente,
    l.efecto, l.monto, l.contraparte_id, l.pac_id, l.tercero_id,
    x.uuid IS NULL AS es_nuevo, l.uuid IS NULL AS falta,
    CASE WHEN x.uuid IS NULL THEN ARRAY['N'] WHEN l.uuid IS NULL THEN ARRAY['A'] ELSE array_remove(ARRAY[
      CASE WHEN x.ausente IS NOT NULL THEN 'R' END,
      CASE WHEN x.vigente AND NOT l.vigente THEN 'C' WHEN l.vigente AND NOT x.vigente THEN 'V'
        WHEN ROW (x.certificada, x.cancelada, x.efecto, x.monto, x.contraparte_id, x.pac_id, x.tercero_id)
          IS DISTINCT FROM ROW (l.certificada, l.cancelada, l.efecto::char(1), l.monto, l.contraparte_id, l.pac_id, l.tercero_id) THEN 'D' END
    ], NULL) END AS clases
  FROM leido l FULL JOIN conocido x ON x.emitida = l.emitida AND x.uuid = l.uuid
  WHERE x.uuid IS NULL OR (l.uuid IS NULL AND x.ausente IS NULL) OR (l.uuid IS NOT NULL AND (x.ausente IS NOT NULL
    OR ROW (x.vigente, x.certificada, x.cancelada, x.efecto, x.monto, x.contraparte_id, x.pac_id, x.tercero_id)
      IS DISTINCT FROM ROW (l.vigente, l.certificada, l.cancelada, l.efecto::char(1), l.monto, l.contraparte_id, l.pac_id, l.tercero_id)))
), juicio AS MATERIALIZED (
  SELECT count(*) FILTER (WHERE falta) > 0 AND (
      (NOT $7 AND NOT EXISTS (SELECT FROM leido))
      OR (count(*) FILTER (WHERE falta) > ${POCOS_AUSENTES}
        AND count(*) FILTER (WHERE falta) > ${PARTE_AUSENTE} * (SELECT count(*) FROM conocido WHERE ausente IS NULL)
        AND NOT coalesce((SELECT es_dudosa FROM lectura WHERE almacen_id = $1 AND tipo = $2 AND desde = $3::date AND hasta <= $4::date ORDER BY n DESC LIMIT 1), false))
    ) AS es_dudosa FROM distinto
), cambia AS MATERIALIZED (
  SELECT * FROM distinto WHERE NOT falta OR NOT (SELECT es_dudosa FROM juicio)
), cambio AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY c.emitida, c.uuid, k.orden) AS orden, c.emitida, c.uuid, c.cancelada, c.vigente, k.clase
  FROM cambia c CROSS JOIN LATERAL unnest(c.clases) WITH ORDINALITY AS k (clase, orden)
), cuenta AS (
  UPDATE almacen SET cambios = cambios + (SELECT count(*) FROM cambio), lecturas = lecturas + 1 WHERE id = $1
  RETURNING cambios - (SELECT count(*) FROM cambio) AS antes, lecturas AS n
), nuevos AS (
  INSERT INTO cfdi (emitida, certificada, cancelada, uuid, almacen_id, contraparte_id, pac_id, tercero_id, primera, recibido, vigente, efecto, monto)
  SELECT emitida, certificada, cancelada, uuid, $1, contraparte_id, pac_id, tercero_id, (SELECT n FROM cuenta), $2 = 'recibidos', vigente, efecto, monto
  FROM cambia WHERE es_nuevo ORDER BY emitida, uuid
), presentes AS (
  UPDATE cfdi x SET ausente = NULL, vigente = c.vigente, certificada = c.certificada, cancelada = c.cancelada, efecto = c.efecto, monto = c.monto,
    contraparte_id = c.contraparte_id, pac_id = c.pac_id, tercero_id = c.tercero_id
  FROM cambia c
  WHERE NOT c.es_nuevo AND NOT c.falta AND x.almacen_id = $1 AND x.recibido = ($2 = 'recibidos') AND x.emitida >= $3::date AND x.emitida < $4::date + 1
    AND x.emitida = c.emitida AND x.uuid = c.uuid
), ausentes AS (
  UPDATE cfdi x SET ausente = (SELECT n FROM cuenta) FROM cambia c
  WHERE c.falta AND x.almacen_id = $1 AND x.recibido = ($2 = 'recibidos') AND x.emitida >= $3::date AND x.emitida < $4::date + 1
    AND x.emitida = c.emitida AND x.uuid = c.uuid
), dichos AS (
  INSERT INTO cfdi_cambio (n, emitida, cancelada, uuid, almacen_id, lectura, vigente, clase)
  SELECT k.antes + c.orden, c.emitida, c.cancelada, c.uuid, $1, k.n, c.vigente, c.clase FROM cambio c CROSS JOIN cuenta k ORDER BY c.orden
)
INSERT INTO lectura (almacen_id, n, solicitud_id, tipo, desde, hasta, pedida_en, filas, nuevos, cambiados, ausentes, es_dudosa, despues_de)
SELECT $1, k.n, $5, $2, $3::date, $4::date, $6, (SELECT count(*) FROM leido), (SELECT count(*) FROM cambia WHERE es_nuevo),
  (SELECT count(*) FROM cambia WHERE NOT es_nuevo AND NOT falta), (SELECT count(*) FROM cambia WHERE falta), (SELECT es_dudosa FROM juicio), k.antes
FROM cuenta k
RETURNING n, filas, nuevos, cambiados, ausentes, es_dudosa AS "isDudosa"`;

const IN_PERIOD = `x.almacen_id = $1 AND x.recibido = ($2 = 'recibidos') AND x.emitida >= $3::date AND x.emitida < $4::date + 1`;

/** Notes the XML that a reading brought, and counts how often those in force were asked for in vain. `$5` the reading. */
const FOUND = `
UPDATE cfdi x SET xml = CASE WHEN l.esta THEN $5::int ELSE coalesce(x.xml, 0) - 1 END
FROM (SELECT emitida, uuid, bool_or(xml IS NOT NULL) AS esta FROM leida GROUP BY emitida, uuid) l
WHERE ${IN_PERIOD} AND x.emitida = l.emitida AND x.uuid = l.uuid AND (l.esta OR (x.vigente AND coalesce(x.xml, 0) IN (0, -1)))`;

/** Notes the CFDI in force whose XML a subscription of XML never asked for. */
const WANTED = `
UPDATE cfdi x SET xml = 0 WHERE ${IN_PERIOD} AND x.vigente AND x.ausente IS NULL AND x.xml IS NULL
  AND (SELECT s.contenido FROM sincronizacion s WHERE s.almacen_id = $1) = 'xml'`;

/**
 * Merges the rows of a package, given as `metadata.csv`, into a store: all or nothing, once for each solicitud. A repeated
 * merge returns the result of the first; null when the store is gone. Rejects with {@link LecturaIlegible}.
 */
export async function mergeLectura(
  { settings, pool }: Pick<Database, 'settings' | 'pool'>,
  lectura: NuevaLectura,
  csv: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<LecturaHecha | null> {
  signal.throwIfAborted();
  const { almacenId, solicitudId, tipo, desde, hasta, pedidaEn, isConfirmada, isXml = false } = lectura;
  // Outside the merge's transaction: creating a partition locks the table until its transaction ends.
  await execute(pool, 'SELECT cfdi_meses($1, $2)', [desde, hasta]);
  // Its own connection: a merge needs a longer time-out and more work memory than other statements.
  const client = new Client({
    connectionString: settings.url,
    application_name: `${settings.applicationName}-merge`,
    keepAlive: true,
    options: `${SESSION_OPTIONS} -c work_mem=64MB -c temp_buffers=32MB`,
    connectionTimeoutMillis: settings.timeoutMs,
    statement_timeout: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    // COPY cannot.
    pipeline: false,
  });
  await client.connect();
  const giveUp = () => void client.end().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await transactionOn(client, async () => {
      if (!(await isOne(client, LOCK, [almacenId]))) return null;
      const known = await rowOf<LecturaHecha>(client, KNOWN, [almacenId, solicitudId]);
      if (known !== null) return known;
      await client.query(leidaOf(isXml));
      await pipeline(Readable.from(csv), client.query(copyFrom(copyOf(desde, hasta))), { signal });
      await client.query('ANALYZE leida');
      await execute(client, NAMES, [almacenId, tipo]);
      const values = [almacenId, tipo, desde, hasta, solicitudId, pedidaEn, isConfirmada];
      const hecha = await rowOf<LecturaHecha>(client, MERGE, values);
      const mark = [almacenId, tipo, desde, hasta, hecha?.n];
      if (isXml) await execute(client, FOUND, mark);
      else await execute(client, WANTED, mark.slice(0, 4));
      return hecha;
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isDataException(error)) throw new LecturaIlegible(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    await client.end().catch(() => {});
  }
}
