import pg from 'pg';
import { Client } from './instalacion/client.ts';

export interface DatabaseSettings {
  /** `postgres://user:password@host:port/database`; with `?pgbouncer=true&direct=host:port` PgBouncer's ({@link Client}). */
  readonly url: string;
  /** Connections of this process. */
  readonly poolSize: number;
  /** Milliseconds until a statement, or the wait for a connection, is given up. */
  readonly timeoutMs: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Receives the wait for a free connection, in seconds. */
  readonly onWait?: (seconds: number) => void;
}

/** The connections of a process. */
export interface Database {
  readonly pool: pg.Pool;
  readonly settings: DatabaseSettings;
  close(): Promise<void>;
}

/**
 * What every session of ours asks of the server, as its start-up options. Compiling a statement (JIT) takes longer than
 * any of ours runs, and starts at an estimate, which may be wrong.
 */
export const SESSION_OPTIONS = '-c jit=off';

/** Milliseconds after which the server ends a session that holds a transaction and asks nothing: its process stands still. */
export const IDLE_MS = 15_000;

/** Opens the pool; connects on first use. Idle connections that the server drops are replaced, never fatal. */
export function openDatabase(settings: DatabaseSettings): Database {
  const config: pg.PoolConfig = {
    connectionString: settings.url,
    Client,
    max: settings.poolSize,
    connectionTimeoutMillis: settings.timeoutMs,
    statement_timeout: settings.timeoutMs,
    query_timeout: settings.timeoutMs + 500,
    idle_in_transaction_session_timeout: IDLE_MS,
    application_name: settings.applicationName,
    keepAlive: true,
    options: SESSION_OPTIONS,
  };
  const pool = openSteadyPool(config, settings.onWait);
  return {
    pool,
    settings,
    async close() {
      await pool.end().catch(() => {});
    },
  };
}

/**
 * Rejects when the database cannot be asked or takes no writes, as a demoted primary does. The server raises the error
 * (SQLSTATE 25006), so that the pool discards the connection and the next one goes to the new primary.
 */
export const assertWritable = ({ pool }: Pick<Database, 'pool'>): Promise<unknown> =>
  pool.query(
    `DO $$ BEGIN IF current_setting('transaction_read_only')::bool THEN RAISE read_only_sql_transaction; END IF; END $$`,
  );

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;

/** Tells of every wait for a connection: its statements, too, connect by {@link MeasuredPool.connect}. */
class MeasuredPool extends pg.Pool {
  readonly #onWait: (seconds: number) => void;

  constructor(config: pg.PoolConfig, onWait: (seconds: number) => void) {
    super(config);
    this.#onWait = onWait;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const startedAt = performance.now();
    const told = this.idleCount > 0 ? () => {} : () => this.#onWait((performance.now() - startedAt) / 1_000);
    if (callback === undefined) return super.connect().finally(told);
    super.connect((...connected: Parameters<Connected>) => {
      told();
      callback(...connected);
    });
    return undefined;
  }
}

function openSteadyPool(config: pg.PoolConfig, onWait: ((seconds: number) => void) | undefined): pg.Pool {
  const pool = onWait === undefined ? new pg.Pool(config) : new MeasuredPool(config, onWait);
  // Without a listener a dropped idle connection would end the process; the pool has already discarded it.
  pool.on('error', () => {});
  return pool;
}
