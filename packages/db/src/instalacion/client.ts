import pg from 'pg';

type Answered = (error: Error | null, result?: pg.QueryResult) => void;
type Query = (
  statement: string | pg.QueryConfig | { readonly submit: unknown },
  values?: unknown[] | Answered,
  done?: Answered,
) => Promise<pg.QueryResult> | undefined;

/** True when an address leads to PgBouncer in transaction mode: `?pgbouncer=true`, or `prepared` from its version 1.21 on. */
const isPooled = (url: string): boolean => new URL(url).searchParams.has('pgbouncer');

/**
 * The address of PostgreSQL itself, for LISTEN and what else needs a session of its own. Throws when `url` leads to
 * PgBouncer and has no parameter `direct` (`host:port`).
 */
export function directUrl(url: string): string {
  if (!isPooled(url)) return url;
  const address = new URL(url);
  const direct = address.searchParams.get('direct');
  if (direct === null)
    throw new Error(
      'A la dirección de PgBouncer le falta la de PostgreSQL, para LISTEN y las migraciones: &direct=servidor:5432',
    );
  address.port = '';
  address.host = direct;
  for (const name of ['pgbouncer', 'direct']) address.searchParams.delete(name);
  return address.href;
}

/** Statements that give a transaction the settings of a session, which PgBouncer refuses or forgets. */
function localSettings({ options = '', ...config }: pg.ClientConfig): string {
  const named = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const;
  return [
    ...[...options.matchAll(/-c (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ...named.flatMap((name) => (config[name] ? [[name, config[name]]] : [])),
  ]
    .map(([name, value]) => `; SET LOCAL ${name} = '${value}'`)
    .join('');
}

/**
 * A connection to PostgreSQL, or to PgBouncer in transaction mode where the address says so. There each statement runs
 * in a transaction that has the settings of `config`, sent in one go; names of prepared statements are left out unless
 * the address says `pgbouncer=prepared`.
 */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    const url = config.connectionString ?? '';
    const { options, statement_timeout: _, idle_in_transaction_session_timeout: __, ...stateless } = config;
    const isStateless = isPooled(url);
    super(isStateless ? { pipeline: true, ...stateless } : config);
    if (!isStateless) return;
    const keepsNames = new URL(url).searchParams.get('pgbouncer') === 'prepared';
    this.query = inTransactions(this, localSettings(config), keepsNames) as typeof this.query;
  }
}

function inTransactions(client: pg.Client, settings: string, keepsNames: boolean): Query {
  const send = client.query.bind(client) as Query;
  return (given, values, done) => {
    if (typeof given === 'object' && 'submit' in given) return send(given);
    const [callback, parameters] = typeof values === 'function' ? [values, undefined] : [done, values];
    const { name, ...unnamed } = typeof given === 'string' ? { text: given } : given;
    const statement = {
      ...unnamed,
      ...(name !== undefined && keepsNames ? { name } : {}),
      ...(parameters === undefined ? {} : { values: parameters }),
    };
    const answer = async () => {
      // It has none yet when the pool hands a new connection out.
      if (!['I', null].includes(client.getTransactionStatus())) return send(statement);
      if (/^\s*BEGIN\b/i.test(statement.text)) return send(`${statement.text}${settings}`);
      const [, result] = await Promise.all([send(`BEGIN${settings}`), send(statement), send('COMMIT')]);
      return result;
    };
    if (callback === undefined) return answer() as Promise<pg.QueryResult>;
    answer().then((result) => callback(null, result), callback);
    return undefined;
  };
}
