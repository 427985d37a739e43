import { PARTE_POR_CUENTA, type QueueName, type WakeUp } from '@acuse/core';
import type { Database } from './database.ts';
import { EN_PROCESO, execute, rowsOf } from './statements.ts';

/** LISTEN/NOTIFY channel of new wake-ups. A payload is the topic of a feature, for a worker with its keys. */
export const CANAL_OUTBOX = 'acuse_outbox';

/** SQL that notifies listening relays at the commit. */
export const NOTIFY_OUTBOX = `pg_notify('${CANAL_OUTBOX}', '')`;

const COLAS: readonly QueueName[] = ['descargas', 'ensambles'];

/**
 * Seconds after which a process that was not seen has no slots any more: longer than a busy machine may stand still.
 */
const GONE_SECONDS = 60;
/** Wake-ups that may wait in the queue beyond the slots, so that none of those is idle between two turns of the relay. */
const AHEAD = 4;
/** Wake-ups carried in one go. */
const BATCH = 500;
/**
 * Due wake-ups among which one go chooses. When there are more, about so many as heads are looked at as well: the oldest
 * of each account.
 */
const WINDOW = 200;
const HEADS = 400;

/** Wake-ups that one job may carry. */
const MOST_IN_A_JOB = 64;

/**
 * Hands over again what the queue has held too long without a claim, under the same generation: the claim of the first
 * of two jobs leaves nothing to the second. Then gives out the free slots: a wake-up counts against them and against its
 * account from here until its step is over. In each round every account gets one, the ones with the fewest under way
 * first; what an account has beyond its share waits here. Without a consumer nothing is handed over: the queue would
 * grow by the same wake-ups after each grace. Keys find the rows to note: a join with the chosen rows makes the planner
 * read the whole outbox. The queue is written out and the grace hidden, so that the server keeps one plan.
 */
const handOver = (cola: QueueName) => `
consumers_${cola} AS MATERIALIZED (
  SELECT count(*)::int AS processes, min(slots)::int AS smallest, sum(slots)::int AS slots FROM latido
  WHERE rol = '${cola}' AND visto_en > now() - interval '${GONE_SECONDS} seconds' AND slots > 0 AND (SELECT mine FROM turn)
), again_${cola} AS MATERIALIZED (
  SELECT o.solicitud_id FROM outbox o JOIN solicitud s ON s.id = o.solicitud_id AND s.gen = o.gen
  WHERE o.cola = '${cola}' AND o.rung_at < now() - make_interval(secs => (SELECT $1::float8)) AND s.estado = ${EN_PROCESO} AND s.lease_until IS NULL
    AND (SELECT processes > 0 FROM consumers_${cola})
  ORDER BY o.rung_at LIMIT ${BATCH} FOR UPDATE OF o SKIP LOCKED
), under_way_${cola} AS MATERIALIZED (
  SELECT cuenta_id, count(*)::int AS n FROM outbox WHERE cola = '${cola}' AND rung_at IS NOT NULL GROUP BY cuenta_id
), room_${cola} AS MATERIALIZED (
  SELECT coalesce(slots + least(slots, ${AHEAD}) - (SELECT coalesce(sum(n), 0)::int FROM under_way_${cola}), 0) AS n FROM consumers_${cola}
), oldest_${cola} AS MATERIALIZED (
  SELECT solicitud_id, cuenta_id, due_at FROM outbox
  WHERE cola = '${cola}' AND rung_at IS NULL AND due_at <= now() AND (SELECT n > 0 FROM room_${cola}) ORDER BY due_at LIMIT ${WINDOW}
), cuenta_${cola} AS (
  SELECT (SELECT cuenta_id FROM outbox WHERE cola = '${cola}' AND rung_at IS NULL ORDER BY cuenta_id LIMIT 1) AS id
  WHERE (SELECT count(*) = ${WINDOW} FROM oldest_${cola})
  UNION ALL
  SELECT (SELECT o.cuenta_id FROM outbox o WHERE o.cola = '${cola}' AND o.rung_at IS NULL AND o.cuenta_id > c.id ORDER BY o.cuenta_id LIMIT 1)
  FROM cuenta_${cola} c WHERE c.id IS NOT NULL
), candidate_${cola} AS (
  SELECT * FROM oldest_${cola}
  UNION
  SELECT head.* FROM cuenta_${cola} c CROSS JOIN LATERAL (
    SELECT solicitud_id, cuenta_id, due_at FROM outbox o
    WHERE o.cola = '${cola}' AND o.rung_at IS NULL AND o.cuenta_id = c.id AND due_at <= now() ORDER BY due_at
    LIMIT (SELECT least((SELECT n FROM room_${cola}), greatest(2, ${HEADS} / count(*))) FROM cuenta_${cola})
  ) head
), ranked_${cola} AS (
  SELECT solicitud_id, due_at, coalesce(u.n, 0) + row_number() OVER (PARTITION BY cuenta_id ORDER BY due_at, solicitud_id) AS nth
  FROM candidate_${cola} LEFT JOIN under_way_${cola} u USING (cuenta_id)
), fair_${cola} AS (
  SELECT solicitud_id, nth, row_number() OVER (ORDER BY nth, due_at, solicitud_id) AS pos FROM ranked_${cola}
), chosen_${cola} AS (
  SELECT solicitud_id, pos FROM fair_${cola}, room_${cola} room WHERE pos <= least(room.n, ${BATCH}) AND nth <= ${PARTE_POR_CUENTA} * (room.n - pos + 1)
), picked_${cola} AS MATERIALIZED (
  SELECT o.solicitud_id, chosen.pos FROM outbox o JOIN chosen_${cola} chosen USING (solicitud_id) WHERE o.rung_at IS NULL
  ORDER BY chosen.pos FOR UPDATE OF o SKIP LOCKED
), given_${cola} AS MATERIALIZED (
  SELECT solicitud_id, true AS is_again, 0 AS pos FROM again_${cola} UNION ALL SELECT solicitud_id, false, pos FROM picked_${cola}
), noted_${cola} AS (
  UPDATE outbox SET rung_at = now() WHERE solicitud_id = ANY (ARRAY(SELECT solicitud_id FROM given_${cola})) RETURNING solicitud_id, gen
)`;

const given = (cola: QueueName) => `
SELECT '${cola}' AS cola, solicitud_id, gen, is_again, pos, processes, smallest, (SELECT count(*)::int FROM fair_${cola}) AS due
FROM noted_${cola} JOIN given_${cola} USING (solicitud_id), consumers_${cola}`;

/**
 * Hands over the wake-ups of each queue; gives a row for each of them, and a row for a queue without any. The times are
 * those before: seconds until the first wake-up is due, and since the queue has had the first of those under way. Looks
 * at the first of each: asked whether there is any, the planner would read all that are due. Relays take turns (`mine`).
 * One that began before the end of another finds the same wake-ups taken; one that became due since may exceed the slots.
 */
const DRAIN = `
/* relay */ WITH RECURSIVE turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('acuse_relay')) AS mine),
first AS MATERIALIZED (
  SELECT q.cola, extract(epoch FROM (SELECT due_at FROM outbox o WHERE o.cola = q.cola AND rung_at IS NULL ORDER BY due_at LIMIT 1) - now())::float8 AS "dueIn",
    extract(epoch FROM now() - (SELECT rung_at FROM outbox o WHERE o.cola = q.cola AND rung_at IS NOT NULL ORDER BY rung_at LIMIT 1))::float8 AS "rungFor"
  FROM (VALUES ${COLAS.map((cola) => `('${cola}')`).join(', ')}) q (cola)
),${COLAS.map(handOver).join(',')}
SELECT cola, "dueIn", "rungFor", solicitud_id AS "solicitudId", gen, is_again AS "isAgain", processes, smallest, due
FROM first LEFT JOIN (${COLAS.map(given).join(' UNION ALL')}) h USING (cola) ORDER BY is_again DESC, pos`;

const UNRING = `
UPDATE outbox o SET rung_at = NULL FROM unnest($1::uuid[], $2::int[]) AS t (solicitud_id, gen)
WHERE o.solicitud_id = ANY ($1::uuid[]) AND o.solicitud_id = t.solicitud_id AND o.gen = t.gen`;

/** A wake-up that was handed over; with the processes of its queue, the slots of the smallest one, and those that were due. */
interface Given {
  readonly solicitudId: string;
  readonly gen: number;
  readonly isAgain: boolean;
  readonly processes: number;
  readonly smallest: number;
  readonly due: number;
}

type Row = {
  readonly cola: QueueName;
  /** Seconds; null without one. */
  readonly dueIn: number | null;
  readonly rungFor: number | null;
} & (Given | { readonly solicitudId: null });

/** Wake-ups, and how many of them one job of each queue carries. */
interface Chosen {
  readonly wakeUps: readonly WakeUp[];
  readonly sizes: Readonly<Partial<Record<QueueName, number>>>;
  readonly isWaiting: boolean;
}

/**
 * Wake-ups of one job: two jobs for each process, so that all of them get some, and few enough that those that wait for
 * a slot in one process are an eighth of its slots.
 */
const sizeOf = (chosen: number, { processes, smallest }: Given) =>
  Math.max(1, Math.min(MOST_IN_A_JOB, Math.ceil(chosen / (2 * processes)), Math.floor(smallest / 8)));

interface Drained {
  readonly delivered: number;
  /** One go was too short for the free slots. */
  readonly hasMore: boolean;
  /** Due wake-ups may wait for a slot. */
  readonly isWaiting: boolean;
  /**
   * Seconds in which no wake-up becomes due without a notification: none while one is due or under way, since the end of
   * a step makes room, and another step may follow at once.
   */
  readonly restSeconds: number;
}

function chosenFrom(rows: readonly Row[]): Chosen {
  const wakeUps: WakeUp[] = [];
  const sizes: Partial<Record<QueueName, number>> = {};
  let isWaiting = false;
  for (const queue of COLAS) {
    const own = rows.filter(({ cola }) => cola === queue);
    const handed = own.filter((row): row is Row & Given => row.solicitudId !== null);
    const fresh = handed.filter(({ isAgain }) => !isAgain).length;
    const [first] = handed;
    isWaiting ||= (own[0]?.dueIn ?? 1) <= 0 && (fresh === 0 || fresh < (first?.due ?? 0));
    if (first === undefined) continue;
    wakeUps.push(...handed.map(({ solicitudId, gen, isAgain }) => ({ solicitudId, gen, queue, isAgain })));
    sizes[queue] = sizeOf(fresh, first);
  }
  return { wakeUps, sizes, isWaiting };
}

/** Wake-ups of all open solicitudes, most of them not due yet. */
export function createOutbox({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Hands the due wake-ups to `deliver`, as many as the workers have slots for, shared among the accounts, and again
     * those without a claim for `graceSeconds`. A rejection leaves them unchanged.
     */
    async drain(
      { graceSeconds }: { graceSeconds: number },
      deliver: (wakeUps: Chosen['wakeUps'], sizes: Chosen['sizes']) => Promise<void>,
    ): Promise<Drained> {
      const rows = await rowsOf<Row>(pool, DRAIN, [graceSeconds]);
      const { wakeUps, sizes, isWaiting } = chosenFrom(rows);
      const isBusy = rows.some(({ rungFor }) => rungFor !== null);
      const delivered = wakeUps.length;
      const due = rows.map(({ dueIn }) => Math.max(0, dueIn ?? Number.POSITIVE_INFINITY));
      const restSeconds = isBusy || delivered > 0 ? 0 : Math.min(...due);
      if (delivered === 0) return { delivered, hasMore: false, isWaiting, restSeconds };
      try {
        await deliver(wakeUps, sizes);
      } catch (error) {
        // Where this fails too they are woken again after the grace.
        const values = [wakeUps.map((t) => t.solicitudId), wakeUps.map((t) => t.gen)];
        await execute(pool, UNRING, values).catch(() => {});
        throw error;
      }
      return { delivered, hasMore: delivered >= WINDOW, isWaiting, restSeconds };
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Notifies listening relays of new wake-ups; called after the commit and never awaited by a request. */
export async function notifyOutbox({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await execute(pool, `SELECT ${NOTIFY_OUTBOX}`);
}

/**
 * Limits notifications to one in `everyMs` milliseconds: a commit with one waits for every other such commit. Statements
 * carry them, and `send` sends one for what the others committed. A lost notification costs a second: the relay also polls.
 */
export function createNotices(send: () => Promise<void>, everyMs: number) {
  let isResting = false;
  let isWanted = false;

  function rest(): void {
    isResting = true;
    setTimeout(() => {
      isResting = false;
      if (isWanted) fire();
    }, everyMs).unref();
  }

  function fire(): void {
    isWanted = false;
    rest();
    send().catch(() => {});
  }

  return {
    /** True where the next statement is to carry the notification. */
    take(): boolean {
      if (isResting) return false;
      rest();
      return true;
    },
    /** Announces rows that were committed without a notification. */
    announce(): void {
      isWanted = true;
      if (!isResting) fire();
    },
  };
}
