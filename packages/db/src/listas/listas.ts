import type { Listas, PasoEfos, RespuestaListas, SituacionEfos } from '@acuse/core';
import type { Database } from '../database.ts';

/** One statement, so that all of it is of one moment: a swap in between is either before it or after it. */
const CONSULT = `
SELECT v.fecha_corte::text AS fecha_corte, e.fuente,
       EXISTS (SELECT FROM edos_rfc WHERE rfc = $1) AS en_edos,
       (SELECT jsonb_agg(jsonb_build_object('situacion', f.situacion, 'historial', f.historial) ORDER BY f.orden)
          FROM efos_fila f WHERE f.version_id = v.id AND f.rfc = $1) AS filas
FROM (SELECT true AS unica) uno
LEFT JOIN efos_vigente g ON g.unica = uno.unica
LEFT JOIN efos_version v ON v.id = g.version_id
LEFT JOIN edos_lista e ON e.unica = uno.unica`;

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
      const { rows } = await pool.query<Row>({ name: 'listas', text: CONSULT, values: [rfc] });
      const row = rows[0];
      if (!row) throw new Error('the lists returned no row');
      const { fecha_corte: fechaCorte, fuente } = row;
      return {
        efos: fechaCorte === null ? null : { fechaCorte, filas: row.filas ?? [] },
        edos: fuente === null ? null : { fuente, estaListado: row.en_edos },
      };
    },
  };
}
