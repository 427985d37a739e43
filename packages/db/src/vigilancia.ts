import type { Vigilancia } from '@acuse/core';
import type { Database } from './database.ts';
import { terminarSinPaquete } from './taller/terminar.ts';

const RING_OVERDUE = `
WITH atrasada AS (
  SELECT id FROM solicitud s
  WHERE estado = 'EN_PROCESO' AND due_at < now() - make_interval(secs => $1) AND (lease_until IS NULL OR lease_until < now())
    AND NOT EXISTS (SELECT FROM outbox o WHERE o.solicitud_id = s.id AND o.gen = s.gen)
  ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
), timbre AS (
  UPDATE solicitud s SET gen = s.gen + 1, lease_until = NULL, due_at = now()
  FROM atrasada WHERE s.id = atrasada.id RETURNING s.id, s.gen, s.fase, s.due_at
)
INSERT INTO outbox (solicitud_id, gen, cola, due_at)
SELECT id, gen, CASE fase WHEN 'ENSAMBLE' THEN 'ensambles' ELSE 'descargas' END, due_at FROM timbre`;

const EXPIRED = `SELECT id FROM solicitud WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND deadline_at <= now()
  ORDER BY deadline_at LIMIT $1`;

const EXPIRE = terminarSinPaquete(
  `s.id = $4 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND s.deadline_at <= now()`,
);

const RETIRE = `
WITH vieja AS (
  SELECT id FROM solicitud WHERE estado = 'TERMINADA' AND paquete_borrado_en IS NULL
    AND terminada_en < now() - make_interval(days => $1) ORDER BY terminada_en LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE solicitud s SET paquete_borrado_en = now() FROM vieja WHERE s.id = vieja.id`;

const PURGEABLE = `
SELECT id FROM solicitud
WHERE terminada_en IS NOT NULL AND objetos_borrados_en IS NULL AND (estado <> 'TERMINADA' OR paquete_borrado_en IS NOT NULL)
  AND coalesce(paquete_borrado_en, terminada_en) <= now() - make_interval(secs => $1)
ORDER BY coalesce(paquete_borrado_en, terminada_en) LIMIT $2`;

/** The loops' statements over PostgreSQL. Each is safe to run from any number of processes at once. */
export function createVigilancia({ pool }: Pick<Database, 'pool'>): Vigilancia {
  return {
    async ringOverdue({ graceSeconds, limit }) {
      const { rowCount } = await pool.query({
        name: 'atrasadas',
        text: RING_OVERDUE,
        values: [graceSeconds, limit],
      });
      return rowCount ?? 0;
    },

    async expire(limit) {
      const { rows } = await pool.query<{ id: string }>({ name: 'vencidas', text: EXPIRED, values: [limit] });
      const ended: string[] = [];
      for (const { id } of rows) {
        const { rowCount } = await pool.query({
          name: 'vencer',
          text: EXPIRE,
          values: ['VENCIDA', 'PLAZO_AGOTADO', null, id],
        });
        if (rowCount === 1) ended.push(id);
      }
      return ended;
    },

    async retire({ retentionDays, limit }) {
      const { rowCount } = await pool.query(RETIRE, [retentionDays, limit]);
      return rowCount ?? 0;
    },

    async purgeable({ graceSeconds, limit }) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'por-purgar',
        text: PURGEABLE,
        values: [graceSeconds, limit],
      });
      return rows.map((row) => row.id);
    },

    async purged(solicitudId) {
      await pool.query('UPDATE solicitud SET objetos_borrados_en = now() WHERE id = $1', [solicitudId]);
    },

    async tidy() {
      const idempotencia = await pool.query(
        `DELETE FROM idempotencia WHERE creada_en < now() - interval '24 hours'`,
      );
      await pool.query(`DELETE FROM consulta_en_curso WHERE creada_en < now() - interval '4 days'`);
      const latidos = await pool.query(`DELETE FROM latido WHERE visto_en < now() - interval '1 day'`);
      return (idempotencia.rowCount ?? 0) + (latidos.rowCount ?? 0);
    },
  };
}
