import type { EventoWebhook } from '@acuse/contract';
import { type Database, execute, inTransaction, isOne, listenTo, rowOf, rowsOf } from '@acuse/db';
import type { FalloDeEntrega } from '../fallos.ts';

/** LISTEN/NOTIFY channel that says "something is to be sent". The functions of the database speak on it. */
const CANAL_WEBHOOKS = 'acuse_webhooks';

/** Tries in a row after which a receiver is doubtful: it is asked one at a time. */
const DUDOSO = 10;
/** Tries in a row without which nothing is switched off, however long ago the first was. */
const MIN_FALLOS = 20;

/** One message on its way, held until its lease ends. */
export interface EntregaTomada {
  readonly id: string;
  readonly epoch: number;
  readonly webhookId: string;
  readonly url: string;
  readonly secuencia: number;
  /** Tries before this one. */
  readonly intentos: number;
  /** Its receiver fails: deliveries to failing receivers must leave room for others. */
  readonly isDudosa: boolean;
  readonly eventoId: string;
  readonly tipo: EventoWebhook | 'prueba';
  readonly rfc: string | null;
  readonly creadoEn: Date;
  readonly datos: Readonly<Record<string, unknown>>;
  /** The same at every try, once there was one. */
  readonly cuerpo: string | null;
  /** Trace in which its solicitud was accepted (W3C Trace Context); null without one. */
  readonly traceparent: string | null;
  readonly solicitud: { readonly id: string; readonly contribuyenteId: string } | null;
  /** The one in force first. */
  readonly secretos: readonly { readonly id: string; readonly sobre: Buffer }[];
}

export interface IntentoHecho {
  readonly ms: number;
  readonly status: number | null;
  readonly error: FalloDeEntrega | null;
  readonly respuesta: string | null;
}

/** What follows a try that failed. */
export interface Despues {
  /** Seconds to the next try; null when that was the last one. */
  readonly enSegundos: number | null;
  /** The same for one that its owner asked for again meanwhile: it has all its tries before it. */
  readonly deNuevoEnSegundos: number | null;
  /** Seconds for which nothing is sent there. */
  readonly esperaSegundos: number | null;
  /** The receiver wants nothing more: it is switched off. */
  readonly isNoMore: boolean;
  /** Days in which nothing arrived, after which it is switched off too. */
  readonly diasFallando: number;
  /** Messages that may wait for a receiver that fails: with more it is switched off too. */
  readonly maxPendientes: number;
}

/** Workers take turns at choosing: two at once would count the same ones under way, and exceed what a receiver may have. */
const TURN = `SELECT pg_advisory_xact_lock(hashtext('acuse_webhooks'))`;

/**
 * What is due, shared out among the accounts and the receivers of each: in each round every account gets one, those with
 * the fewest under way first, and no account has more than `$5`. The receivers are found by steps along the index, so
 * that one with a long queue hides nobody. A doubtful one has one under way, after those of its account that are well,
 * and all of them together no more than `$3` new ones. To a suspended account nothing is sent until it is reopened.
 */
const CLAIM = `
WITH RECURSIVE destino AS (
  (SELECT webhook_id AS id FROM webhook_entrega WHERE estado = 'PENDIENTE' ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT e.webhook_id FROM webhook_entrega e WHERE e.estado = 'PENDIENTE' AND e.webhook_id > d.id ORDER BY e.webhook_id LIMIT 1)
  FROM destino d WHERE d.id IS NOT NULL
), en_camino AS MATERIALIZED (
  SELECT webhook_id, count(*)::int AS n FROM webhook_entrega WHERE tomada_hasta IS NOT NULL AND tomada_hasta > now() GROUP BY webhook_id
), de_cuenta AS MATERIALIZED (
  SELECT w.cuenta_id, sum(c.n)::int AS n FROM en_camino c JOIN webhook w ON w.id = c.webhook_id GROUP BY w.cuenta_id
), abierto AS MATERIALIZED (
  SELECT w.id, w.cuenta_id, w.fallos_seguidos >= ${DUDOSO} AS dudoso, coalesce(c.n, 0) AS n, coalesce(q.n, 0) AS n_cuenta
  FROM destino d JOIN webhook w ON w.id = d.id JOIN cuenta ON cuenta.id = w.cuenta_id AND cuenta.suspendida_en IS NULL LEFT JOIN en_camino c ON c.webhook_id = w.id LEFT JOIN de_cuenta q ON q.cuenta_id = w.cuenta_id
  WHERE w.estado = 'ACTIVO' AND (w.espera_hasta IS NULL OR w.espera_hasta <= now())
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

/**
 * Whoever locks an endpoint and a delivery of it locks the endpoint first, as its deletion does: `destino`, which reads
 * nothing that is not locked, is read before a row of `fin` is.
 */
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

/** A receiver that did not fail is not written to, nor locked. */
const DELIVERED = `${noted('AND w.fallos_seguidos > 0', `estado = 'ENTREGADA', terminada_en = now()`)}, sano AS (
  UPDATE webhook w SET fallos_seguidos = 0, fallando_desde = NULL FROM fin JOIN destino ON destino.id = fin.webhook_id WHERE w.id = destino.id
)
SELECT id FROM fin`;

/** Seconds to the next attempt, null for none; from the beginning when its owner asked for it again meanwhile. */
const SIGUE = 'CASE WHEN intentos < $11::int AND NOT $9::boolean THEN $12::float8 ELSE $7::float8 END';

/**
 * `$7` seconds to the next try, none after the last; `$8` seconds to leave the receiver alone; `$9` it wants no more;
 * `$10` days; `$11` tries before this one when it was taken; `$12` seconds to the next try of one that begins anew; `$13`
 * messages that may wait for a receiver that fails: whoever reads on counts no more of them.
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

/** Deliveries of webhooks for the workers, with their outcomes. */
export function createEntregas({ pool, settings }: Pick<Database, 'pool' | 'settings'>) {
  return {
    /**
     * Takes up to `limite` that are due, at most `porDestino` under way to one receiver, `porCuenta` to all of an
     * account, and at most `dudosas` to such that fail. Nobody else gets them for `leaseSeconds`; then they are due again, as those of a dead worker.
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

    /** Notes that it arrived. False when another worker holds it. */
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
