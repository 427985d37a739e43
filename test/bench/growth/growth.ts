import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@acuse/db';
import type { Servers } from '../cpu.ts';
import { measureOpen, measureRows, measureSolicitudes } from './axes.ts';
import { documentOf, growing, svgOf } from './report.ts';
import { measureWorkers } from './workers.ts';
import { measureYear } from './year.ts';

const DOCS = new URL('../../../docs/developers/', import.meta.url);

/** The size of a year: the last section of docs/developers/growth.md; a `share` below 1 goes to the terminal only. */
export async function benchYear(servers: Servers, share: number): Promise<void> {
  const year = await measureYear(servers, share);
  if (share < 1) return console.log(year);
  const page = new URL('growth.md', DOCS);
  const before = (await readFile(page, 'utf8')).split('## A year of ')[0]?.trimEnd();
  await writeFile(page, `${before}\n\n${year}`);
}

/**
 * What things cost against size, in docs/developers/growth.md and docs/developers/growth.svg; with sizes up to `most` only, on the terminal.
 * Gives whether nothing grows beyond the limit.
 */
export async function benchGrowth(servers: Servers, most: number): Promise<boolean> {
  const db = openDatabase({ url: servers.postgres.url, poolSize: 1, timeoutMs: 30_000, applicationName: 'bench' });
  const { rows } = await db.pool.query<{ server_version: string }>('SHOW server_version');
  await db.close();
  const axes = [
    await measureOpen(servers, most),
    await measureWorkers(servers, most),
    await measureRows(most),
    await measureSolicitudes(servers, most),
  ];
  const document = documentOf(axes, {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
    postgres: rows[0]?.server_version ?? 'unknown',
    command: 'npm run bench -- growth',
  });
  if (most < Number.POSITIVE_INFINITY) console.log(document);
  else
    for (const [name, text] of Object.entries({ 'growth.md': document, 'growth.svg': svgOf(axes) })) {
      await writeFile(new URL(name, DOCS), text);
      console.log(`growth: wrote ${fileURLToPath(new URL(name, DOCS))}`);
    }
  if (most === Number.POSITIVE_INFINITY) await benchYear(servers, 1);
  const grown = growing(axes);
  for (const one of grown) console.error(`growth: GROWS: ${one}`);
  return grown.length === 0;
}
