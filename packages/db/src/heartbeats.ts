import type { QueueName } from '@acuse/core';
import type { Database } from './database.ts';
import { type Connection, EN_PROCESO, execute, rowOf, rowsOf } from './statements.ts';

/** A process as it was last seen. */
export interface SeenHeartbeat {
  readonly proceso: string;
  readonly rol: string;
  readonly vistoEn: Date;
  readonly consumidoEn: Date | null;
}

/** Parameters: role, process, whether it consumed, slots. */
const BEAT = `
INSERT INTO latido (rol, proceso, visto_en, consumido_en, slots) VALUES ($1, $2, now(), CASE WHEN $3::boolean THEN now() END, $4)
ON CONFLICT (proceso) DO UPDATE SET visto_en = now(), rol = excluded.rol, slots = excluded.slots,
  consumido_en = coalesce(excluded.consumido_en, latido.consumido_en)`;

/** The first parameter is the queue. */
const LAG = `handed AS (
  SELECT o.due_at FROM outbox o JOIN solicitud s ON s.id = o.solicitud_id AND s.gen = o.gen
  WHERE o.cola = $1 AND o.rung_at IS NOT NULL AND s.estado = ${EN_PROCESO} AND (s.lease_until IS NULL OR s.lease_until < now())
), waiting AS (
  SELECT due_at FROM outbox WHERE cola = $1 AND rung_at IS NULL AND due_at < now() ORDER BY due_at LIMIT 1
)
SELECT (SELECT count(*) FROM handed)::int AS unanswered,
  coalesce((SELECT extract(epoch FROM now() - min(due_at)) FROM (SELECT due_at FROM handed UNION ALL SELECT due_at FROM waiting) d), 0)::float8 AS seconds`;

/** Due work of a queue, not consumed messages. */
interface Lag {
  /** Solicitudes that were handed to the queue and have no claim. */
  readonly unanswered: number;
  /** Age of the oldest due wake-up, in the queue or not; 0 without one. */
  readonly seconds: number;
}

/** Reads the lag of a queue. */
export async function lagOn(connection: Connection, queue: QueueName): Promise<Lag> {
  return (await rowOf<Lag>(connection, `WITH ${LAG}`, [queue])) ?? { unanswered: 0, seconds: 0 };
}

/** A process that is alive. */
interface Beat {
  readonly proceso: string;
  readonly rol: string;
  /** It took up work since it was last seen. */
  readonly consumed: boolean;
  /** Steps that it works on at the same time, 0 for one that takes none or is leaving. */
  readonly slots?: number;
}

const valuesOf = ({ rol, proceso, consumed, slots = 0 }: Beat) => [rol, proceso, consumed, slots];

/** Heartbeats of the workers over PostgreSQL. */
export function createHeartbeats({ pool }: Pick<Database, 'pool'>) {
  return {
    async beat(seen: Beat): Promise<void> {
      await execute(pool, BEAT, valuesOf(seen));
    },

    /** {@link beat} of a consumer, with the lag of its queue, in one statement. */
    async beatWithLag(seen: Beat & { readonly rol: QueueName }): Promise<Lag> {
      const row = await rowOf<Lag>(pool, `WITH beat AS (${BEAT}), ${LAG}`, valuesOf(seen));
      return row ?? { unanswered: 0, seconds: 0 };
    },

    /** The processes that were seen in the last day. */
    list: () =>
      rowsOf<SeenHeartbeat>(
        pool,
        'SELECT proceso, rol, visto_en AS "vistoEn", consumido_en AS "consumidoEn" FROM latido ORDER BY rol, proceso',
      ),
  };
}

export type Heartbeats = ReturnType<typeof createHeartbeats>;
