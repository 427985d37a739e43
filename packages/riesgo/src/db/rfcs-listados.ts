import { type Database, inTransaction, rowOf, SNAPSHOT } from '@acuse/db';

/** SQL: what tells one state of these versions of lists from another; empty where there is none. */
export const versionesOf = (vigentes: string): string =>
  `(SELECT coalesce(string_agg(lista || ' ' || version_id, ',' ORDER BY lista, version_id), '') FROM ${vigentes})`;

const VERSIONES = versionesOf('lista_vigente');

const WHICH = `SELECT ${VERSIONES} AS versiones`;

const COUNT = `SELECT ${VERSIONES} AS versiones, count(*)::int AS cuantos FROM lista_actual`;

/** All of it is read: what would give its first row soonest is of no use. */
const OPEN = `
SET LOCAL cursor_tuple_fraction = 1;
DECLARE listado NO SCROLL CURSOR FOR SELECT rfc FROM lista_actual`;

/** Rows that are in memory at a time. */
const BATCH = 5_000;

const FETCH = `FETCH ${BATCH} FROM listado`;

/** The RFCs of all published lists that are current. */
export function createRfcsListados({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Which versions of the lists are current. */
    async versiones(): Promise<string> {
      return (await rowOf<{ versiones: string }>(pool, WHICH))?.versiones ?? '';
    },

    /**
     * Gives every RFC, one that stands in several rows several times, to what `create` makes for at most so many of
     * them: of one moment, in batches. Between two of them others have their turn.
     */
    load: <T extends { add(rfc: string): void }>(
      create: (cuantos: number) => T,
      signal: AbortSignal,
    ): Promise<{ readonly versiones: string; readonly rfcs: T }> =>
      inTransaction(
        pool,
        async (client) => {
          const { versiones = '', cuantos = 0 } =
            (await rowOf<{ versiones: string; cuantos: number }>(client, COUNT)) ?? {};
          const rfcs = create(cuantos);
          await client.query(OPEN);
          for (;;) {
            signal.throwIfAborted();
            const { rows } = await client.query<{ rfc: string }>(FETCH);
            for (const { rfc } of rows) rfcs.add(rfc);
            if (rows.length < BATCH) return { versiones, rfcs };
          }
        },
        SNAPSHOT,
      ),
  };
}

export type LectorRfcsListados = ReturnType<typeof createRfcsListados>;
