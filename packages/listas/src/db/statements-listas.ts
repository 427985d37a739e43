import { nota } from '@acuse/db';
import { type ClaveListado, LISTADOS } from '../listados.ts';
import type { FilaEfos, FilaListado } from '../listas.ts';

/**
 * Where lists are kept: that of article 69-B, whose rows are proceedings, in tables of its own, and all others together.
 * The tables are of the same shape but for the rows.
 */
export interface Tablas<F> {
  readonly prefijo: 'efos' | 'listado';
  /** One statement that inserts a batch: version, numbers, then the columns of the rows. */
  readonly insert: string;
  readonly columns: readonly ((fila: F) => unknown)[];
  /** Column and value that a current version has besides. */
  readonly vigente: { readonly columna: string; readonly de: (clave: ClaveListado) => unknown };
}

export const EFOS: Tablas<FilaEfos> = {
  prefijo: 'efos',
  insert: `
INSERT INTO efos_fila (version_id, orden, rfc, nombre, situacion, historial)
SELECT $1, f.orden, f.rfc, f.nombre, f.situacion, f.historial
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) AS f (orden, rfc, nombre, situacion, historial)`,
  columns: [
    ({ rfc }) => rfc,
    ({ nombre }) => nombre,
    ({ situacion }) => situacion,
    ({ historial }) => JSON.stringify(historial),
  ],
  vigente: { columna: 'unica', de: () => true },
};

export const LISTADO: Tablas<FilaListado> = {
  prefijo: 'listado',
  insert: `
INSERT INTO listado_fila (version_id, orden, rfc, nombre, supuesto, publicada)
SELECT $1, f.orden, f.rfc, f.nombre, f.supuesto, f.publicada
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::date[]) AS f (orden, rfc, nombre, supuesto, publicada)`,
  columns: [({ rfc }) => rfc, ({ nombre }) => nombre, ({ supuesto }) => supuesto, ({ publicada }) => publicada],
  vigente: { columna: 'lista', de: (clave) => LISTADOS[clave].lista },
};

/** The statements of a family of lists; `$1` is the name of the file in those that have one. */
export function statementsOf<F>({ prefijo: t, insert, vigente }: Tablas<F>) {
  const current = `
SELECT v.id, v.fecha_corte::text AS "fechaCorte", v.fuente, v.etag, v.ultima_modificacion AS "ultimaModificacion", v.filas, v.sha256,
       v.cargada_en AS "cargadaEn", v.revisada_en AS "revisadaEn"
FROM ${t}_vigente g JOIN ${t}_version v ON v.id = g.version_id WHERE g.archivo = $1`;
  return {
    current,
    currentLocked: `${current} FOR UPDATE OF g`,
    /** Removes every version but the current one. */
    clean: `DELETE FROM ${t}_version v WHERE v.archivo = $1 AND NOT EXISTS (SELECT FROM ${t}_vigente g WHERE g.version_id = v.id)`,
    insertVersion: `INSERT INTO ${t}_version (archivo, id, fecha_corte, fuente, etag, ultima_modificacion) VALUES ($1, $2, $3, $4, $5, $6)`,
    insertRows: insert,
    dropVersion: `DELETE FROM ${t}_version WHERE id = $1`,
    analyze: `SELECT lista_analiza('${t}_fila')`,
    close: `UPDATE ${t}_version SET filas = $2, sha256 = $3, cargada_en = now(), revisada_en = now() WHERE id = $1`,
    point: `
INSERT INTO ${t}_vigente (archivo, version_id, ${vigente.columna}) VALUES ($1, $2, $3)
ON CONFLICT (archivo) DO UPDATE SET version_id = excluded.version_id`,
    confirm: `
UPDATE ${t}_version SET revisada_en = now(), fuente = coalesce($2, fuente),
  etag = CASE WHEN $2::text IS NULL THEN etag ELSE $3 END,
  ultima_modificacion = CASE WHEN $2::text IS NULL THEN ultima_modificacion ELSE $4 END
WHERE id = $1`,
    wish: `SELECT forzar, pedido_en::text AS en FROM ${t}_pedido WHERE archivo = $1`,
    begin: `
WITH viejas AS (
  DELETE FROM ${t}_carga WHERE archivo = $1 AND id <= (SELECT id FROM ${t}_carga WHERE archivo = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)
)
INSERT INTO ${t}_carga (archivo) VALUES ($1) RETURNING id`,
    /** Ends an attempt, and with it the wish of this moment: one that came while it ran stays. */
    end: `
WITH fin AS (UPDATE ${t}_carga SET resultado = $3, motivo = $4, terminada_en = clock_timestamp() WHERE id = $2)
DELETE FROM ${t}_pedido WHERE archivo = $1 AND pedido_en = $5::timestamptz`,
    ask: `
WITH pedido AS (
  INSERT INTO ${t}_pedido (archivo, pedido_en, forzar) VALUES ($3, clock_timestamp(), $4)
  ON CONFLICT (archivo) DO UPDATE SET pedido_en = excluded.pedido_en, forzar = excluded.forzar RETURNING archivo, forzar
)
${nota({
  accion: t === 'efos' ? 'pedir-lista-69b' : 'pedir-lista',
  de: 'pedido',
  cuenta: 'NULL::uuid',
  detalle:
    t === 'efos' ? `jsonb_build_object('forzar', forzar)` : `jsonb_build_object('lista', archivo, 'forzar', forzar)`,
  actor: '$1',
  ip: '$2',
})}`,
    imported: `
WITH archivo AS (SELECT $3::text AS lista, $4::text AS fuente, $5::integer AS filas)
${nota({
  accion: 'importar-lista',
  de: 'archivo',
  cuenta: 'NULL::uuid',
  detalle: `jsonb_build_object('lista', lista, 'fuente', fuente, 'filas', filas)`,
  actor: '$1',
  ip: '$2',
})}`,
    attempts: `
SELECT iniciada_en AS "iniciadaEn", terminada_en AS "terminadaEn", resultado, motivo FROM ${t}_carga WHERE archivo = $1 ORDER BY id DESC LIMIT 10`,
    wished: `SELECT pedido_en AS en FROM ${t}_pedido WHERE archivo = $1`,
  };
}

/** Why an attempt failed whose process was going: it says nothing of the source. */
export const CUT = 'INTERRUMPIDA';

/** Which lists of a family should be fetched now: names of lists of any family, hours, seconds before a repetition and at most. */
export function pendingOf(t: Tablas<unknown>['prefijo']): string {
  return `
SELECT a.archivo AS clave, p.pendiente AS motivo FROM unnest($1::text[]) a (archivo)
LEFT JOIN LATERAL (
  SELECT resultado, motivo, iniciada_en, coalesce(terminada_en, iniciada_en) AS en FROM ${t}_carga c WHERE c.archivo = a.archivo ORDER BY id DESC LIMIT 1
) u ON true
CROSS JOIN LATERAL (
  SELECT count(*)::int AS n FROM ${t}_carga c WHERE c.archivo = a.archivo
    AND id > coalesce((SELECT max(id) FROM ${t}_carga b WHERE b.archivo = a.archivo AND b.resultado IN ('CARGADA', 'SIN_CAMBIO')), 0)
) f
LEFT JOIN LATERAL (
  SELECT v.revisada_en FROM ${t}_vigente g JOIN ${t}_version v ON v.id = g.version_id WHERE g.archivo = a.archivo
) v ON true
CROSS JOIN LATERAL (SELECT CASE
  WHEN EXISTS (SELECT FROM ${t}_pedido p WHERE p.archivo = a.archivo
    AND NOT coalesce(u.resultado = 'FALLIDA' AND u.motivo <> '${CUT}' AND u.iniciada_en >= date_trunc('milliseconds', p.pedido_en), false)) THEN 'PEDIDA'
  WHEN u.resultado IN ('FALLIDA', 'EN_CURSO') THEN
    CASE WHEN u.en < now() - make_interval(secs => least($3 * power(2, least(f.n, 20) - 1), $4)) THEN 'REINTENTO' END
  WHEN v.revisada_en IS NULL THEN 'SIN_LISTA'
  WHEN v.revisada_en < now() - make_interval(hours => $2) THEN 'VENCIDA'
END AS pendiente) p
WHERE p.pendiente IS NOT NULL AND (a.archivo = '69-b') = ${t === 'efos'}`;
}
