import type { Database } from '../database.ts';
import { execute, executeInBatches, isOne, rowOf } from '../statements.ts';

/** How often something may be tried. */
export interface Limite {
  /** Key of the count, such as `cuenta:<hash>` or `ip:203.0.113.9`. */
  readonly clave: string;
  /** Tries that are allowed at once after a pause. */
  readonly rafaga: number;
  /** Seconds that it takes to earn one more. */
  readonly segundos: number;
}

/** Either all limits allowed the try, or the longest wait in whole seconds. */
export type Permiso = { readonly permitido: true } | { readonly permitido: false; readonly esperar: number };

// The generic cell rate algorithm (ITU-T I.371): a row's lock makes the count exact however many processes try at once.
const TAKE = `
INSERT INTO intento AS i (clave, tat) VALUES ($1, now() + make_interval(secs => $3))
ON CONFLICT (clave) DO UPDATE SET tat = greatest(i.tat, now()) + make_interval(secs => $3)
WHERE greatest(i.tat, now()) + make_interval(secs => $3) <= now() + make_interval(secs => $2 * $3)
RETURNING clave`;

const WAIT = `
SELECT ceil(extract(epoch FROM tat + make_interval(secs => $3) - make_interval(secs => $2 * $3) - now()))::int AS esperar
FROM intento WHERE clave = $1`;

const GIVE_BACK = `UPDATE intento SET tat = tat - make_interval(secs => $2) WHERE clave = $1`;

const REMEMBER = `
INSERT INTO intento (clave, tat) VALUES ($1, now() + make_interval(secs => $2)) ON CONFLICT (clave) DO UPDATE SET tat = excluded.tat`;

/** Throttles shared by all processes, counted in the database. */
export function createIntentos({ pool }: Pick<Database, 'pool'>) {
  const take = async ({ clave, rafaga, segundos }: Limite): Promise<Permiso> => {
    const values = [clave, rafaga, segundos];
    if (await isOne(pool, TAKE, values)) return { permitido: true };
    const row = await rowOf<{ esperar: number }>(pool, WAIT, values);
    return { permitido: false, esperar: Math.max(1, row?.esperar ?? 1) };
  };
  const giveBack = ({ clave, segundos }: Limite) => execute(pool, GIVE_BACK, [clave, segundos]);

  return {
    /**
     * Counts one try under every limit before it is made, so that tries at the same moment cannot all pass. A refused
     * one costs nothing.
     */
    async take(limites: readonly Limite[]): Promise<Permiso> {
      const taken: Limite[] = [];
      for (const limite of limites) {
        const permiso = await take(limite);
        if (permiso.permitido) {
          taken.push(limite);
          continue;
        }
        for (const one of taken) await giveBack(one);
        return permiso;
      }
      return { permitido: true };
    },

    /** The try was a good one and does not count. */
    async giveBack(limites: readonly Limite[]): Promise<void> {
      for (const limite of limites) await giveBack(limite);
    },

    /** Remembers something for so many seconds from now. */
    async remember(clave: string, segundos: number): Promise<void> {
      await execute(pool, REMEMBER, [clave, segundos]);
    },

    /** Whether something is still remembered. */
    knows: (clave: string) => isOne(pool, 'SELECT FROM intento WHERE clave = $1 AND tat > now()', [clave]),

    /** Forgets all tries under a key, after a successful proof of identity. */
    async forget(clave: string): Promise<void> {
      await execute(pool, 'DELETE FROM intento WHERE clave = $1', [clave]);
    },

    /** Deletes what no longer counts, in batches; any number of processes may do it at once. */
    purge: () =>
      executeInBatches(
        pool,
        `DELETE FROM intento WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM intento WHERE tat < now() ORDER BY tat LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      ),
  };
}

export type Intentos = ReturnType<typeof createIntentos>;
