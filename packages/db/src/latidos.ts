import type { Database } from './database.ts';

export interface Latidos {
  /** Notes that a process is alive and, with `consumed`, that it finished work just now. */
  beat(proceso: string, rol: string, consumed: boolean): Promise<void>;
  /** Seconds since any process of a role finished work, and how many rows of it are overdue. */
  consumption(rol: string): Promise<{ secondsSinceConsumed: number | null }>;
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
    async consumption(rol) {
      const { rows } = await pool.query<{ s: number | null }>(
        'SELECT extract(epoch FROM now() - max(consumido_en))::float8 AS s FROM latido WHERE rol = $1',
        [rol],
      );
      return { secondsSinceConsumed: rows[0]?.s ?? null };
    },
  };
}
