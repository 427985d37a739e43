import type { Listas, PasoEfos, RespuestaListas, SituacionEfos } from '@acuse/core';
import type { Database } from '../database.ts';
import { rowOf } from '../statements.ts';

/**
 * One statement, so that all of it is of one moment: a swap in between is either before it or after it. Each part is a
 * look-up by key that gives one row at most, which the planner knows whatever it knows of the tables.
 */
const CONSULT = `
SELECT (SELECT v.fecha_corte::text FROM efos_vigente g JOIN efos_version v ON v.id = g.version_id WHERE g.unica) AS fecha_corte,
       (SELECT fuente FROM edos_lista WHERE unica) AS fuente,
       EXISTS (SELECT FROM edos_rfc WHERE rfc = $1) AS en_edos,
       (SELECT jsonb_agg(jsonb_build_object('situacion', f.situacion, 'historial', f.historial) ORDER BY f.orden)
          FROM efos_fila f WHERE f.version_id = (SELECT version_id FROM efos_vigente WHERE unica) AND f.rfc = $1) AS filas`;

interface Row {
  fecha_corte: string | null;
  fuente: string | null;
  en_edos: boolean;
  filas: { situacion: SituacionEfos; historial: PasoEfos[] }[] | null;
}

/** Both lists, asked for one RFC. */
export function createListas({ pool }: Pick<Database, 'pool'>): Listas {
  return {
    async consultar(rfc): Promise<RespuestaListas> {
      const row = await rowOf<Row>(pool, CONSULT, [rfc]);
      if (!row) throw new Error('the lists returned no row');
      const { fecha_corte: fechaCorte, fuente } = row;
      return {
        efos: fechaCorte === null ? null : { fechaCorte, filas: row.filas ?? [] },
        edos: fuente === null ? null : { fuente, estaListado: row.en_edos },
      };
    },
  };
}
