import { type Connection, execute, rowsOf } from '@acuse/db';
import { MAPA } from './mapa.ts';

/** What `:s` and `:e` of the map stand for. */
export const ROOTS = {
  ':s': { tabla: 'solicitud', ids: 'SELECT id FROM solicitud WHERE contribuyente_id = :c' },
  ':e': { tabla: 'webhook_evento', ids: 'SELECT id FROM webhook_evento WHERE cuenta_id = :a AND rfc = :r' },
} as const;
export type Root = keyof typeof ROOTS;

/** The condition of a table's rows in the map; with `ids`, of those that hang on these solicitudes or events. */
export function dondeOf(tabla: string, ids?: string): string {
  const donde = MAPA[tabla]?.donde;
  if (donde === undefined) throw new TypeError(`the map does not say how the rows of ${tabla} are found`);
  return donde.replace(/:[se]\b/g, (root) => ids ?? ROOTS[root as Root].ids);
}

/** A statement about the rows of a table that are the taxpayer's; its parameters are id, account and RFC. */
export const about = (tabla: string, write: (donde: string) => string): string =>
  `WITH q AS (SELECT $1::uuid AS c, nullif($2::text, '')::uuid AS a, $3::text AS r) ${write(dondeOf(tabla).replace(/:([car])\b/g, '(SELECT $1 FROM q)'))}`;

export const deleteAll = (tabla: string): string => about(tabla, (donde) => `DELETE FROM ${tabla} WHERE ${donde}`);

/** Those of an order whose rows hang on a solicitud (`:s`) or an event (`:e`), and that one itself. */
export const under = (order: readonly string[], root: Root): string[] =>
  order.filter((tabla) => tabla === ROOTS[root].tabla || MAPA[tabla]?.donde?.includes(root));

const FOREIGN_KEYS = `
SELECT DISTINCT h.relname AS child, m.relname AS parent, k.confdeltype IN ('a', 'r') AS "isStrict"
FROM pg_constraint k JOIN pg_class h ON h.oid = k.conrelid JOIN pg_class m ON m.oid = k.confrelid
WHERE k.contype = 'f' AND k.conparentid = 0 AND m.relnamespace = 'public'::regnamespace AND h.oid <> m.oid ORDER BY 1, 2`;

/**
 * The tables that lose rows, children first: by the foreign keys of the database, and by where the map looks rows up.
 * Rejects where a table that the map does not delete would hold the taxpayer's rows.
 */
export async function erasureOrder({ pool }: { readonly pool: Connection }): Promise<readonly string[]> {
  const keys = await rowsOf<{ child: string; parent: string; isStrict: boolean }>(pool, FOREIGN_KEYS);
  const deleted = Object.keys(MAPA).filter((tabla) => MAPA[tabla]?.trato === 'borra');
  const holding = keys.filter((key) => key.isStrict && deleted.includes(key.parent) && !deleted.includes(key.child));
  if (holding.length > 0) {
    const tablas = holding.map(({ child, parent }) => `${child} (de ${parent})`).join(', ');
    throw new Error(`El borrado no conoce estas tablas: ${tablas}. Use la versión de Acuse que las hizo, o quítelas.`);
  }
  const isBefore = (child: string, parent: string) =>
    child !== parent &&
    (keys.some((key) => key.child === child && key.parent === parent) || dondeOf(child).includes(`FROM ${parent} `));
  const order: string[] = [];
  const add = (tabla: string): void => {
    if (order.includes(tabla)) return;
    for (const other of deleted) if (isBefore(other, tabla)) add(other);
    order.push(tabla);
  };
  deleted.forEach(add);
  return order;
}

/** Rejects where the database would refuse a deletion: a table, a column or a right is missing. Changes nothing. */
export async function checkErasure({ pool }: { readonly pool: Connection }): Promise<void> {
  const nil = ['00000000-0000-0000-0000-000000000000', '', ''];
  for (const tabla of await erasureOrder({ pool })) await execute(pool, `EXPLAIN ${deleteAll(tabla)}`, nil);
}
