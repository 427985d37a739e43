import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findSystemPostgres } from '@acuse/embedded';
import pg from 'pg';
import { ACCEPT } from '../../packages/db/src/solicitudes/accept.ts';

/** Scripts that one run of pgbench takes at most: an account each. */
const SCRIPTS = 128;

/** Constants of the acceptances of an account, as pgbench writes them into the statement. */
export interface Constants {
  readonly contribuyente_id: string;
  readonly api_key_id: string;
  readonly version: string;
  readonly kid: string;
  readonly sobre: string;
}

/** SQL of each column of an acceptance, by its name in the statement. A second credential is absent. */
const sqlOf = (c: Constants): Readonly<Record<string, string>> => ({
  id: 'gen_random_uuid()',
  contribuyente_id: `'${c.contribuyente_id}'`,
  api_key_id: `'${c.api_key_id}'`,
  version: c.version,
  tipo: "'recibidos'",
  desde: "date '2021-01-01' + :dia::integer",
  hasta: "date '2021-01-01' + :dia::integer",
  formato: "'csv'",
  filtros: 'null',
  canal: "'portal'",
  gratis: 'false',
  deadline_at: "now() + interval '3 days'",
  idem_key: 'null',
  traceparent: 'null',
  capsula: 'false',
  credencial_tipo: "'ciec'",
  kid: `'${c.kid}'`,
  sobre: `'\\x${c.sobre}'`,
  expira_en: "now() + interval '3 days'",
  otra_tipo: 'null',
  otra_kid: 'null',
  otra_sobre: 'null',
  otra_expira_en: 'null',
});

/** A script of pgbench that accepts one request: the statement of the API with SQL in place of its parameters. */
export function scriptOf(constants: Constants): string {
  const sql = sqlOf(constants);
  const statement = ACCEPT.replace(/(\w+) => \$\d+::(\w+)\[\]/g, (_all, column: string, type: string) => {
    const value = sql[column];
    if (value === undefined) throw new Error(`the bench has no SQL for column ${column} of the acceptance`);
    return `${column} => ARRAY[${value}]::${type}[]`;
  }).replace(/\$\d+::boolean/, 'false');
  // A random day: an equal open request would be answered, not accepted.
  return `\\set dia random(10000, 2000000)\n${statement.replaceAll(/\s*\n\s*/g, ' ').trim()};\n`;
}

/**
 * Acceptances a second that `pgbench` reaches with the statement of the API, one in each, of accounts that the API has
 * accepted something of; null where the machine has no pgbench.
 */
export async function acceptBare(
  databaseUrl: string,
  dir: string,
  options: { seconds: number; connections: number },
): Promise<number | null> {
  const system = await findSystemPostgres();
  const program = system && join(dirname(system.postgres), 'pgbench');
  const isThere =
    program !== null &&
    (await access(program).then(
      () => true,
      () => false,
    ));
  if (!isThere) return null;
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<Constants>(
      `SELECT DISTINCT ON (s.cuenta_id) s.contribuyente_id, s.api_key_id, c.version::text, e.kid, encode(e.sobre, 'hex') AS sobre
       FROM solicitud s JOIN contribuyente c ON c.id = s.contribuyente_id JOIN credencial_sellada e ON e.solicitud_id = s.id LIMIT ${SCRIPTS}`,
    );
    const countOf = async () =>
      Number((await client.query<{ n: string }>('SELECT count(*) AS n FROM solicitud')).rows[0]?.n);
    const folder = join(dir, 'pgbench');
    await mkdir(folder);
    const files = await Promise.all(
      rows.map(async (constants, n) => {
        const file = join(folder, `${n}.sql`);
        await writeFile(file, scriptOf(constants));
        return file;
      }),
    );
    const before = await countOf();
    const threads = Math.min(availableParallelism(), options.connections);
    const { stdout } = await promisify(execFile)(
      program,
      [
        ...['-n', '-M', 'prepared', '-T', String(options.seconds), '-c', String(options.connections)],
        ...['-j', String(threads), ...files.flatMap((file) => ['-f', file]), databaseUrl],
      ],
      { maxBuffer: 64 * 1_024 * 1_024 },
    );
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    const accepted = (await countOf()) - before;
    const ran = Number(/number of transactions actually processed: (\d+)/.exec(stdout)?.[1]);
    if (!(accepted >= 0.99 * ran)) throw new Error(`pgbench: ${accepted} of ${ran} were accepted`);
    return perSecond;
  } finally {
    await client.end();
  }
}
