import type { QueueName } from '@acuse/core';
import type { Database } from '../database.ts';
import { lagOn } from '../heartbeats.ts';
import { BACKUP_ACTION } from '../recuperacion/recuperacion.ts';
import { type Connection, rowOf, rowsOf } from '../statements.ts';
import { inTransaction, SNAPSHOT } from '../transaction.ts';

/** How far one queue is behind. */
export interface QueueBacklog {
  readonly queue: QueueName;
  /** Wake-ups that are due and wait for a slot; counted up to {@link MOST}. */
  readonly due: number;
  /** Wake-ups that the queue or a worker has. */
  readonly underWay: number;
  /** Of them, those without a holder. */
  readonly unanswered: number;
  /** Steps that the living workers make at the same time. */
  readonly slots: number;
  /** Seconds since the wake-up that waits longest was due; 0 when none waits. */
  readonly oldestDueSeconds: number;
}

/** What waits in the whole installation, as the database has it. */
export interface Backlog {
  readonly queues: readonly QueueBacklog[];
  /** Open solicitudes a minute beyond their deadline; counted up to a thousand. */
  readonly pastDeadline: number;
  /** Messages that are due to receivers which are not resting: at most ten of each of five hundred. */
  readonly webhooks: { readonly due: number; readonly oldestDueSeconds: number };
  /** Due mails without a holder, counted up to {@link MOST}. */
  readonly mails: { readonly due: number; readonly oldestDueSeconds: number };
  /** Seconds since the reading of a subscription that waits longest was due; 0 when none waits. */
  readonly oldestReadingSeconds: number;
  /** Captchas that wait for a person. */
  readonly captchas: number;
  /** Seconds since the moment that the newest backup shows; null without one. */
  readonly backupAgeSeconds: number | null;
  /** Hosts of the SAT that a breaker knows, and whether it holds requests back. */
  readonly breakers: readonly { readonly host: string; readonly isOpen: boolean }[];
}

const QUEUES: readonly QueueName[] = ['descargas', 'ensambles'];
/** Limit of the count: beyond it the exact number is not worth the work. */
const MOST = 10_000;
/** Seconds after which a process that was not seen has no slots any more, as for the relay. */
const GONE_SECONDS = 60;

const DEPTH = `
SELECT c AS queue,
  (SELECT count(*) FROM (SELECT FROM outbox WHERE cola = c AND rung_at IS NULL AND due_at <= now() LIMIT ${MOST}) d)::int AS due,
  (SELECT count(*) FROM (SELECT FROM outbox WHERE cola = c AND rung_at IS NOT NULL LIMIT ${MOST}) u)::int AS "underWay",
  (SELECT coalesce(sum(slots), 0) FROM latido WHERE rol = c AND visto_en > now() - interval '${GONE_SECONDS} seconds')::int AS slots
FROM unnest($1::text[]) c`;

const PAST_DEADLINE = `
SELECT count(*)::int AS n FROM (
  SELECT FROM solicitud WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND deadline_at < now() - interval '1 minute' LIMIT 1000
) p`;

/** By steps along the index, as they are claimed: a receiver with a long queue costs no more than another. */
const WEBHOOKS = `
WITH RECURSIVE destino AS (
  (SELECT webhook_id AS id, 1 AS n FROM webhook_entrega WHERE estado = 'PENDIENTE' ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT e.webhook_id FROM webhook_entrega e WHERE e.estado = 'PENDIENTE' AND e.webhook_id > d.id ORDER BY e.webhook_id LIMIT 1), n + 1
  FROM destino d WHERE d.id IS NOT NULL AND n < 500
), vencida AS (
  SELECT c.due_at FROM destino d JOIN webhook w ON w.id = d.id CROSS JOIN LATERAL (
    SELECT e.due_at FROM webhook_entrega e WHERE e.webhook_id = d.id AND e.estado = 'PENDIENTE' AND e.due_at <= now() ORDER BY e.due_at LIMIT 10
  ) c
  WHERE w.estado = 'ACTIVO' AND (w.espera_hasta IS NULL OR w.espera_hasta <= now())
)
SELECT count(*)::int AS due, coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS "oldestDueSeconds" FROM vencida`;

/** The first due mail of each kind: those that a person waits for, and notices. */
const MAILS = `
SELECT (SELECT count(*) FROM (SELECT FROM correo WHERE estado = 'PENDIENTE' AND due_at <= now() LIMIT ${MOST}) d)::int AS due,
  coalesce((SELECT extract(epoch FROM now() - min(f.due_at)) FROM unnest(ARRAY[true, false]) k CROSS JOIN LATERAL (
    SELECT due_at FROM correo WHERE estado = 'PENDIENTE' AND urgente = k AND due_at <= now() ORDER BY due_at LIMIT 1) f), 0)::float8 AS "oldestDueSeconds"`;

/** The first that the role `sincronizacion` would take now. */
const OLDEST_READING = `
SELECT coalesce((
  SELECT extract(epoch FROM now() - t.due_at) FROM tramo t
  WHERE t.fase IN ('PEDIR', 'LEER') AND t.due_at <= now() AND (t.tomado_hasta IS NULL OR t.tomado_hasta < now())
    AND EXISTS (SELECT FROM sincronizacion s WHERE s.id = t.sincronizacion_id AND (s.estado = 'ACTIVA' OR (s.estado = 'PAUSADA' AND t.fase = 'LEER')))
  ORDER BY t.due_at LIMIT 1), 0)::float8 AS n`;

const CAPTCHAS = 'SELECT count(*)::int AS n FROM captcha_pendiente WHERE respuesta IS NULL AND vence_en > now()';

const BACKUP_AGE = `
SELECT extract(epoch FROM now() - en)::float8 AS n FROM auditoria WHERE accion = '${BACKUP_ACTION}' ORDER BY id DESC LIMIT 1`;

const BREAKERS = `
SELECT host, abierto_hasta > extract(epoch FROM now()) * 1000 AS "isOpen" FROM estado_host ORDER BY host LIMIT 100`;

/** Backlog of the installation, for its monitoring. */
export function createBacklog({ pool }: Pick<Database, 'pool'>) {
  const countOn = async (connection: Connection, text: string) =>
    (await rowOf<{ n: number }>(connection, text))?.n ?? 0;

  return {
    /** All of it as of one moment. The server gives up a part that takes longer than `timeoutMs`. */
    read: ({ timeoutMs }: { timeoutMs: number }): Promise<Backlog> =>
      inTransaction(
        pool,
        async (client) => {
          await client.query(`SELECT set_config('statement_timeout', $1, true)`, [String(timeoutMs)]);
          const depths = await rowsOf<Omit<QueueBacklog, 'unanswered' | 'oldestDueSeconds'>>(client, DEPTH, [QUEUES]);
          const queues: QueueBacklog[] = [];
          for (const depth of depths) {
            const { unanswered, seconds: oldestDueSeconds } = await lagOn(client, depth.queue);
            queues.push({ ...depth, unanswered, oldestDueSeconds });
          }
          return {
            queues,
            pastDeadline: await countOn(client, PAST_DEADLINE),
            webhooks: (await rowOf<Backlog['webhooks']>(client, WEBHOOKS)) ?? { due: 0, oldestDueSeconds: 0 },
            mails: (await rowOf<Backlog['mails']>(client, MAILS)) ?? { due: 0, oldestDueSeconds: 0 },
            oldestReadingSeconds: await countOn(client, OLDEST_READING),
            captchas: await countOn(client, CAPTCHAS),
            backupAgeSeconds: (await rowOf<{ n: number }>(client, BACKUP_AGE))?.n ?? null,
            breakers: await rowsOf<Backlog['breakers'][number]>(client, BREAKERS),
          };
        },
        SNAPSHOT,
      ),
  };
}
