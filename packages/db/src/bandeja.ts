import type { Bandeja, NombreCola, Timbre } from '@acuse/core';
import pg from 'pg';
import type { Database } from './database.ts';
import { inTransaction } from './transaction.ts';

/** LISTEN/NOTIFY channel that says "there are new rings". */
export const CANAL_OUTBOX = 'acuse_outbox';

const TAKE =
  'SELECT id, solicitud_id, gen, cola, due_at FROM outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED';

interface Row {
  id: string;
  solicitud_id: string;
  gen: number;
  cola: NombreCola;
  due_at: Date;
}

/** The outbox over PostgreSQL. */
export function createBandeja({ pool, settings }: Pick<Database, 'pool' | 'settings'>): Bandeja {
  return {
    drain: (limit, deliver) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<Row>({ name: 'bandeja', text: TAKE, values: [limit] });
        if (rows.length === 0) return 0;
        const timbres: Timbre[] = rows.map((row) => ({
          solicitudId: row.solicitud_id,
          gen: row.gen,
          cola: row.cola,
          dueAt: row.due_at,
        }));
        // A crash between the delivery and the delete delivers them again: a second ring of the same gen finds nothing to claim.
        await deliver(timbres);
        await client.query('DELETE FROM outbox WHERE id = ANY ($1::bigint[])', [rows.map((row) => row.id)]);
        return rows.length;
      }),

    async listen(wake) {
      let closed = false;
      let client: pg.Client | null = null;
      let timer: NodeJS.Timeout | undefined;

      const connect = async () => {
        if (closed) return;
        const next = new pg.Client({
          connectionString: settings.url,
          application_name: `${settings.applicationName}-listen`,
          keepAlive: true,
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
          await next.query(`LISTEN ${CANAL_OUTBOX}`);
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
    },
  };
}

/** Tells listening relays that there are new rings; called after the commit and never awaited by a request. */
export async function notifyOutbox({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(`SELECT pg_notify('${CANAL_OUTBOX}', '')`);
}
