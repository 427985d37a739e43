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
 * PgBouncer and has no parameter `direct` (`host:port`, or several with commas).
 */
export function directUrl(url: string): string {
  if (!isPooled(url)) return url;
  const address = new URL(url);
  const direct = address.searchParams.get('direct');
  if (direct === null)
    throw new Error(
      'A la dirección de PgBouncer le falta la de PostgreSQL, para LISTEN y las migraciones: &direct=servidor:5432',
    );
  const hosts = direct.split(',').map((each) => each.split(':'));
  const [[host = '', port = ''] = []] = hosts;
  Object.assign(address, { hostname: host, port });
  if (hosts.length > 1) {
    address.searchParams.set('host', hosts.map(([name]) => name).join());
    address.searchParams.set('port', hosts.map(([, number = '5432']) => number).join());
  }
  for (const name of ['pgbouncer', 'direct']) address.searchParams.delete(name);
  return address.href;
}

/** The hosts of an address, which has several as libpq's parameters `host` and `port` do: `host=a,b&port=5432,5432`. */
function hostsOf(url: string): { readonly host: string; readonly port: number }[] {
  const { searchParams } = new URL(url);
  const ports = (searchParams.get('port') ?? '').split(',');
  const hosts = searchParams.get('host')?.split(',') ?? [];
  return hosts.length < 2 ? [] : hosts.map((host, at) => ({ host, port: Number(ports[at] || 5432) }));
}

type Host = ReturnType<typeof hostsOf>[number];

/** Looks for a primary that are under way, by address: connections that open at the same time share one. */
const looks = new Map<string, Promise<Host>>();

/** Asks all hosts at once, so that a dead one takes no time. Rejects with all errors when none takes writes. */
function findPrimary(url: string, config: pg.ClientConfig): Promise<Host> {
  const known = looks.get(url);
  if (known !== undefined) return known;
  const look = Promise.any(
    hostsOf(url).map(async (host) => {
      const client = new pg.Client(config);
      client.on('error', () => {});
      Object.assign(client, host);
      try {
        await client.connect();
        const { rows } = await client.query<{ isReadOnly: boolean }>(
          `SELECT current_setting('transaction_read_only')::bool AS "isReadOnly"`,
        );
        if (rows[0]?.isReadOnly !== false) throw new Error(`${host.host}:${host.port} takes no writes`);
        return host;
      } finally {
        await client.end().catch(() => {});
      }
    }),
  ).finally(() => looks.delete(url));
  looks.set(url, look);
  return look;
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
 * the address says `pgbouncer=prepared`. Of several hosts it connects to the one that takes writes. A connection that
 * drops fails its next statement; its error event without a listener does not end the process.
 */
export class Client extends pg.Client {
  readonly #config: pg.ClientConfig;

  constructor(config: pg.ClientConfig = {}) {
    const url = config.connectionString ?? '';
    const { options, statement_timeout: _, idle_in_transaction_session_timeout: __, ...stateless } = config;
    const isStateless = isPooled(url);
    super(isStateless ? { pipeline: true, ...stateless } : config);
    this.#config = config;
    if (!isStateless) return;
    const keepsNames = new URL(url).searchParams.get('pgbouncer') === 'prepared';
    this.query = inTransactions(this, localSettings(config), keepsNames) as typeof this.query;
  }

  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error) => void): void;
  override connect(done?: (error: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (done === undefined) return connected;
    connected.then(() => (done as () => void)(), done);
    return undefined;
  }

  // Pools leave moments without a listener: between the greeting and their first one, while a connection is handed out,
  // and after they have removed theirs to close it.
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return event === 'error' && this.listenerCount('error') === 0 ? false : super.emit(event, ...args);
  }

  async #connect(): Promise<pg.Client> {
    const { connectionString: url = '' } = this.#config;
    if (hostsOf(url).length > 0) Object.assign(this, await findPrimary(url, this.#config));
    // The pool gave up meanwhile.
    if (this.connection.stream.destroyed) throw new Error('the primary was found too late');
    await super.connect();
    return this;
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
