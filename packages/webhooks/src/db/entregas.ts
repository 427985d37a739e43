import type { EventoWebhook } from '@acuse/contract';
import { type Database, execute, inTransaction, isOne, listenTo, rowOf, rowsOf } from '@acuse/db';
import type { FalloDeEntrega } from '../fallos.ts';

/** LISTEN/NOTIFY channel for new deliveries; functions of the database notify it. */
const CANAL_WEBHOOKS = 'acuse_webhooks';

/** Failed attempts in a row that make a receiver doubtful: it then gets one delivery at a time. */
const DUDOSO = 10;
/** Failed attempts in a row before a webhook may be switched off. */
const MIN_FALLOS = 20;

/** A delivery under way, held until its lease ends. */
export interface EntregaTomada {
  readonly id: string;
  readonly epoch: number;
  readonly webhookId: string;
  readonly url: string;
  readonly secuencia: number;
  /** Earlier attempts. */
  readonly intentos: number;
  /** Its receiver fails: deliveries to failing receivers must leave room for others. */
  readonly isDudosa: boolean;
  readonly eventoId: string;
  readonly tipo: EventoWebhook | 'prueba';
  readonly rfc: string | null;
  readonly creadoEn: Date;
  readonly datos: Readonly<Record<string, unknown>>;
  /** Equal at every attempt; null before the first. */
  readonly cuerpo: string | null;
  /** Trace of the acceptance of its solicitud (W3C Trace Context); null without one. */
  readonly traceparent: string | null;
  readonly solicitud: { readonly id: string; readonly contribuyenteId: string } | null;
  /** The current secret first. */
  readonly secretos: readonly { readonly id: string; readonly sobre: Buffer }[];
}

export interface IntentoHecho {
  readonly ms: number;
  readonly status: number | null;
  readonly error: FalloDeEntrega | null;
  readonly respuesta: string | null;
}

/** Consequences of a failed attempt. */
export interface Despues {
  /** Seconds to the next attempt; null after the last. */
  readonly enSegundos: number | null;
  /** The same for a delivery that its owner resent meanwhile: it starts with all attempts. */
  readonly deNuevoEnSegundos: number | null;
  /** Seconds without any delivery to the receiver. */
  readonly esperaSegundos: number | null;
  /** The receiver answered 410: its webhook is switched off. */
  readonly isNoMore: boolean;
  /** Days without a success that switch the webhook off. */
  readonly diasFallando: number;
  /** Waiting deliveries of a failing receiver; more switch its webhook off. */
  readonly maxPendientes: number;
}

/** Workers claim one at a time: two at once would count the same deliveries under way and exceed a receiver's limit. */
const TURN = `SELECT pg_advisory_xact_lock(hashtext('acuse_webhooks'))`;

/** Webhooks with waiting deliveries, by steps along the index: a long queue hides no other receiver. Then the open ones. */
const DESTINO = `destino AS (
  (SELECT webhook_id AS id FROM webhook_entrega WHERE estado = 'PENDIENTE' ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT e.webhook_id FROM webhook_entrega e WHERE e.estado = 'PENDIENTE' AND e.webhook_id > d.id ORDER BY e.webhook_id LIMIT 1)
  FROM destino d WHERE d.id IS NOT NULL
)`;

const ACTIVO = `destino d JOIN webhook w ON w.id = d.id AND w.estado = 'ACTIVO' JOIN cuenta ON cuenta.id = w.cuenta_id AND cuenta.suspendida_en IS NULL`;

/** Due at the end of its lease while under way. */
const FIRST = `
WITH RECURSIVE ${DESTINO}
SELECT extract(epoch FROM min(greatest(e.due_at, w.espera_hasta)) - now())::float8 AS seconds FROM ${ACTIVO}
CROSS JOIN LATERAL (SELECT due_at FROM webhook_entrega WHERE webhook_id = w.id AND estado = 'PENDIENTE' ORDER BY due_at LIMIT 1) e`;

/**
 * Shares due deliveries among the accounts and their receivers, round by round: the accounts with the fewest deliveries
 * under way first, at most `$5` for each account. A doubtful receiver gets one delivery at a time, after the healthy
 * receivers of its account; all doubtful receivers together get at most `$3` new ones. A suspended account gets none.
 */
const CLAIM = `
WITH RECURSIVE ${DESTINO}, en_camino AS MATERIALIZED (
  SELECT webhook_id, count(*)::int AS n FROM webhook_entrega WHERE tomada_hasta IS NOT NULL AND tomada_hasta > now() GROUP BY webhook_id
), de_cuenta AS MATERIALIZED (
  SELECT w.cuenta_id, sum(c.n)::int AS n FROM en_camino c JOIN webhook w ON w.id = c.webhook_id GROUP BY w.cuenta_id
), abierto AS MATERIALIZED (
  SELECT w.id, w.cuenta_id, w.fallos_seguidos >= ${DUDOSO} AS dudoso, coalesce(c.n, 0) AS n, coalesce(q.n, 0) AS n_cuenta
  FROM ${ACTIVO} LEFT JOIN en_camino c ON c.webhook_id = w.id LEFT JOIN de_cuenta q ON q.cuenta_id = w.cuenta_id
  WHERE (w.espera_hasta IS NULL OR w.espera_hasta <= now())
), candidata AS (
  SELECT c.id, c.due_at, a.dudoso, a.cuenta_id, a.n_cuenta, a.n + row_number() OVER (PARTITION BY a.id ORDER BY c.due_at, c.id) AS nth
  FROM abierto a CROSS JOIN LATERAL (
    SELECT e.id, e.due_at FROM webhook_entrega e WHERE e.webhook_id = a.id AND e.estado = 'PENDIENTE' AND e.due_at <= now()
    ORDER BY e.due_at LIMIT greatest(0, CASE WHEN a.dudoso THEN 1 ELSE $2::int END - a.n)
  ) c
), turno AS (
  SELECT id, due_at, dudoso, n_cuenta + row_number() OVER (PARTITION BY cuenta_id ORDER BY dudoso, nth, due_at, id) AS nth FROM candidata
), ordenada AS (
  SELECT id, dudoso, row_number() OVER (ORDER BY nth, due_at, id) AS pos,
    row_number() OVER (PARTITION BY dudoso ORDER BY nth, due_at, id) AS pos_propia FROM turno WHERE nth <= $5::int
), elegida AS (
  SELECT id, dudoso FROM ordenada WHERE NOT dudoso OR pos_propia <= $3::int ORDER BY pos LIMIT $1
), libre AS (
  SELECT e.id FROM webhook_entrega e WHERE e.id = ANY (ARRAY(SELECT id FROM elegida)) AND e.estado = 'PENDIENTE' AND e.due_at <= now()
  ORDER BY e.id FOR UPDATE SKIP LOCKED
), tomada AS (
  UPDATE webhook_entrega e SET epoch = e.epoch + 1, tomada_hasta = now() + make_interval(secs => $4), due_at = now() + make_interval(secs => $4)
  WHERE e.id = ANY (ARRAY(SELECT id FROM libre)) RETURNING e.*
)
SELECT t.id, t.epoch, t.webhook_id AS "webhookId", w.url, t.secuencia::float8 AS secuencia, t.intentos, elegida.dudoso AS "isDudosa",
  v.id AS "eventoId", v.tipo, v.rfc, v.creado_en AS "creadoEn", v.datos, v.cuerpo, v.solicitud_id AS "solicitudId", s.contribuyente_id AS "contribuyenteId", s.traceparent,
  (SELECT json_agg(json_build_object('id', x.id, 'sobre', encode(x.sobre, 'base64')) ORDER BY x.vence_en IS NULL DESC, x.creado_en DESC)
   FROM webhook_secreto x WHERE x.webhook_id = w.id AND (x.vence_en IS NULL OR x.vence_en > now())) AS secretos
FROM tomada t JOIN elegida ON elegida.id = t.id JOIN webhook w ON w.id = t.webhook_id JOIN webhook_evento v ON v.id = t.evento_id
LEFT JOIN solicitud s ON s.id = v.solicitud_id`;

const KEEP = 'UPDATE webhook_evento SET cuerpo = coalesce(cuerpo, $2) WHERE id = $1 RETURNING cuerpo';

/** Locks the webhook before its delivery, as the deletion of a webhook does: `fin` reads `destino` first. */
const noted = (destino: string, set: string) => `
WITH destino AS MATERIALIZED (
  SELECT w.id, w.fallando_desde, w.fallos_seguidos FROM webhook w
  WHERE w.id = (SELECT webhook_id FROM webhook_entrega WHERE id = $1) ${destino} FOR NO KEY UPDATE
), fin AS (
  UPDATE webhook_entrega SET intentos = intentos + 1, tomada_hasta = NULL, ${set}
  WHERE id = $1 AND epoch = $2 AND estado = 'PENDIENTE' AND tomada_hasta IS NOT NULL AND (SELECT count(*) FROM destino) >= 0 RETURNING id, webhook_id
), intento AS (
  INSERT INTO webhook_intento (entrega_id, ms, status, error, respuesta) SELECT id, $3, $4, $5, $6 FROM fin
)`;

/** Leaves the row of a healthy receiver unlocked and unchanged. */
const DELIVERED = `${noted('AND w.fallos_seguidos > 0', `estado = 'ENTREGADA', terminada_en = now()`)}, sano AS (
  UPDATE webhook w SET fallos_seguidos = 0, fallando_desde = NULL FROM fin JOIN destino ON destino.id = fin.webhook_id WHERE w.id = destino.id
)
SELECT id FROM fin`;

/** Seconds to the next attempt, null for none; those of a first failure when its owner resent the delivery. */
const SIGUE = 'CASE WHEN intentos < $11::int AND NOT $9::boolean THEN $12::float8 ELSE $7::float8 END';

/**
 * `$7` seconds to the next attempt, null after the last; `$8` seconds without any delivery to the receiver; `$9` it
 * answered 410; `$10` days without a success; `$11` earlier attempts when the delivery was claimed; `$12` seconds to the
 * next attempt of a resent delivery; `$13` waiting deliveries that switch a failing receiver off (counts no further).
 */
const FAILED = `${noted(
  '',
  `estado = CASE WHEN ${SIGUE} IS NULL THEN 'FALLIDA' ELSE 'PENDIENTE' END,
    terminada_en = CASE WHEN ${SIGUE} IS NULL THEN now() END, due_at = now() + make_interval(secs => coalesce(${SIGUE}, 0))`,
)}, fallo AS (
  UPDATE webhook w SET fallos_seguidos = w.fallos_seguidos + 1, fallando_desde = coalesce(w.fallando_desde, now()),
    espera_hasta = CASE WHEN $8::float8 IS NULL THEN w.espera_hasta ELSE greatest(w.espera_hasta, now() + make_interval(secs => $8::float8)) END,
    estado = CASE WHEN f.motivo IS NULL THEN w.estado ELSE 'APAGADO' END,
    motivo = coalesce(w.motivo, f.motivo), apagado_en = CASE WHEN f.motivo IS NULL THEN w.apagado_en ELSE coalesce(w.apagado_en, now()) END
  FROM (SELECT fin.webhook_id, CASE WHEN $9::boolean THEN 'CONTESTO_410'
      WHEN d.fallando_desde < now() - make_interval(days => $10::int) AND d.fallos_seguidos >= ${MIN_FALLOS} THEN 'FALLA_DIAS'
      WHEN d.fallos_seguidos >= ${DUDOSO} AND (SELECT count(*) FROM (
        SELECT FROM webhook_entrega e WHERE e.webhook_id = fin.webhook_id AND e.estado = 'PENDIENTE' LIMIT $13::int) x) >= $13::int THEN 'MUCHOS_PENDIENTES' END AS motivo
    FROM fin JOIN destino d ON d.id = fin.webhook_id) f
  WHERE w.id = f.webhook_id RETURNING w.estado
)
SELECT fin.id, fallo.estado FROM fin, fallo`;

type Row = Omit<EntregaTomada, 'solicitud' | 'secretos'> & {
  readonly solicitudId: string | null;
  readonly contribuyenteId: string | null;
  readonly secretos: readonly { readonly id: string; readonly sobre: string }[] | null;
};

function tomadaOf({ solicitudId, contribuyenteId, secretos, ...row }: Row): EntregaTomada {
  return {
    ...row,
    solicitud: solicitudId !== null && contribuyenteId !== null ? { id: solicitudId, contribuyenteId } : null,
    secretos: (secretos ?? []).map(({ id, sobre }) => ({ id, sobre: Buffer.from(sobre, 'base64') })),
  };
}

/** Deliveries for the workers, with their outcomes. */
export function createEntregas({ pool, settings }: Pick<Database, 'pool' | 'settings'>) {
  return {
    /** Seconds until the first delivery is due; Infinity without one. More may be due than {@link claim} may claim. */
    async restSeconds(): Promise<number> {
      return (await rowOf<{ seconds: number | null }>(pool, FIRST))?.seconds ?? Number.POSITIVE_INFINITY;
    },

    /**
     * Claims up to `limite` due deliveries for `leaseSeconds`: at most `porDestino` under way to one receiver, `porCuenta`
     * to one account, and `dudosas` new ones to doubtful receivers. Due again when the lease expires.
     */
    async claim(
      input: Record<'limite' | 'porDestino' | 'porCuenta' | 'dudosas' | 'leaseSeconds', number>,
    ): Promise<readonly EntregaTomada[]> {
      const { limite, porDestino, porCuenta, dudosas, leaseSeconds } = input;
      return inTransaction(pool, async (client) => {
        await execute(client, TURN);
        return (await rowsOf<Row>(client, CLAIM, [limite, porDestino, dudosas, leaseSeconds, porCuenta])).map(tomadaOf);
      });
    },

    /** Keeps the body of an event; returns the body that was kept first. Null when the event is gone. */
    async keepCuerpo(eventoId: string, cuerpo: string): Promise<string | null> {
      return (await rowOf<{ cuerpo: string }>(pool, KEEP, [eventoId, cuerpo]))?.cuerpo ?? null;
    },

    /** Notes a success. False when another worker holds the delivery. */
    delivered: ({ id, epoch }: Pick<EntregaTomada, 'id' | 'epoch'>, hecho: IntentoHecho) =>
      isOne(pool, DELIVERED, [id, epoch, hecho.ms, hecho.status, hecho.error, hecho.respuesta]),

    /** Notes a failure. Returns the state of the webhook, or null when another worker holds the delivery. */
    async failed(
      { id, epoch, intentos }: Pick<EntregaTomada, 'id' | 'epoch' | 'intentos'>,
      hecho: IntentoHecho,
      { enSegundos, deNuevoEnSegundos, esperaSegundos, isNoMore, diasFallando, maxPendientes }: Despues,
    ): Promise<'ACTIVO' | 'APAGADO' | null> {
      const row = await rowOf<{ estado: 'ACTIVO' | 'APAGADO' }>(pool, FAILED, [
        ...[id, epoch, hecho.ms, hecho.status, hecho.error, hecho.respuesta],
        ...[enSegundos, esperaSegundos, isNoMore, diasFallando, intentos, deNuevoEnSegundos, maxPendientes],
      ]);
      return row?.estado ?? null;
    },

    /** Calls `wake` on a notification of a new delivery. Best effort: poll as well. */
    listen: (wake: () => void) => listenTo(settings, CANAL_WEBHOOKS, wake),
  };
}

export type Entregas = ReturnType<typeof createEntregas>;
