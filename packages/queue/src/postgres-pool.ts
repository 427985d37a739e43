import { DEFAULT_SCHEMA, type PgPool, quoteSchemaName, runMigrations } from 'bullmq';
import pg from 'pg';

/**
 * A connection that drops fails its next statement; an error that nobody listens for must not end the process as well.
 * BullMQ and the pool leave moments without a listener: between the greeting and the first of theirs, and after they
 * took theirs away to close it.
 */
class SteadyClient extends pg.Client {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return event === 'error' && this.listenerCount('error') === 0 ? false : super.emit(event, ...args);
  }
}

/**
 * Connections of one queue to BullMQ's schema, which is made or brought up to date before the first is used. Whoever
 * opens it ends it.
 * @param max the greatest number of connections; a consumer keeps one of them to listen.
 */
export function openPostgresPool(url: string, max: number): PgPool {
  let migrated: Promise<unknown> | null = null;
  const pool = new pg.Pool({
    connectionString: url,
    Client: SteadyClient,
    max,
    keepAlive: true,
    // A server that dies while it greets leaves the connection open and silent.
    connectionTimeoutMillis: 3_000,
    application_name: 'acuse-queue',
    // Compiling a statement (JIT) takes longer than any of the queue's runs.
    options: `-c jit=off -c search_path=${quoteSchemaName(DEFAULT_SCHEMA)}`,
    async onConnect(client) {
      migrated ??= runMigrations(client, DEFAULT_SCHEMA);
      try {
        await migrated;
        // One that ended meanwhile is not handed out: BullMQ would keep it to listen on for ever.
        await client.query('SELECT 1');
      } catch (error) {
        migrated = null;
        throw error;
      }
    },
  });
  pool.on('error', () => {});
  return pool as PgPool;
}
