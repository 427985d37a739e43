import { type Database, rowsOf } from '@acuse/db';
import { CLAVES_LISTADO, type ClaveListado } from '../listados.ts';
import type { CargaLista, CargaPendiente, VersionLista } from '../listas.ts';
import { readPendientes } from './carga-listas.ts';
import { CUT } from './statements-listas.ts';

/** Of every list the version that answers are given from, the last attempt, and the wish that stands. */
export interface EstadoListado {
  readonly clave: ClaveListado;
  readonly vigente: Pick<
    VersionLista,
    'fechaCorte' | 'fuente' | 'filas' | 'sha256' | 'cargadaEn' | 'revisadaEn'
  > | null;
  readonly ultima: CargaLista | null;
  readonly pedidaEn: Date | null;
  /** Seconds since its source confirmed the version that is there, or the operator put it in; null without one. */
  readonly edadSegundos: number | null;
  /** Its source has not confirmed it for longer than allowed. */
  readonly isVieja: boolean;
  /** The last attempt that says anything of the source failed. */
  readonly isRechazada: boolean;
}

/** Sources tell every day whether a list is the newest. */
const MAX_DIAS = 3;
/** One that was put in by hand is as new as the operator; the SAT changes most of them once a month. */
const MAX_DIAS_BY_HAND = 45;

const vigenteOf = (t: string) => `
SELECT g.archivo, v.fecha_corte, v.fuente, v.filas, v.sha256, v.cargada_en, v.revisada_en FROM ${t}_vigente g JOIN ${t}_version v ON v.id = g.version_id`;
const ultimaOf = (t: string) => `
SELECT c.archivo, c.iniciada_en, c.terminada_en, c.resultado, c.motivo FROM unnest($1::text[]) a (archivo)
CROSS JOIN LATERAL (SELECT * FROM ${t}_carga c WHERE c.archivo = a.archivo ORDER BY id DESC LIMIT 1) c`;
const dichoOf = (t: string) => `
SELECT c.archivo, c.resultado FROM unnest($1::text[]) a (archivo)
CROSS JOIN LATERAL (
  SELECT * FROM ${t}_carga c WHERE c.archivo = a.archivo AND c.resultado <> 'EN_CURSO' AND c.motivo IS DISTINCT FROM '${CUT}'
  ORDER BY id DESC LIMIT 1
) c`;

const ESTADOS = `
WITH vigente AS (${vigenteOf('efos')} UNION ALL ${vigenteOf('listado')}),
ultima AS (${ultimaOf('efos')} UNION ALL ${ultimaOf('listado')}),
dicho AS (${dichoOf('efos')} UNION ALL ${dichoOf('listado')}),
pedido AS (SELECT archivo, pedido_en FROM efos_pedido UNION ALL SELECT archivo, pedido_en FROM listado_pedido)
SELECT a.archivo AS clave, v.archivo IS NOT NULL AS "isVigente", v.fecha_corte::text AS "fechaCorte", v.fuente, v.filas, v.sha256,
  v.cargada_en AS "cargadaEn", v.revisada_en AS "revisadaEn",
  u.iniciada_en AS "iniciadaEn", u.terminada_en AS "terminadaEn", u.resultado, u.motivo, p.pedido_en AS "pedidaEn",
  e.segundos AS "edadSegundos",
  coalesce(e.segundos > CASE WHEN v.fuente LIKE 'archivo:%' THEN ${MAX_DIAS_BY_HAND} ELSE ${MAX_DIAS} END * 86400, false) AS "isVieja",
  coalesce(d.resultado = 'FALLIDA', false) AS "isRechazada"
FROM unnest($1::text[]) WITH ORDINALITY a (archivo, n)
LEFT JOIN vigente v USING (archivo) LEFT JOIN ultima u USING (archivo) LEFT JOIN pedido p USING (archivo)
LEFT JOIN dicho d USING (archivo)
CROSS JOIN LATERAL (SELECT extract(epoch FROM now() - v.revisada_en)::float8 AS segundos) e
ORDER BY a.n`;

type Row = VersionLista & CargaLista & Omit<EstadoListado, 'vigente' | 'ultima'> & { isVigente: boolean };

/** All lists that the SAT publishes, side by side. */
export function createListados({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Those of `claves` that should be fetched now, and why (`pendiente` of one of them says when that is). */
    pendientes: (options: {
      readonly claves: readonly ClaveListado[];
      readonly maxHoras: number;
    }): Promise<{ clave: ClaveListado; motivo: CargaPendiente }[]> => readPendientes(pool, options),

    /** All of them, in the order of the catalogue. */
    async estados(): Promise<EstadoListado[]> {
      const rows = await rowsOf<Row>(pool, ESTADOS, [CLAVES_LISTADO]);
      return rows.map((row) => {
        const { clave, isVigente, pedidaEn, fechaCorte, fuente, filas, sha256, cargadaEn, revisadaEn } = row;
        const { iniciadaEn, terminadaEn, resultado, motivo } = row;
        const { edadSegundos, isVieja, isRechazada } = row;
        return {
          clave,
          pedidaEn,
          edadSegundos,
          isVieja,
          isRechazada,
          vigente: isVigente ? { fechaCorte, fuente, filas, sha256, cargadaEn, revisadaEn } : null,
          ultima: resultado === null ? null : { iniciadaEn, terminadaEn, resultado, motivo },
        };
      });
    },
  };
}
