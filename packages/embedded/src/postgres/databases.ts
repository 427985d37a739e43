import pg from 'pg';

/**
 * Creates a database on the server of `url` and returns its address. With `template` it copies that database, which
 * must have no connection meanwhile; several copies may run at once.
 */
export async function createDatabase(
  url: string,
  name: string,
  options: { readonly template?: string } = {},
): Promise<string> {
  const template = options.template === undefined ? '' : ` TEMPLATE ${pg.escapeIdentifier(options.template)}`;
  await execute(url, `CREATE DATABASE ${pg.escapeIdentifier(name)}${template}`);
  return databaseUrl(url, name);
}

/** Drops a database of the server of `url`, ending the sessions that are on it. Nothing happens when there is none. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await execute(url, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

/** Creates a database unless it is there; gives its address. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  try {
    return await createDatabase(url, name);
  } catch (error) {
    // 42P04 duplicate_database; 23505 when another process creates it in the same moment.
    if (error instanceof pg.DatabaseError && (error.code === '42P04' || error.code === '23505'))
      return databaseUrl(url, name);
    throw error;
  }
}

/** The address of another database on the same server. */
export function databaseUrl(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(name)}`;
  return address.href;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c jit=off' });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
