import type { Database } from '../database.ts';
import { execute } from '../statements.ts';

/**
 * Deletes at most $1 rows, the oldest first by an index. Rows that another process deletes at this moment are left to
 * it.
 */
const batch = (table: string, isOver: string, order: string) => `
DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM ${table} WHERE ${isOver} ORDER BY ${order} LIMIT $1 FOR UPDATE SKIP LOCKED))`;

/** How long the rows of a table live after their moment, as PostgreSQL writes it. */
export const LIFETIMES = {
  idempotencia: '24 hours',
  consulta_en_curso: '4 days',
  // A clock that jumps back finds it still known.
  webhook_aviso: '30 days',
  correo_aviso: '30 days',
  latido: '1 day',
  llamada_hecha: '30 days',
} as const;

const aged = (table: keyof typeof LIFETIMES, moment: string) =>
  batch(table, `${moment} < now() - interval '${LIFETIMES[table]}'`, moment);

/** Rows that expire by themselves. */
const EXPIRED = [
  aged('idempotencia', 'creada_en'),
  aged('consulta_en_curso', 'creada_en'),
  aged('webhook_aviso', 'hasta'),
  aged('correo_aviso', 'hasta'),
  aged('latido', 'visto_en'),
  aged('llamada_hecha', 'en'),
];

/**
 * The trace of ended solicitudes whose objects are gone: their periods with the SAT's packages, what happened to them,
 * the steps that were made, and who of the package stood on a list.
 */
const TRACES = `
WITH vieja AS MATERIALIZED (
  SELECT id FROM solicitud WHERE objetos_borrados_en IS NOT NULL AND rastro_borrado_en IS NULL AND terminada_en < now() - make_interval(days => $2)
  ORDER BY terminada_en LIMIT $1 FOR UPDATE SKIP LOCKED
), partes AS (DELETE FROM parte WHERE solicitud_id = ANY (ARRAY(SELECT id FROM vieja))),
listadas AS (DELETE FROM riesgo_paquete WHERE solicitud_id = ANY (ARRAY(SELECT id FROM vieja))),
pasos AS (DELETE FROM paso WHERE solicitud_id = ANY (ARRAY(SELECT id FROM vieja))),
eventos AS (DELETE FROM evento WHERE solicitud_id = ANY (ARRAY(SELECT id FROM vieja)))
UPDATE solicitud SET rastro_borrado_en = now() WHERE id = ANY (ARRAY(SELECT id FROM vieja))`;

/** Events of webhooks: first the deliveries with their attempts, except held ones; then events without deliveries. */
const SENT = `
DELETE FROM webhook_entrega WHERE ctid = ANY (ARRAY(
  SELECT e.ctid FROM webhook_evento v JOIN webhook_entrega e ON e.evento_id = v.id
  WHERE v.creado_en < now() - make_interval(days => $2) ORDER BY v.creado_en LIMIT $1 FOR UPDATE OF e SKIP LOCKED))`;
const TOLD = batch(
  'webhook_evento',
  `creado_en < now() - make_interval(days => $2) AND NOT EXISTS (SELECT FROM webhook_entrega e WHERE e.evento_id = webhook_evento.id)`,
  'creado_en',
);
/** The log of deleted webhooks, and deleted webhooks without a log. */
const LOG_OF_DELETED = `
DELETE FROM webhook_entrega WHERE ctid = ANY (ARRAY(
  SELECT e.ctid FROM webhook w JOIN webhook_entrega e ON e.webhook_id = w.id WHERE w.borrado_en IS NOT NULL
  LIMIT $1 FOR UPDATE OF e SKIP LOCKED))`;
const TOLD_TO_DELETED = `
DELETE FROM webhook_aviso WHERE ctid = ANY (ARRAY(
  SELECT a.ctid FROM webhook w JOIN webhook_aviso a ON a.webhook_id = w.id WHERE w.borrado_en IS NOT NULL
  LIMIT $1 FOR UPDATE OF a SKIP LOCKED))`;
const DELETED = batch(
  'webhook',
  `borrado_en IS NOT NULL AND NOT EXISTS (SELECT FROM webhook_entrega e WHERE e.webhook_id = webhook.id)
    AND NOT EXISTS (SELECT FROM webhook_aviso a WHERE a.webhook_id = webhook.id)`,
  'borrado_en',
);

const LAPSED = batch('webhook_secreto', 'vence_en < now()', 'vence_en');

const DOCUMENTS = batch('documento', 'borrado_en < now() - make_interval(days => $2)', 'borrado_en');

const MAILS = batch('correo', 'terminado_en < now() - make_interval(days => $2)', 'terminado_en');

const AUDIT = 'SELECT FROM auditoria_poda($1, $2)';

/** Deletes rows past their retention, so that tables do not grow for ever. Keeps the ledger. */
export function createRetention({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * One batch of at most `limit` rows of each kind: what has expired by itself (answers kept for Idempotency-Keys,
     * running queries, heartbeats, lines of calls, what endpoints and users were told of certificates and keys, keys that sign no more), deleted webhooks with their logs, traces of solicitudes that
     * ended `traceDays` ago and whose objects are gone, what webhooks were told then, mails that ended then, and lines of the audit log older
     * than `auditDays`, but none of the last year. True when there may be more. Any number of processes may do it at once.
     */
    async prune({
      traceDays,
      auditDays,
      limit,
    }: Record<'traceDays' | 'auditDays' | 'limit', number>): Promise<boolean> {
      const statements = [
        ...EXPIRED.map((text) => [text, [limit]] as const),
        [TRACES, [limit, traceDays]] as const,
        [DOCUMENTS, [limit, traceDays]] as const,
        [MAILS, [limit, traceDays]] as const,
        [SENT, [limit, traceDays]] as const,
        [TOLD, [limit, traceDays]] as const,
        [LOG_OF_DELETED, [limit]] as const,
        [TOLD_TO_DELETED, [limit]] as const,
        [DELETED, [limit]] as const,
        [LAPSED, [limit]] as const,
        [AUDIT, [limit, auditDays]] as const,
      ];
      let isMore = false;
      for (const [text, values] of statements) {
        if ((await execute(pool, text, values)) === limit) isMore = true;
      }
      return isMore;
    },
  };
}

export type Retention = ReturnType<typeof createRetention>;
