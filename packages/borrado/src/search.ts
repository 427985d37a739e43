import { Client, SESSION_OPTIONS } from '@acuse/db';
import pg from 'pg';
import { columnsIn, MAPA } from './mapa.ts';

/** Places of an RFC in a database, and the reason for each. */
export interface Hallazgo {
  readonly tabla: string;
  readonly columna: string;
  readonly filas: number;
  /** Null: no known reason. */
  readonly motivo: string | null;
}

/** What a search has looked at. */
export interface Searched {
  readonly tablas: number;
  readonly columnas: number;
  readonly hallazgos: readonly Hallazgo[];
}

/** Everything that a text may hide in: by its kind, not by its name, so that a table of tomorrow is looked at too. */
const COLUMNS = `
SELECT n.nspname AS esquema, c.relname AS tabla, a.attname AS columna, t.typname IN ('bytea', '_bytea') AS "isBinary",
  EXISTS (SELECT FROM pg_attribute x WHERE x.attrelid = c.oid AND x.attname = 'cuenta_id' AND NOT x.attisdropped) AS "hasAccount"
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE c.relkind IN ('r', 'm') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
  AND (coalesce(e.typcategory, t.typcategory) = 'S' OR coalesce(e.typname, t.typname) IN ('bytea', 'json', 'jsonb', 'xml', 'hstore', 'tsvector'))
ORDER BY 1, 2, 3`;

interface Column {
  readonly esquema: string;
  readonly tabla: string;
  readonly columna: string;
  readonly isBinary: boolean;
  readonly hasAccount: boolean;
}

const OF_ANOTHER = 'es de otra cuenta que tiene el mismo RFC';

/**
 * Looks for a text in every column of every table that can hold one, whatever schema it is in, the queue's among them;
 * reads all of it. A hit is explained by the map of what stays, or by the account that the row belongs to; `isElsewhere`
 * says whether another account has the RFC. `order` is the one that is being carried out: its own row still names the RFC.
 */
export async function searchDatabase(
  url: string,
  what: { readonly rfc: string; readonly cuentaId: string; readonly order: string; readonly isElsewhere: boolean },
): Promise<Searched> {
  const client = new Client({ connectionString: url, application_name: 'acuse-cli', options: SESSION_OPTIONS });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(COLUMNS);
    const tables = new Map<string, Column[]>();
    for (const column of rows) {
      const name = `${column.esquema}.${column.tabla}`;
      tables.set(name, [...(tables.get(name) ?? []), column]);
    }
    const hallazgos: Hallazgo[] = [];
    for (const columns of tables.values()) hallazgos.push(...(await searchTable(client, columns, what)));
    return { tablas: tables.size, columnas: rows.length, hallazgos };
  } finally {
    await client.end();
  }
}

async function searchTable(
  client: pg.Client,
  columns: readonly Column[],
  { rfc, cuentaId, order, isElsewhere }: Parameters<typeof searchDatabase>[1],
): Promise<Hallazgo[]> {
  const [first] = columns;
  if (first === undefined) return [];
  const { esquema, tabla, hasAccount } = first;
  const [schema, table] = [esquema, tabla].map((name) => pg.escapeIdentifier(name));
  const isOurs = esquema === 'public' && MAPA[tabla] !== undefined;
  const matches = columns.map(({ columna, isBinary }) => {
    const name = pg.escapeIdentifier(columna);
    // Arrays of bytes are written as hexadecimal digits: no text of ours is in any.
    return isBinary ? `position(convert_to($1, 'UTF8') in ${name}) > 0` : `position($1 in upper(${name}::text)) > 0`;
  });
  const own = hasAccount ? 'cuenta_id IS NOT DISTINCT FROM $2::uuid' : '$2::uuid IS NOT NULL';
  const sums = matches.flatMap((match) => [
    `count(*) FILTER (WHERE ${match} AND ${own})::int`,
    `count(*) FILTER (WHERE ${match} AND NOT (${own}))::int`,
  ]);
  const { rows } = await client.query<number[]>({
    text: `SELECT ${sums.join(', ')} FROM ${schema}.${table} WHERE ${tabla === 'borrado' && isOurs ? 'id <> $3::uuid' : '$3::uuid IS NOT NULL'}`,
    values: [rfc.toUpperCase(), cuentaId, order],
    rowMode: 'array',
  });
  const counts = rows[0] ?? [];
  return columns.flatMap(({ columna }, at) => {
    const [here = 0, elsewhere = 0] = counts.slice(2 * at, 2 * at + 2);
    const place = { tabla: esquema === 'public' ? tabla : `${esquema}.${tabla}`, columna };
    const tratado = isOurs ? MAPA[tabla] : undefined;
    const isFree = columnsIn(tratado?.libre).includes(columna);
    const ofOthers = tratado?.ajeno ?? (isElsewhere && tratado?.isShared ? OF_ANOTHER : null);
    const why = isFree ? (tratado?.por ?? null) : ofOthers;
    return [
      ...(here > 0 ? [{ ...place, filas: here, motivo: why }] : []),
      ...(elsewhere > 0 ? [{ ...place, filas: elsewhere, motivo: tratado === undefined ? null : OF_ANOTHER }] : []),
    ];
  });
}
