import type pg from 'pg';
import { type Database, IDLE_MS, SESSION_OPTIONS } from '../database.ts';
import { rowOf } from '../statements.ts';
import { Client, directUrl } from './client.ts';

/** Milliseconds until a lost connection is made again. */
const AGAIN_MS = 1_000;
/** Milliseconds between two statements of a process that waits for locks of roles, and of one that holds all of its roles. */
const BEAT_MS = 2_000;
const REST_MS = 5_000;

interface Kept {
  /** Ends its name in pg_stat_activity. */
  readonly name: string;
  readonly options?: string;
  /** Prepares each new connection; `drop` replaces it. A rejection does too. */
  readonly begin: (client: pg.Client, drop: () => void) => Promise<unknown>;
  readonly onNotification: (payload: string) => void;
  readonly onLost?: () => void;
}

/** Keeps a connection to PostgreSQL itself, never to a pooler, and makes it again when it is lost. */
async function keepConnection(
  settings: Database['settings'],
  { name, options = '', begin, onNotification, onLost = () => {} }: Kept,
): Promise<{ close(last?: string): Promise<void> }> {
  const url = directUrl(settings.url);
  let isClosed = false;
  let current: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    const client = new Client({
      connectionString: url,
      application_name: `${settings.applicationName}-${name}`,
      keepAlive: true,
      options: `${SESSION_OPTIONS} ${options}`,
      connectionTimeoutMillis: settings.timeoutMs,
      query_timeout: settings.timeoutMs,
    });
    // A lost connection says so twice: `error`, then `end`.
    const drop = () => {
      if (current !== client) return;
      current = null;
      client.end().catch(() => {});
      if (isClosed) return;
      onLost();
      timer = setTimeout(connect, AGAIN_MS);
    };
    client.on('error', drop);
    client.on('end', drop);
    client.on('notification', ({ payload = '' }) => onNotification(payload));
    current = client;
    try {
      await client.connect();
      await begin(client, drop);
    } catch {
      drop();
    }
  };
  await connect();
  return {
    /** Runs the statement `last`, then ends the connection. */
    async close(last) {
      isClosed = true;
      clearTimeout(timer);
      const client = current;
      if (last !== undefined) await client?.query(last).catch(() => {});
      await client?.end().catch(() => {});
    },
  };
}

/**
 * Calls `wake` at every notification on a channel, on a connection of its own, and whenever that is made: notifications
 * before are lost. Best effort: poll as well.
 */
export const listenTo = (settings: Database['settings'], canal: string, wake: () => void) =>
  keepConnection(settings, {
    name: 'listen',
    onNotification: () => wake(),
    begin: (client) => client.query(`LISTEN ${canal}`).then(wake),
  });

/** Locks of the session, which a killed process loses at once. */
const TAKE = `
SELECT current_setting('transaction_read_only')::bool AS "isReadOnly",
  ARRAY(SELECT rol FROM unnest($1::text[]) rol WHERE pg_try_advisory_lock(hashtext('acuse_rol_' || rol))) AS taken`;

/**
 * Takes the locks of `roles`, each held by one process at a time. Calls `onChange` with those that this process holds:
 * before the promise resolves, when it takes another, and when it loses all of them with the connection. Listens to
 * `canal` on the same connection and calls `wake` with the payload of each notification. The server ends the session of a process that stands still for 15 seconds, so that
 * another takes its locks. Tries every two seconds instead of waiting for a lock: a waiting statement would keep VACUUM
 * from removing rows.
 */
export async function holdRoles<R extends string>(
  settings: Database['settings'],
  roles: readonly R[],
  on: {
    readonly canal: string;
    readonly wake: (payload: string) => void;
    readonly onChange: (held: readonly R[]) => void;
  },
): Promise<{ close(): Promise<void> }> {
  let held: readonly R[] | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const change = (now: readonly R[]) => {
    if (now.length !== held?.length) on.onChange(now);
    held = now;
  };

  async function beat(client: pg.Client, drop: () => void): Promise<void> {
    const mine = held ?? [];
    const free = roles.filter((role) => !mine.includes(role));
    const row = await rowOf<{ isReadOnly: boolean; taken: R[] }>(client, TAKE, [free]);
    if (row === null || row.isReadOnly) throw new Error('the server takes no writes');
    if (isClosed) return;
    change([...mine, ...row.taken]);
    const beatMs = row.taken.length < free.length ? BEAT_MS : REST_MS;
    timer = setTimeout(() => beat(client, drop).catch(drop), beatMs);
  }

  const kept = await keepConnection(settings, {
    name: 'roles',
    options: `-c idle_session_timeout=${IDLE_MS}`,
    onNotification: on.wake,
    async begin(client, drop) {
      await client.query(`LISTEN ${on.canal}`);
      await beat(client, drop);
    },
    onLost() {
      clearTimeout(timer);
      change([]);
    },
  });
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      return kept.close('SELECT pg_advisory_unlock_all()');
    },
  };
}
