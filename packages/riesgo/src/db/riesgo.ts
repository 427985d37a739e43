import { type Database, execute, inTransaction, rowOf, rowsOf } from '@acuse/db';
import { CLAVES_LISTADO, type ClaveListado, LISTADOS } from '@acuse/listas';
import type { ContraparteDePaquete, LugarListado, SumasCfdi, SupuestoListado } from '../riesgo.ts';
import { versionesOf } from './rfcs-listados.ts';

/** What there is with a counterparty. */
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
  /** When it was noticed that it stands there, and when its word was told of last. */
  readonly desde: Date;
  readonly cambiadaEn: Date;
  readonly cfdi: CfdiDeContraparte;
}

const isInParts = (clave: ClaveListado) =>
  CLAVES_LISTADO.some((other) => other !== clave && LISTADOS[other].lista === LISTADOS[clave].lista);
const PARTES = CLAVES_LISTADO.filter(isInParts).map((clave) => `('${clave}', '${LISTADOS[clave].lista}')`);

/**
 * Lists of several files of which one is coming for the first time, or came just now: the next follows, and a
 * counterparty of both would be told of twice. An attempt of an hour ago is nobody's.
 */
const LLEGANDO = `
SELECT p.lista FROM (VALUES ${PARTES.join(', ')}) AS p (archivo, lista) JOIN listado_carga c ON c.archivo = p.archivo
WHERE (c.resultado = 'EN_CURSO' AND c.iniciada_en > now() - interval '1 hour' OR c.resultado = 'CARGADA' AND c.terminada_en > now() - interval '2 minutes')
  AND NOT EXISTS (SELECT FROM listado_carga b WHERE b.archivo = c.archivo AND b.id < c.id AND b.resultado IN ('CARGADA', 'SIN_CAMBIO'))`;

const CRUZABLE = `(SELECT v.lista, v.version_id FROM lista_vigente v WHERE v.lista NOT IN (${LLEGANDO})) v`;
const VERSIONES = versionesOf(CRUZABLE);

/** One that was never crossed, that changed, or that was crossed with other versions. */
const DUE = `
/* riesgo */ SELECT a.id FROM almacen a LEFT JOIN riesgo_cruce c ON c.almacen_id = a.id
WHERE a.id > $1 AND a.borrado_en IS NULL AND a.cambios > 0 AND (c.almacen_id IS NULL OR c.cambios <> a.cambios OR c.versiones <> ${VERSIONES})
ORDER BY a.id LIMIT $2`;

const BEGIN = `
INSERT INTO riesgo_cruce (almacen_id, versiones, cambios) SELECT id, '', 0 FROM almacen WHERE id = $1 AND borrado_en IS NULL
ON CONFLICT DO NOTHING`;

/**
 * Read before the rows are: what changes meanwhile is due again. Null when somebody else is crossing it, or it is gone.
 */
const HOLD = `
SELECT ${VERSIONES} AS versiones, ARRAY(SELECT DISTINCT lista FROM ${CRUZABLE}) AS listas, a.cambios::text FROM riesgo_cruce c JOIN almacen a ON a.id = c.almacen_id
WHERE c.almacen_id = $1 AND a.borrado_en IS NULL FOR NO KEY UPDATE OF c SKIP LOCKED`;

/**
 * Compares who stands on the lists with what is noted, and notes at most `$2` differences, each with its change. The
 * RFCs of the store are joined with the lists; whoever is found is looked up in the CFDI, one by one: certifiers and
 * third parties are named too, and are no counterparties. Under which word each stands is said by `listado_de`. Only
 * the lists of `$3` are looked at: nobody leaves one that is not there. On a list whose words stand side by side another
 * word is told of when it is adverse and new, or when all of them together are adverse no more; others are noted.
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

const LIST = `
SELECT r.rfc, contraparte_nombre($1, r.rfc) AS nombre, r.lista, r.supuesto, r.es_adverso AS "isAdverso", r.publicada::text, r.desde, r.cambiada_en AS "cambiadaEn",
  contraparte_cfdi($1, r.rfc, $5) AS cfdi
FROM (
  SELECT * FROM riesgo_contraparte WHERE almacen_id = $1 AND salio_en IS NULL AND (rfc, lista) > ($2, $3) ORDER BY rfc, lista LIMIT $4
) r ORDER BY r.rfc, r.lista`;

const LIST_PAQUETE = `
SELECT rfc, nombre, lista, supuesto, es_adverso AS "isAdverso", publicada::text,
  json_build_object('cfdi', ingresos, 'monto', ingresos_monto::text) AS ingresos, json_build_object('cfdi', egresos, 'monto', egresos_monto::text) AS egresos
FROM riesgo_paquete WHERE solicitud_id = $1 AND (rfc, lista) > ($2, $3) ORDER BY rfc, lista LIMIT $4`;

/** Not those that clear, nor those that left. */
const NEWS = `
SELECT s.rfc, count(*)::int AS contrapartes FROM sincronizacion s JOIN riesgo_contraparte r ON r.almacen_id = s.almacen_id
WHERE s.cuenta_id = $1 AND s.estado <> 'BORRADA' AND r.salio_en IS NULL AND r.es_adverso AND r.cambiada_en > $2
GROUP BY s.rfc ORDER BY s.rfc LIMIT $3`;

/** What came of crossing a store: `isOver` when nothing is left to note. */
export interface Cruce {
  readonly dichos: number;
  readonly isOver: boolean;
}

/** Which counterparties of the stores stand on the lists that the SAT publishes. */
export function createRiesgo({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Stores beyond this one, in their order, whose lists or whose CFDI changed since they were crossed. */
    async due(despuesDe: number, limite: number): Promise<number[]> {
      return (await rowsOf<{ id: number }>(pool, DUE, [despuesDe, limite])).map(({ id }) => id);
    },

    /**
     * Crosses a store with the lists, and notes at most so many differences, each told of once, in one transaction. Null
     * when somebody else has it in hand, or it is gone.
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

    /** Those that stand on a list now, by RFC and list, after `despuesDe`; each with at most `uuids` UUIDs. */
    async list(de: {
      almacenId: number;
      despuesDe: LugarListado | null;
      limite: number;
      uuids: number;
    }): Promise<ContraparteListada[]> {
      const { almacenId, despuesDe, limite, uuids } = de;
      return rowsOf(pool, LIST, [almacenId, despuesDe?.rfc ?? '', despuesDe?.lista ?? '', limite, uuids]);
    },

    /** Those of the package of a solicitud that stood on a list when it ended, by RFC and list, after `despuesDe`. */
    listPaquete: (de: { solicitudId: string; despuesDe: LugarListado | null; limite: number }) =>
      rowsOf<ContraparteDePaquete>(pool, LIST_PAQUETE, [
        ...[de.solicitudId, de.despuesDe?.rfc ?? '', de.despuesDe?.lista ?? '', de.limite],
      ]),

    /** RFCs of an account of which counterparties came to stand on a list, under a word that is adverse, since then. */
    news: (cuentaId: string, desde: Date, limite: number) =>
      rowsOf<{ rfc: string; contrapartes: number }>(pool, NEWS, [cuentaId, desde, limite]),
  };
}

export type Riesgo = ReturnType<typeof createRiesgo>;
