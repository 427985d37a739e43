import type { NombreCola } from '@acuse/core';
import type { Database } from './database.ts';

export interface Latidos {
  /** Notes that a process is alive and, with `consumed`, that it finished work just now. */
  beat(proceso: string, rol: string, consumed: boolean): Promise<void>;
  /** Solicitudes that a queue should have brought to somebody by now: due, held by nobody, their ring no longer in the outbox. */
  overdue(cola: NombreCola): Promise<number>;
}

/** Heartbeats of the workers over PostgreSQL. */
export function createLatidos({ pool }: Pick<Database, 'pool'>): Latidos {
  return {
    async beat(proceso, rol, consumed) {
      await pool.query(
        `INSERT INTO latido (proceso, rol, visto_en, consumido_en) VALUES ($1, $2, now(), CASE WHEN $3 THEN now() END)
         ON CONFLICT (proceso) DO UPDATE SET visto_en = now(), rol = excluded.rol,
           consumido_en = coalesce(excluded.consumido_en, latido.consumido_en)`,
        [proceso, rol, consumed],
      );
    },
    async overdue(cola) {
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM solicitud s
         WHERE estado = 'EN_PROCESO' AND fase = $1 AND due_at < now() AND (lease_until IS NULL OR lease_until < now())
           AND NOT EXISTS (SELECT FROM outbox o WHERE o.solicitud_id = s.id AND o.gen = s.gen)`,
        [cola === 'ensambles' ? 'ENSAMBLE' : 'DESCARGA'],
      );
      return rows[0]?.n ?? 0;
    },
  };
}
