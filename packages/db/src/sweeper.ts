import { endWithoutPaquete } from './claims/end.ts';
import type { Database } from './database.ts';
import { EN_PROCESO, execute, isOne, rowOf, rowsOf } from './statements.ts';

/**
 * An expired claim has answered its wake-up: the next one gets a new generation, so that the job of the dead worker
 * does not block it. A solicitud without a wake-up (an emptied outbox) gets one of its present generation, if `$2` asks
 * for the search, which reads all open ones. A wake-up of an ended solicitud frees its slot. A solicitud that waits for
 * the e.firma with its metadata whole goes on when nine tenths of its time are over: its package names the missing XML
 * (`lateXml` of the core). Looks at the first deadlines: asked whether one is over, the planner would read all rows.
 */
const RING_OVERDUE = `
WITH de_nadie AS (
  DELETE FROM outbox o WHERE o.rung_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM solicitud s WHERE s.id = o.solicitud_id AND s.estado = ${EN_PROCESO})
), caducada AS (
  SELECT s.id FROM outbox o JOIN solicitud s ON s.id = o.solicitud_id
  WHERE o.rung_at IS NOT NULL AND s.estado = ${EN_PROCESO} AND s.lease_until < now() LIMIT $1
), sin_timbre AS (
  SELECT s.id FROM solicitud s WHERE $2::boolean AND s.estado = 'EN_PROCESO' AND (s.lease_until IS NULL OR s.lease_until < now())
    AND NOT EXISTS (SELECT FROM outbox o WHERE o.solicitud_id = s.id AND o.gen = s.gen) LIMIT $1
), suelta AS (
  SELECT id FROM solicitud WHERE id IN (SELECT id FROM caducada UNION SELECT id FROM sin_timbre)
    AND estado = ${EN_PROCESO} AND (lease_until IS NULL OR lease_until < now()) FOR UPDATE SKIP LOCKED
), timbre AS (
  UPDATE solicitud s SET gen = s.gen + CASE WHEN s.lease_until IS NULL THEN 0 ELSE 1 END, lease_until = NULL
  FROM suelta WHERE s.id = suelta.id RETURNING s.id, s.gen, s.fase, s.cuenta_id, s.due_at
), con_metadata AS (
  SELECT s.id FROM solicitud s WHERE s.estado = 'ESPERA_EFIRMA' AND s.filtros ? 'contenido' AND s.deadline_at < now() + interval '3 days'
    AND s.deadline_at - now() <= (s.deadline_at - s.creada_en) * 0.1
    AND NOT EXISTS (SELECT FROM parte p WHERE p.solicitud_id = s.id AND p.contenido = 'metadata' AND p.estado NOT IN ('DESCARGADA', 'VACIA'))
  LIMIT $1 FOR UPDATE SKIP LOCKED
), sin_xml AS (
  UPDATE solicitud s SET estado = 'EN_PROCESO', motivo = NULL, gen = s.gen + 1, due_at = now()
  FROM con_metadata c WHERE s.id = c.id RETURNING s.id, s.gen, s.fase, s.cuenta_id, s.due_at
), puesto AS (
  INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
  SELECT id, gen, CASE fase WHEN 'ENSAMBLE' THEN 'ensambles' ELSE 'descargas' END, cuenta_id, due_at FROM (TABLE timbre UNION ALL TABLE sin_xml) t
  ON CONFLICT (solicitud_id) DO UPDATE SET gen = excluded.gen, cola = excluded.cola, due_at = excluded.due_at, rung_at = NULL RETURNING solicitud_id
)
SELECT (SELECT count(*) FROM puesto)::int AS woken,
  coalesce((SELECT deadline_at <= now() FROM solicitud WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY deadline_at LIMIT 1), false) AS "isLate",
  coalesce((SELECT vence_en < now() FROM llamada ORDER BY vence_en LIMIT 1), false) AS "isAbandoned"`;

const EXPIRED = `SELECT id FROM solicitud WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND deadline_at <= now()
  ORDER BY deadline_at LIMIT $1`;

const EXPIRE = endWithoutPaquete(
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

/**
 * The loops that keep every solicitud moving whatever happens to the queue. Each is safe to run from any number of
 * processes at once.
 */
export function createSweeper({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Lets go of claims that lapsed, so that their solicitudes are woken again; with `findLost`, gives a wake-up to those
     * that have none. Tells in the same statement whether {@link expire} and `refundAbandoned` have work.
     */
    async wakeOverdue({ limit, findLost }: { limit: number; findLost: boolean }) {
      const none = { woken: 0, isLate: false, isAbandoned: false };
      return (await rowOf<typeof none>(pool, RING_OVERDUE, [limit, findLost])) ?? none;
    },

    /** Ends solicitudes past their deadline: VENCIDA with refund. Returns the ids. */
    async expire(limit: number): Promise<readonly string[]> {
      const rows = await rowsOf<{ id: string }>(pool, EXPIRED, [limit]);
      const ended: string[] = [];
      for (const { id } of rows) {
        if (await isOne(pool, EXPIRE, ['VENCIDA', 'PLAZO_AGOTADO', null, id])) ended.push(id);
      }
      return ended;
    },

    /** Marks packages past their retention: from now on `paquete` answers that they are gone. Returns how many. */
    retire: ({ retentionDays, limit }: { retentionDays: number; limit: number }) =>
      execute(pool, RETIRE, [retentionDays, limit]),

    /**
     * Ended solicitudes with objects to delete: without a package, or with a package retired `graceSeconds` ago (longer
     * than a signed URL lives).
     */
    async purgeable({ graceSeconds, limit }: { graceSeconds: number; limit: number }): Promise<readonly string[]> {
      const rows = await rowsOf<{ id: string }>(pool, PURGEABLE, [graceSeconds, limit]);
      return rows.map((row) => row.id);
    },

    /** Notes that the objects of a solicitud are deleted. */
    async purged(solicitudId: string): Promise<void> {
      await execute(pool, 'UPDATE solicitud SET objetos_borrados_en = now() WHERE id = $1', [solicitudId]);
    },
  };
}

export type Sweeper = ReturnType<typeof createSweeper>;
