import { randomUUID } from 'node:crypto';
import { uuidV7 } from '@acuse/runtime';
import type pg from 'pg';

/** Writes so many open solicitudes, each of one part, all of them due, of as many new accounts. Gives their ids. */
export async function seedOpen(pool: pg.Pool, { open, cuentas }: { open: number; cuentas: number }): Promise<string[]> {
  const accounts = Array.from({ length: cuentas }, () => randomUUID());
  await pool.query(
    `WITH c AS (INSERT INTO cuenta (id, nombre, email) SELECT i, 'b', i::text FROM unnest($1::uuid[]) i)
     INSERT INTO contribuyente (id, cuenta_id, rfc) SELECT i, i, 'R' FROM unnest($1::uuid[]) i`,
    [accounts],
  );
  const ids = Array.from({ length: open }, () => uuidV7());
  await pool.query(
    `WITH s AS (
       INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, deadline_at)
       SELECT i, c, c, i::text, 'R', 'recibidos', '2025-01-01', '2025-01-01', 'soap', now() + interval '1 day'
       FROM unnest($1::uuid[], $2::uuid[]) AS n (i, c)
     )
     INSERT INTO parte (id, solicitud_id, inicio, fin) SELECT i, i, '2025-01-01T00:00:00', '2025-01-01T23:59:59' FROM unnest($1::uuid[]) i`,
    [ids, ids.map((_, n) => accounts[n % cuentas])],
  );
  return ids;
}

/** Puts their next rings into the outbox, due after so many seconds. */
export async function ring(pool: pg.Pool, ids: readonly string[], inSeconds = 0): Promise<void> {
  await pool.query(
    `INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
     SELECT id, gen, 'descargas', cuenta_id, now() + make_interval(secs => $2) FROM solicitud WHERE id = ANY ($1::uuid[])`,
    [ids, inSeconds],
  );
}
