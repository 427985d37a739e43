import type { ConsultaEnCurso } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute, rowOf } from '../statements.ts';

interface Row {
  folio: string;
  inicio: string;
  fin: string;
}

const FIND = 'SELECT folio, inicio, fin FROM consulta_en_curso WHERE contribuyente_id = $1 AND clave = $2';

const KEEP = `
INSERT INTO consulta_en_curso AS c (contribuyente_id, clave, folio, inicio, fin) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (contribuyente_id, clave) DO UPDATE SET folio = c.folio RETURNING folio, inicio, fin`;

const DROP = 'DELETE FROM consulta_en_curso WHERE contribuyente_id = $1 AND clave = $2 AND folio = $3';

const toConsulta = ({ folio, inicio, fin }: Row) => ({ folio, periodo: { inicio, fin } });

/**
 * Folio of an asynchronous service of the SAT that a synchronous query left, so that the next call goes on with it.
 * `clave` names the question, such as `retenciones:2025:recibidos`.
 */
export function createConsultasEnCurso({ pool }: Pick<Database, 'pool'>) {
  return {
    async find(contribuyenteId: string, clave: string): Promise<ConsultaEnCurso | null> {
      const row = await rowOf<Row>(pool, FIND, [contribuyenteId, clave]);
      return row && toConsulta(row);
    },

    /** Keeps the request. When another call has kept one meanwhile that one stays, and is returned. */
    async keep(contribuyenteId: string, clave: string, { folio, periodo }: ConsultaEnCurso): Promise<ConsultaEnCurso> {
      const values = [contribuyenteId, clave, folio, periodo.inicio, periodo.fin];
      const row = await rowOf<Row>(pool, KEEP, values);
      if (!row) throw new Error('a running request was not kept');
      return toConsulta(row);
    },

    /** Forgets it, if it is still the one with this folio. */
    async drop(contribuyenteId: string, clave: string, folio: string): Promise<void> {
      await execute(pool, DROP, [contribuyenteId, clave, folio]);
    },
  };
}
