import type { ConsultasEnCurso } from '@acuse/core';
import type { Database } from './database.ts';
import { execute, rowOf } from './statements.ts';

interface Row {
  folio: string;
  inicio: string;
  fin: string;
}

const FIND = 'SELECT folio, inicio, fin FROM consulta_en_curso WHERE contribuyente_id = $1 AND clave = $2';

const KEEP = `
INSERT INTO consulta_en_curso AS c (contribuyente_id, clave, folio, inicio, fin) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (contribuyente_id, clave) DO UPDATE SET folio = c.folio RETURNING folio, inicio, fin`;

const toConsulta = ({ folio, inicio, fin }: Row) => ({ folio, periodo: { inicio, fin } });

/** Running requests of synchronous queries over PostgreSQL. */
export function createConsultasEnCurso({ pool }: Pick<Database, 'pool'>): ConsultasEnCurso {
  return {
    async find(contribuyenteId, clave) {
      const row = await rowOf<Row>(pool, FIND, [contribuyenteId, clave]);
      return row && toConsulta(row);
    },

    async keep(contribuyenteId, clave, { folio, periodo }) {
      const values = [contribuyenteId, clave, folio, periodo.inicio, periodo.fin];
      const row = await rowOf<Row>(pool, KEEP, values);
      if (!row) throw new Error('a running request was not kept');
      return toConsulta(row);
    },

    async drop(contribuyenteId, clave, folio) {
      await execute(pool, 'DELETE FROM consulta_en_curso WHERE contribuyente_id = $1 AND clave = $2 AND folio = $3', [
        contribuyenteId,
        clave,
        folio,
      ]);
    },
  };
}
