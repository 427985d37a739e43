import type { ConsultasEnCurso } from '@acuse/core';
import type { Database } from './database.ts';

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
      const { rows } = await pool.query<Row>({
        name: 'en-curso',
        text: FIND,
        values: [contribuyenteId, clave],
      });
      return rows[0] ? toConsulta(rows[0]) : null;
    },

    async keep(contribuyenteId, clave, { folio, periodo }) {
      const values = [contribuyenteId, clave, folio, periodo.inicio, periodo.fin];
      const { rows } = await pool.query<Row>({ name: 'guardar-en-curso', text: KEEP, values });
      if (!rows[0]) throw new Error('a running request was not kept');
      return toConsulta(rows[0]);
    },

    async drop(contribuyenteId, clave, folio) {
      await pool.query({
        name: 'soltar-en-curso',
        text: 'DELETE FROM consulta_en_curso WHERE contribuyente_id = $1 AND clave = $2 AND folio = $3',
        values: [contribuyenteId, clave, folio],
      });
    },
  };
}
