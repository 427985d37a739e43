import { createHash } from 'node:crypto';
import type pg from 'pg';

/** A pool, or the connection of a transaction. */
export type Connection = Pick<pg.ClientBase, 'query'>;

/** SQL of the state at work, hidden from the planner: by old statistics the index of open solicitudes looks cheap. */
export const EN_PROCESO = `(SELECT 'EN_PROCESO')`;

const names = new Map<string, string>();

/** A statement that each connection prepares once, under the hash of its text behind the word of its leading comment. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    name = nameOf(text);
    names.set(text, name);
  }
  return { name, text, values: [...values] };
}

function nameOf(text: string): string {
  const [, comment = ''] = /^\s*\/\* (\w+) \*\//.exec(text) ?? [];
  return `${comment} ${createHash('sha256').update(text).digest('base64url')}`;
}

/** The rows that a statement gives. */
export async function rowsOf<R extends object>(
  connection: Connection,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await connection.query<R>(prepared(text, values))).rows;
}

/** The first row that a statement gives, or null. */
export async function rowOf<R extends object>(
  ...statement: [connection: Connection, text: string, values?: readonly unknown[]]
): Promise<R | null> {
  return (await rowsOf<R>(...statement))[0] ?? null;
}

/** Runs a statement, and tells how many rows it changed or gave. */
export async function execute(connection: Connection, text: string, values: readonly unknown[] = []): Promise<number> {
  return (await connection.query(prepared(text, values))).rowCount ?? 0;
}

/** Rows that one statement of a purge changes: a fraction of a second. */
const BATCH = 2_000;

/** Runs a statement that changes at most `$1` rows, again and again until it changes fewer. */
export async function executeInBatches(connection: Connection, text: string): Promise<void> {
  while ((await execute(connection, text, [BATCH])) === BATCH);
}

/** Runs a statement, and tells whether it changed or gave one row. */
export async function isOne(...statement: Parameters<typeof execute>): Promise<boolean> {
  return (await execute(...statement)) === 1;
}
