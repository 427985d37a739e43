import type { Database } from '../database.ts';

/** A solicitud that has not ended. */
export interface SolicitudAbierta {
  readonly id: string;
  readonly cuentaId: string;
  readonly cuenta: string;
  readonly rfc: string;
  readonly tipo: string;
  readonly estado: string;
  readonly fase: string;
  readonly canal: string;
  readonly dueAt: Date;
  readonly creadaEn: Date;
  readonly deadlineAt: Date;
}

/** Seconds after which a due solicitud that nobody holds is late: the reconciler would have rung it again by then. */
const GRACIA = 30;

const ABIERTAS = `
SELECT s.id, s.cuenta_id AS "cuentaId", q.email AS cuenta, s.rfc, s.tipo, s.estado, s.fase, s.canal, s.due_at AS "dueAt",
       s.creada_en AS "creadaEn", s.deadline_at AS "deadlineAt"
FROM solicitud s JOIN cuenta q ON q.id = s.cuenta_id`;

const ATRASADA = `s.estado = 'EN_PROCESO' AND s.due_at < now() - make_interval(secs => ${GRACIA})
  AND (s.lease_until IS NULL OR s.lease_until < now())`;

const OF_CUENTA = `${ABIERTAS} WHERE s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY s.creada_en DESC LIMIT $2`;

const OVERDUE = `${ABIERTAS} WHERE ${ATRASADA} ORDER BY s.due_at LIMIT $1`;

/** Solicitudes of all accounts that have not ended, for the operator. */
export function createAbiertas({ pool }: Pick<Database, 'pool'>) {
  const read = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<SolicitudAbierta>({ name, text, values })).rows;
  return {
    /** Those of one account, newest first. */
    ofCuenta: (cuentaId: string, limite: number) => read('abiertas-de-cuenta', OF_CUENTA, [cuentaId, limite]),
    /** Those that somebody should have taken up by now, the most overdue first. */
    atrasadas: (limite: number) => read('operador-atrasadas', OVERDUE, [limite]),
  };
}
