import { type Database, inTransaction, rowOf, SNAPSHOT } from '@acuse/db';

/** SQL: text that differs between two sets of list versions; empty without any version. */
export const versionesOf = (vigentes: string): string =>
  `(SELECT coalesce(string_agg(lista || ' ' || version_id, ',' ORDER BY lista, version_id), '') FROM ${vigentes})`;

const VERSIONES = versionesOf('lista_vigente');

const WHICH = `SELECT ${VERSIONES} AS versiones`;

const COUNT = `SELECT ${VERSIONES} AS versiones, count(*)::int AS cuantos FROM lista_actual`;

/** Reads every row: a plan for a fast first row would be slower. */
const OPEN = `
SET LOCAL cursor_tuple_fraction = 1;
DECLARE listado NO SCROLL CURSOR FOR SELECT rfc FROM lista_actual`;

/** Rows that are in memory at a time. */
const BATCH = 5_000;

const FETCH = `FETCH ${BATCH} FROM listado`;

/** The RFCs of all published lists that are current. */
export function createRfcsListados({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Current versions of the lists, as one text. */
    async versiones(): Promise<string> {
      return (await rowOf<{ versiones: string }>(pool, WHICH))?.versiones ?? '';
    },

    /**
     * Adds every RFC of one snapshot to the set that `create` makes for at most so many RFCs, in batches; an RFC in
     * several rows is added several times. The event loop runs between two batches.
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
