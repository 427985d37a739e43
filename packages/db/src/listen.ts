import pg from 'pg';
import { type Database, SESSION_OPTIONS } from './database.ts';

/**
 * Calls `wake` at every word on a channel of the database, on a connection of its own that is made again when it is
 * lost. Best effort: poll as well.
 */
export async function listenTo(
  settings: Database['settings'],
  canal: string,
  wake: () => void,
): Promise<{ close(): Promise<void> }> {
  let closed = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    if (closed) return;
    const next = new pg.Client({
      connectionString: settings.url,
      application_name: `${settings.applicationName}-listen`,
      keepAlive: true,
      options: SESSION_OPTIONS,
      connectionTimeoutMillis: settings.timeoutMs,
    });
    const lost = () => {
      if (client !== next && client !== null) return;
      client = null;
      next.end().catch(() => {});
      if (!closed) timer = setTimeout(connect, 1_000);
    };
    next.on('error', lost);
    next.on('end', lost);
    next.on('notification', wake);
    client = next;
    try {
      await next.connect();
      await next.query(`LISTEN ${canal}`);
    } catch {
      lost();
    }
  };
  await connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
