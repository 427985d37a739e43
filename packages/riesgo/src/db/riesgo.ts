import { type Database, execute, inTransaction, rowOf, rowsOf } from '@acuse/db';
import { CLAVES_LISTADO, type ClaveListado, LISTADOS } from '@acuse/listas';
import type { ContraparteDePaquete, LugarListado, SumasCfdi, SupuestoListado } from '../riesgo.ts';
import { versionesOf } from './rfcs-listados.ts';

/** CFDI with a counterparty. */
export interface CfdiDeContraparte {
  readonly total: number;
  readonly recibidos: SumasCfdi;
  readonly emitidos: SumasCfdi;
  /** The newest, upper case. */
  readonly uuids: readonly string[];
}

/** A counterparty that stands on a published list. */
export interface ContraparteListada extends SupuestoListado {
  readonly rfc: string;
  readonly nombre: string;
  /** Times of the first crossing that found it, and of the last event about it. */
  readonly desde: Date;
  readonly cambiadaEn: Date;
  readonly cfdi: CfdiDeContraparte;
}

const isInParts = (clave: ClaveListado) =>
  CLAVES_LISTADO.some((other) => other !== clave && LISTADOS[other].lista === LISTADOS[clave].lista);
const PARTES = CLAVES_LISTADO.filter(isInParts).map((clave) => `('${clave}', '${LISTADOS[clave].lista}')`);

/**
 * Lists of several files while their files load for the first time: the next file follows at once, and a counterparty in
 * two files would raise two events. An attempt that began an hour ago has died.
 */
const LLEGANDO = `
SELECT p.lista FROM (VALUES ${PARTES.join(', ')}) AS p (archivo, lista) JOIN listado_carga c ON c.archivo = p.archivo
WHERE (c.resultado = 'EN_CURSO' AND c.iniciada_en > now() - interval '1 hour' OR c.resultado = 'CARGADA' AND c.terminada_en > now() - interval '2 minutes')
  AND NOT EXISTS (SELECT FROM listado_carga b WHERE b.archivo = c.archivo AND b.id < c.id AND b.resultado IN ('CARGADA', 'SIN_CAMBIO'))`;

const CRUZABLE = `(SELECT v.lista, v.version_id FROM lista_vigente v WHERE v.lista NOT IN (${LLEGANDO})) v`;
const VERSIONES = versionesOf(CRUZABLE);

/** Stores that are new, that changed, or that were crossed with other versions of the lists. */
const DUE = `
/* riesgo */ SELECT a.id FROM almacen a LEFT JOIN riesgo_cruce c ON c.almacen_id = a.id
WHERE a.id > $1 AND a.borrado_en IS NULL AND a.cambios > 0 AND (c.almacen_id IS NULL OR c.cambios <> a.cambios OR c.versiones <> ${VERSIONES})
ORDER BY a.id LIMIT $2`;

const BEGIN = `
INSERT INTO riesgo_cruce (almacen_id, versiones, cambios) SELECT id, '', 0 FROM almacen WHERE id = $1 AND borrado_en IS NULL
ON CONFLICT DO NOTHING`;

/** Locks the store and reads its state before the rows, so that later changes make it due again. No row when another process crosses it. */
const HOLD = `
SELECT ${VERSIONES} AS versiones, ARRAY(SELECT DISTINCT lista FROM ${CRUZABLE}) AS listas, a.cambios::text FROM riesgo_cruce c JOIN almacen a ON a.id = c.almacen_id
WHERE c.almacen_id = $1 AND a.borrado_en IS NULL FOR NO KEY UPDATE OF c SKIP LOCKED`;

/**
 * Compares the listed counterparties of store `$1` with those noted, and notes at most `$2` differences, each with its
 * change. Joins the RFCs of the store with the lists first, then looks up each match in the CFDI: certifiers and third
 * parties are in the store but are no counterparties. `listado_de` gives the word of a row. Reads the lists of `$3`
 * only: a list that is not loaded removes no counterparty. On a list with several words per RFC, a new adverse word and
 * the end of all adverse words raise an event; other words are noted only.
 */
const CROSS = `
WITH suyo AS MATERIALIZED (
  SELECT DISTINCT rfc FROM nombrado WHERE almacen_id = $1
), hallado AS MATERIALIZED (
  SELECT DISTINCT s.rfc FROM suyo s JOIN lista_actual l ON l.rfc = s.rfc
), listado AS MATERIALIZED (
  SELECT h.rfc, l.* FROM hallado h CROSS JOIN LATERAL (
    SELECT FROM nombrado n CROSS JOIN LATERAL (SELECT FROM cfdi x WHERE x.almacen_id = $1 AND x.contraparte_id = n.id LIMIT 1) y
    WHERE n.almacen_id = $1 AND n.rfc = h.rfc LIMIT 1
  ) z CROSS JOIN LATERAL listado_de(h.rfc) l WHERE l.lista = ANY ($3::text[])
), notado AS MATERIALIZED (
  SELECT * FROM riesgo_contraparte WHERE almacen_id = $1 AND salio_en IS NULL AND lista = ANY ($3::text[])
), distinto AS MATERIALIZED (
  SELECT coalesce(l.rfc, k.rfc) AS rfc, coalesce(l.lista, k.lista) AS lista, coalesce(l.supuesto, k.supuesto) AS supuesto, k.supuesto AS antes,
    coalesce(l.es_adverso, k.es_adverso) AS es_adverso, CASE WHEN l.rfc IS NULL THEN k.publicada ELSE l.publicada END AS publicada,
    k.cambiada_en AS cambiada, CASE WHEN k.rfc IS NULL THEN 'E' WHEN l.rfc IS NULL THEN 'S'
      WHEN l.supuesto <> k.supuesto AND (l.lista LIKE '69-B%' OR l.es_adverso <> k.es_adverso OR EXISTS (
        SELECT FROM lista_actual x WHERE x.rfc = l.rfc AND x.lista = l.lista AND x.es_adverso AND strpos(', ' || k.supuesto || ', ', ', ' || x.supuesto || ', ') = 0
      )) THEN 'C' END AS clase
  FROM listado l FULL JOIN notado k ON k.rfc = l.rfc AND k.lista = l.lista
  WHERE k.rfc IS NULL OR l.rfc IS NULL OR l.supuesto <> k.supuesto OR l.es_adverso <> k.es_adverso OR l.publicada IS DISTINCT FROM k.publicada
  ORDER BY 1, 2 LIMIT $2
), puesto AS (
  INSERT INTO riesgo_contraparte AS r (almacen_id, rfc, lista, supuesto, es_adverso, publicada, cambiada_en, salio_en)
  SELECT $1, rfc, lista, supuesto, es_adverso, publicada, CASE WHEN clase IS NULL THEN cambiada ELSE now() END, CASE WHEN clase = 'S' THEN now() END FROM distinto
  ON CONFLICT (almacen_id, rfc, lista) DO UPDATE SET supuesto = excluded.supuesto, es_adverso = excluded.es_adverso, publicada = excluded.publicada,
    salio_en = excluded.salio_en, desde = CASE WHEN r.salio_en IS NULL THEN r.desde ELSE now() END,
    cambiada_en = excluded.cambiada_en
), dicho AS (
  INSERT INTO riesgo_cambio (almacen_id, rfc, lista, clase, supuesto, antes, es_adverso, publicada)
  SELECT $1, rfc, lista, clase, supuesto, CASE WHEN clase = 'C' THEN antes END, es_adverso, publicada FROM distinto WHERE clase IS NOT NULL ORDER BY rfc, lista
  RETURNING 1
)
SELECT (SELECT count(*) FROM distinto)::int AS distintos, (SELECT count(*) FROM dicho)::int AS dichos`;

const END = 'UPDATE riesgo_cruce SET versiones = $2, cambios = $3, cruzado_en = now() WHERE almacen_id = $1';

const list = (after: string, order: 'ASC' | 'DESC') => `
SELECT r.rfc, contraparte_nombre($1, r.rfc) AS nombre, r.lista, r.supuesto, r.es_adverso AS "isAdverso", r.publicada::text, r.desde, r.cambiada_en AS "cambiadaEn",
  contraparte_cfdi($1, r.rfc, $5) AS cfdi
FROM (
  SELECT * FROM riesgo_contraparte WHERE almacen_id = $1 AND salio_en IS NULL AND ${after} ORDER BY rfc ${order}, lista ${order} LIMIT $4
) r ORDER BY r.rfc ${order}, r.lista ${order}`;
const LIST = list('(rfc, lista) > ($2, $3)', 'ASC');
const LIST_REVERSED = list(`($2 = '' OR (rfc, lista) < ($2, $3))`, 'DESC');

const LIST_PAQUETE = `
SELECT rfc, nombre, lista, supuesto, es_adverso AS "isAdverso", publicada::text,
  json_build_object('cfdi', ingresos, 'monto', ingresos_monto::text) AS ingresos, json_build_object('cfdi', egresos, 'monto', egresos_monto::text) AS egresos
FROM riesgo_paquete WHERE solicitud_id = $1 AND (rfc, lista) > ($2, $3) ORDER BY rfc, lista LIMIT $4`;

/** Without words that clear, and without counterparties that left a list. */
const NEWS = `
SELECT s.rfc, count(*)::int AS contrapartes FROM sincronizacion s JOIN riesgo_contraparte r ON r.almacen_id = s.almacen_id
WHERE s.cuenta_id = $1 AND s.estado <> 'BORRADA' AND r.salio_en IS NULL AND r.es_adverso AND r.cambiada_en > $2
GROUP BY s.rfc ORDER BY s.rfc LIMIT $3`;

/** Of each RFC its worst word. */
const ADVERSE = `
SELECT DISTINCT ON (l.rfc) l.rfc, l.lista, l.supuesto FROM unnest($1::text[]) AS q (rfc) JOIN lista_actual l ON l.rfc = q.rfc
WHERE l.es_adverso ORDER BY l.rfc, l.lista LIKE '69-B%' DESC, lower(l.supuesto) = 'definitivo' DESC, l.supuesto`;

/** Result of crossing a store: `isOver` when nothing is left to note. */
export interface Cruce {
  readonly dichos: number;
  readonly isOver: boolean;
}

/** Counterparties of stores and packages on the published lists. */
export function createRiesgo({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Stores after `despuesDe`, by number, with lists or CFDI that changed since their last crossing. */
    async due(despuesDe: number, limite: number): Promise<number[]> {
      return (await rowsOf<{ id: number }>(pool, DUE, [despuesDe, limite])).map(({ id }) => id);
    },

    /**
     * Crosses a store with the lists and notes at most `limite` differences, each with one event, in one transaction.
     * Null when another process crosses the store, or the store is gone.
     */
    async cross(almacenId: number, limite: number): Promise<Cruce | null> {
      return inTransaction(pool, async (client) => {
        await execute(client, BEGIN, [almacenId]);
        const held = await rowOf<{ versiones: string; listas: string[]; cambios: string }>(client, HOLD, [almacenId]);
        if (held === null) return null;
        const hecho = await rowOf<{ distintos: number; dichos: number }>(client, CROSS, [
          ...[almacenId, limite, held.listas],
        ]);
        const { distintos = 0, dichos = 0 } = hecho ?? {};
        const isOver = distintos < limite;
        if (isOver) await execute(client, END, [almacenId, held.versiones, held.cambios]);
        return { dichos, isOver };
      });
    },

    /** Listed counterparties by RFC and list, or from Z to A, after `despuesDe`; each with at most `uuids` UUIDs. */
    async list(de: {
      almacenId: number;
      despuesDe: LugarListado | null;
      limite: number;
      uuids: number;
      isReversed?: boolean;
    }): Promise<ContraparteListada[]> {
      const { almacenId, despuesDe, limite, uuids, isReversed } = de;
      return rowsOf(pool, isReversed ? LIST_REVERSED : LIST, [
        almacenId,
        despuesDe?.rfc ?? '',
        despuesDe?.lista ?? '',
        limite,
        uuids,
      ]);
    },

    /** Listed counterparties of a package when its solicitud ended, by RFC and list, after `despuesDe`. */
    listPaquete: (de: { solicitudId: string; despuesDe: LugarListado | null; limite: number }) =>
      rowsOf<ContraparteDePaquete>(pool, LIST_PAQUETE, [
        ...[de.solicitudId, de.despuesDe?.rfc ?? '', de.despuesDe?.lista ?? '', de.limite],
      ]),

    /** Those of `rfcs` that stand on a list today under an adverse word, each with the worst one. */
    adverse: (rfcs: readonly string[]) =>
      rowsOf<{ rfc: string; lista: string; supuesto: string }>(pool, ADVERSE, [rfcs]),

    /** RFCs of an account with counterparties that entered a list under an adverse word since `desde`. */
    news: (cuentaId: string, desde: Date, limite: number) =>
      rowsOf<{ rfc: string; contrapartes: number }>(pool, NEWS, [cuentaId, desde, limite]),
  };
}

export type Riesgo = ReturnType<typeof createRiesgo>;
