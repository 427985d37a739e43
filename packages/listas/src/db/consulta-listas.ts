import { type Database, rowOf } from '@acuse/db';
import type { RespuestaListas } from '../listas.ts';

/**
 * One statement, so that all of it is of one moment: a swap in between is either before it or after it. Of each RFC
 * every part is a look-up by key, which the planner knows whatever it knows of the tables. An RFC that a file names for
 * the same reason in several rows stands there once, since the oldest.
 */
const CONSULT = `
SELECT (SELECT v.fecha_corte::text FROM efos_vigente g JOIN efos_version v ON v.id = g.version_id WHERE g.unica) AS "fechaCorte",
  (SELECT fuente FROM edos_lista WHERE unica) AS "edosFuente",
  coalesce((SELECT jsonb_agg(jsonb_build_object('lista', g.lista, 'archivo', g.archivo, 'fechaCorte', v.fecha_corte) ORDER BY g.lista, g.archivo)
    FROM listado_vigente g JOIN listado_version v ON v.id = g.version_id), '[]') AS consultadas,
  coalesce((SELECT jsonb_agg(jsonb_build_object(
    'enEdos', EXISTS (SELECT FROM edos_rfc e WHERE e.rfc = q.rfc),
    'efos', coalesce((SELECT jsonb_agg(jsonb_build_object('situacion', f.situacion, 'historial', f.historial) ORDER BY f.orden)
      FROM efos_fila f WHERE f.version_id = (SELECT version_id FROM efos_vigente WHERE unica) AND f.rfc = q.rfc), '[]'),
    'listas', coalesce((SELECT jsonb_agg(to_jsonb(a) ORDER BY a.lista, a.archivo, a.supuesto) FROM (
      SELECT g.lista, g.archivo, f.supuesto, supuesto_adverso(g.archivo, f.supuesto) AS adverso, min(f.publicada) AS desde FROM listado_fila f JOIN listado_vigente g ON g.version_id = f.version_id
      WHERE f.rfc = q.rfc GROUP BY g.lista, g.archivo, f.supuesto) a), '[]')
  ) ORDER BY q.n) FROM unnest($1::text[]) WITH ORDINALITY q (rfc, n)), '[]') AS rfcs`;

/** The lists, asked for some RFCs. */
export function createListas({ pool }: Pick<Database, 'pool'>) {
  return {
    /** In one round trip, of one moment. The answer has an element for each of `rfcs`, in their order. */
    async consultar(rfcs: readonly string[]): Promise<RespuestaListas> {
      const row = await rowOf<RespuestaListas>(pool, CONSULT, [rfcs]);
      if (row?.rfcs.length !== rfcs.length) throw new Error('the lists did not answer for every RFC');
      return row;
    },
  };
}

export type Listas = ReturnType<typeof createListas>;
