import type { Context } from 'hono';

/** The fields of a posted form; of a repeated one the last value counts, files are left out. */
export async function formOf(c: Context): Promise<Record<string, string>> {
  const entries = Object.entries(await c.req.parseBody());
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
