import type { EventoWebhook } from '@acuse/contract';
import type { Autor } from '@acuse/core';
import { type Connection, type Database, execute, inTransaction, isOne, isUuid, nota, rowOf, rowsOf } from '@acuse/db';
import type { FalloDeEntrega } from '../fallos.ts';

/** Scope: all webhooks of an account, or the webhooks of one RFC alone, for its API key. */
export interface AlcanceWebhooks {
  readonly cuentaId: string;
  readonly rfc?: string;
}

export interface WebhookVista {
  readonly id: string;
  readonly url: string;
  readonly descripcion: string;
  readonly eventos: readonly EventoWebhook[];
  /** RFCs of its events; empty: all. */
  readonly rfcs: readonly string[];
  readonly estado: 'ACTIVO' | 'APAGADO';
  /** Reason for the switch-off. */
  readonly motivo: 'USUARIO' | 'CONTESTO_410' | 'FALLA_DIAS' | 'MUCHOS_PENDIENTES' | null;
  readonly apagadoEn: Date | null;
  /** Time of the first failure since the last success; null without one. */
  readonly fallandoDesde: Date | null;
  readonly creadoEn: Date;
  /** End of each earlier secret that still signs. */
  readonly secretosAnteriores: readonly Date[];
  readonly pendientes: number;
}

export type EstadoEntrega = 'PENDIENTE' | 'ENTREGADA' | 'FALLIDA';

export interface EntregaVista {
  readonly id: string;
  readonly webhookId: string;
  /** Value of the header `webhook-id`. */
  readonly eventoId: string;
  readonly secuencia: number;
  readonly tipo: EventoWebhook | 'prueba';
  readonly rfc: string | null;
  readonly estado: EstadoEntrega;
  readonly intentos: number;
  /** Time of the next attempt; null for an ended delivery. */
  readonly proximoIntento: Date | null;
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
  /** Body; null before the first attempt. */
  readonly cuerpo: string | null;
  readonly ultimo: IntentoVista | null;
}

export interface IntentoVista {
  readonly en: Date;
  readonly ms: number;
  readonly status: number | null;
  readonly error: FalloDeEntrega | null;
  readonly respuesta: string | null;
}

/** A key to sign with, sealed under its own id. */
export interface SecretoSellado {
  readonly id: string;
  readonly sobre: Buffer;
}

type Campos = Pick<WebhookVista, 'url' | 'descripcion' | 'eventos' | 'rfcs'>;

/** Greatest number of webhooks of one account. */
export const MAX_WEBHOOKS = 20;
/** Secrets of one webhook that sign at the same time: the current one and earlier ones. */
const MAX_SECRETOS = 4;

/** SQL: true for a webhook `w` of the account `$1` and, unless null, of the RFC `$2` alone. */
const OWN = 'w.borrado_en IS NULL AND w.cuenta_id = $1 AND ($2::text IS NULL OR w.rfcs = ARRAY[$2::text])';

const VISTA = `w.id, w.url, w.descripcion, w.eventos, w.rfcs, w.estado, w.motivo, w.apagado_en AS "apagadoEn",
  w.fallando_desde AS "fallandoDesde", w.creado_en AS "creadoEn",
  ARRAY(SELECT s.vence_en FROM webhook_secreto s WHERE s.webhook_id = w.id AND s.vence_en > now() ORDER BY s.vence_en) AS "secretosAnteriores",
  (SELECT count(*)::int FROM webhook_entrega e WHERE e.webhook_id = w.id AND e.estado = 'PENDIENTE') AS pendientes`;

const LIST = `SELECT ${VISTA} FROM webhook w WHERE ${OWN} ORDER BY w.creado_en, w.id`;
const FIND = `SELECT ${VISTA} FROM webhook w WHERE ${OWN} AND w.id = $3`;

const ULTIMO = `(SELECT json_build_object('en', i.en, 'ms', i.ms, 'status', i.status, 'error', i.error, 'respuesta', i.respuesta)
  FROM webhook_intento i WHERE i.entrega_id = e.id ORDER BY i.id DESC LIMIT 1)`;

const ENTREGA = `e.id, e.webhook_id AS "webhookId", 'evt_' || e.evento_id AS "eventoId", e.secuencia::float8 AS secuencia, v.tipo, v.rfc, e.estado, e.intentos,
  CASE WHEN e.estado = 'PENDIENTE' THEN e.due_at END AS "proximoIntento", e.creada_en AS "creadaEn", e.terminada_en AS "terminadaEn", v.cuerpo, ${ULTIMO} AS ultimo`;

const page = (estado: string) => `
SELECT ${ENTREGA} FROM webhook w JOIN webhook_entrega e ON e.webhook_id = w.id JOIN webhook_evento v ON v.id = e.evento_id
WHERE ${OWN} AND w.id = $3 AND ($4::float8 IS NULL OR e.secuencia < $4) ${estado}
ORDER BY e.secuencia DESC LIMIT $5`;

/** One statement for each state, by its own index: few failures stand among millions of successes. */
const ENTREGAS: Readonly<Record<EstadoEntrega | 'TODAS', string>> = {
  TODAS: page(''),
  PENDIENTE: page(`AND e.estado = 'PENDIENTE'`),
  ENTREGADA: page(`AND e.estado = 'ENTREGADA'`),
  FALLIDA: page(`AND e.estado = 'FALLIDA'`),
};

const OF_ENTREGA = `FROM webhook_entrega e JOIN webhook w ON w.id = e.webhook_id JOIN webhook_evento v ON v.id = e.evento_id
WHERE ${OWN} AND e.id = $3`;

/** Attempts of a delivery that the log keeps. */
const MAX_INTENTOS = 100;
const INTENTOS = `SELECT en, ms, status, error, respuesta FROM webhook_intento WHERE entrega_id = $1 ORDER BY id DESC LIMIT ${MAX_INTENTOS}`;

const CAMPOS = `jsonb_build_object('webhook', id, 'url', url, 'eventos', eventos, 'rfcs', rfcs, 'estado', estado)`;
const audited = (accion: string, de: string, [actor, ip]: readonly [string, string], detalle = CAMPOS) =>
  nota({ accion, de, detalle, actor, ip });

/** Id of the webhook that sends the same RFCs to the same address. */
export interface Igual {
  readonly igual: string;
}

const SAME = `
SELECT w.id AS igual FROM webhook w LEFT JOIN webhook propio ON propio.id = $4 AND propio.cuenta_id = $1
WHERE w.cuenta_id = $1 AND w.id <> $4 AND w.borrado_en IS NULL AND w.url = coalesce($2, propio.url) AND w.url NOT LIKE 'acuse:%'
  AND w.rfcs @> coalesce($3, propio.rfcs) AND w.rfcs <@ coalesce($3, propio.rfcs) LIMIT 1`;

const CREATE = `
WITH nuevo AS (
  INSERT INTO webhook (id, cuenta_id, url, descripcion, eventos, rfcs) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING RETURNING *
), secreto AS (
  INSERT INTO webhook_secreto (id, webhook_id, sobre) SELECT $7, id, $8 FROM nuevo
)
${audited('crear-webhook', 'nuevo', ['$9', '$10'])}`;

/** A webhook that is switched on again starts without failures and pauses. */
const UPDATE = `
WITH cambiado AS (
  UPDATE webhook w SET url = coalesce($4, url), descripcion = coalesce($5, descripcion), eventos = coalesce($6, eventos),
    rfcs = coalesce($7, rfcs), estado = coalesce($8, estado),
    motivo = CASE coalesce($8, estado) WHEN 'APAGADO' THEN coalesce(motivo, 'USUARIO') END,
    apagado_en = CASE coalesce($8, estado) WHEN 'APAGADO' THEN coalesce(apagado_en, now()) END,
    fallos_seguidos = CASE WHEN $8 = 'ACTIVO' OR $4 IS NOT NULL THEN 0 ELSE fallos_seguidos END,
    fallando_desde = CASE WHEN $8 = 'ACTIVO' OR $4 IS NOT NULL THEN NULL ELSE fallando_desde END,
    espera_hasta = CASE WHEN $8 = 'ACTIVO' OR $4 IS NOT NULL THEN NULL ELSE espera_hasta END
  WHERE ${OWN} AND w.id = $3 RETURNING w.*
), avisa AS (SELECT webhook_despierta() FROM cambiado)
${audited('cambiar-webhook', 'cambiado CROSS JOIN avisa', ['$9', '$10'])}`;

const REMOVE = `
WITH ido AS (
  UPDATE webhook w SET borrado_en = now(), estado = 'APAGADO', motivo = coalesce(motivo, 'USUARIO'), apagado_en = coalesce(apagado_en, now())
  WHERE ${OWN} AND w.id = $3 RETURNING w.*
), secretos AS (DELETE FROM webhook_secreto s USING ido WHERE s.webhook_id = ido.id)
${audited('borrar-webhook', 'ido', ['$4', '$5'])}`;

const LOCK = `SELECT w.id FROM webhook w WHERE ${OWN} AND w.id = $3 FOR NO KEY UPDATE`;

/** Ends the current secret after some seconds; with 0, all secrets at once. */
const SUPERSEDE = `
WITH fin AS (
  UPDATE webhook_secreto SET vence_en = now() + make_interval(secs => $2) WHERE webhook_id = $1 AND (vence_en IS NULL OR $2::float8 = 0) RETURNING vence_en
)
SELECT max(vence_en) AS "venceEn" FROM fin`;

/**
 * A delivery under way stays with its sender; a failure then starts all attempts again. The time is truncated to the
 * column's milliseconds: rounded up, the delivery would not be due at the wake-up.
 */
const RESEND = `
WITH otra AS (
  UPDATE webhook_entrega e SET estado = 'PENDIENTE', intentos = 0, terminada_en = NULL,
    due_at = CASE WHEN e.tomada_hasta > now() THEN e.due_at ELSE date_trunc('milliseconds', now()) END,
    tomada_hasta = CASE WHEN e.tomada_hasta > now() THEN e.tomada_hasta END,
    epoch = e.epoch + CASE WHEN e.tomada_hasta > now() THEN 0 ELSE 1 END
  FROM webhook w WHERE w.id = e.webhook_id AND ${OWN} AND e.id = $3 AND w.estado = 'ACTIVO' RETURNING e.id
), viejo AS (
  DELETE FROM webhook_intento WHERE id = ANY (ARRAY(
    SELECT i.id FROM webhook_intento i WHERE i.entrega_id = (SELECT id FROM otra) ORDER BY i.id DESC OFFSET ${MAX_INTENTOS - 1}))
)
SELECT webhook_despierta() FROM otra`;

/** Test deliveries of a webhook per minute: they are free, and the log keeps each. */
export const MAX_PRUEBAS = 10;

const PING = `
WITH destino AS MATERIALIZED (SELECT w.id, w.cuenta_id FROM webhook w WHERE ${OWN} AND w.id = $3 AND w.estado = 'ACTIVO' FOR NO KEY UPDATE),
ultima AS MATERIALIZED (
  SELECT v.tipo = 'prueba' OR v.datos ? 'ejemplo' AS es_prueba, e.creada_en FROM webhook_entrega e JOIN webhook_evento v ON v.id = e.evento_id WHERE e.webhook_id = (SELECT id FROM destino)
  ORDER BY e.secuencia DESC LIMIT ${MAX_PRUEBAS}
)
SELECT CASE WHEN (SELECT count(*) FROM ultima WHERE es_prueba AND creada_en > now() - interval '1 minute') < ${MAX_PRUEBAS}
  THEN webhook_anota(ARRAY[id], cuenta_id, $5::jsonb ->> 'rfc', $4, NULL, $5::jsonb) END AS evento FROM destino`;

const SIN_DATOS = { tipo: 'prueba', datos: {} } as const;

/** Times inside JSON come as text. */
type EntregaRow = Omit<EntregaVista, 'ultimo'> & {
  readonly ultimo: (Omit<IntentoVista, 'en'> & { readonly en: string }) | null;
};

const entregaOf = ({ ultimo, ...row }: EntregaRow): EntregaVista => ({
  ...row,
  ultimo: ultimo && { ...ultimo, en: new Date(ultimo.en) },
});

/** Webhooks for the members of their account and its API keys. Webhooks of other accounts do not exist for them. */
export function createWebhooks({ pool }: Pick<Database, 'pool'>) {
  const who = ({ cuentaId, rfc }: AlcanceWebhooks) => [cuentaId, rfc ?? null];

  async function areOwn(cuentaId: string, rfcs: readonly string[] | undefined): Promise<boolean> {
    if (rfcs === undefined || rfcs.length === 0) return true;
    const known = await rowOf<{ n: number }>(
      pool,
      'SELECT count(*)::int AS n FROM contribuyente WHERE cuenta_id = $1 AND rfc = ANY ($2)',
      [cuentaId, rfcs],
    );
    return known?.n === new Set(rfcs).size;
  }

  async function find(alcance: AlcanceWebhooks, id: string): Promise<WebhookVista | null> {
    return isUuid(id) ? rowOf<WebhookVista>(pool, FIND, [...who(alcance), id]) : null;
  }

  /** Locks the account first: of two calls that make the same webhook, the second finds the first. */
  async function lockAndFindSame(
    client: Connection,
    { id, cuentaId, url, rfcs }: { id: string; cuentaId: string } & Partial<Pick<Campos, 'url' | 'rfcs'>>,
  ): Promise<Igual | null> {
    await execute(client, 'SELECT cuenta_aparta($1)', [cuentaId]);
    return rowOf<Igual>(client, SAME, [cuentaId, url ?? null, rfcs ?? null, id]);
  }

  return {
    list: (alcance: AlcanceWebhooks) => rowsOf<WebhookVista>(pool, LIST, who(alcance)),

    find,

    /** Creates a webhook. Refuses a second one with the same id or an equal one, an RFC of another account, and too many. */
    async create(
      input: Campos & { id: string; cuentaId: string; secreto: SecretoSellado } & Autor,
    ): Promise<'CREADO' | 'REPETIDO' | 'RFC_DESCONOCIDO' | 'WEBHOOKS_DEMASIADOS' | Igual> {
      const { id, cuentaId, url, descripcion, eventos, rfcs, secreto, actor, ip } = input;
      if (!(await areOwn(cuentaId, rfcs))) return 'RFC_DESCONOCIDO';
      return inTransaction(pool, async (client) => {
        const igual = await lockAndFindSame(client, { id, cuentaId, url, rfcs });
        if (igual !== null) return igual;
        const count = 'SELECT count(*)::int AS n FROM webhook WHERE cuenta_id = $1 AND borrado_en IS NULL';
        const { n = 0 } = (await rowOf<{ n: number }>(client, count, [cuentaId])) ?? {};
        if (n >= MAX_WEBHOOKS) return 'WEBHOOKS_DEMASIADOS';
        const values = [id, cuentaId, url, descripcion, [...new Set(eventos)], [...new Set(rfcs)]];
        const isNew = await isOne(client, CREATE, [...values, secreto.id, secreto.sobre, actor, ip]);
        return isNew ? 'CREADO' : 'REPETIDO';
      });
    },

    /**
     * Changes the given fields. A webhook that is switched on starts without failures, and its waiting deliveries go on.
     * Null without the webhook; refuses an RFC of another account.
     */
    async update(
      alcance: AlcanceWebhooks,
      id: string,
      { url, descripcion, eventos, rfcs, estado, actor, ip }: Partial<Campos & Pick<WebhookVista, 'estado'>> & Autor,
    ): Promise<'CAMBIADO' | 'RFC_DESCONOCIDO' | Igual | null> {
      if (!isUuid(id)) return null;
      if (!(await areOwn(alcance.cuentaId, rfcs))) return 'RFC_DESCONOCIDO';
      const lists = [eventos, rfcs].map((values) => (values === undefined ? null : [...new Set(values)]));
      const values = [...who(alcance), id, url ?? null, descripcion ?? null, ...lists, estado ?? null, actor, ip];
      if ((await find(alcance, id)) === null) return null;
      return inTransaction(pool, async (client) => {
        const same = {
          id,
          cuentaId: alcance.cuentaId,
          ...(url === undefined ? {} : { url }),
          ...(rfcs === undefined ? {} : { rfcs }),
        };
        const igual = url === undefined && rfcs === undefined ? null : await lockAndFindSame(client, same);
        return igual ?? ((await isOne(client, UPDATE, values)) ? 'CAMBIADO' : null);
      });
    },

    /** Deletes a webhook and its unsent deliveries; its log follows in batches. False without the webhook. */
    remove: async (alcance: AlcanceWebhooks, id: string, { actor, ip }: Autor): Promise<boolean> =>
      isUuid(id) && isOne(pool, REMOVE, [...who(alcance), id, actor, ip]),

    /**
     * Puts a new secret in force; the previous secret also signs for `vigenciaSegundos`. With 0 the new secret signs alone
     * at once. Returns the end of the previous secret; null without the webhook. Refuses when the greatest number of
     * secrets signs: receivers may use each until its announced end.
     */
    async rotate(
      alcance: AlcanceWebhooks,
      id: string,
      { secreto, vigenciaSegundos, actor, ip }: { secreto: SecretoSellado; vigenciaSegundos: number } & Autor,
    ): Promise<Date | 'SECRETOS_DEMASIADOS' | null> {
      if (!isUuid(id)) return null;
      return inTransaction(pool, async (client) => {
        if ((await execute(client, LOCK, [...who(alcance), id])) === 0) return null;
        await execute(client, 'DELETE FROM webhook_secreto WHERE webhook_id = $1 AND vence_en <= now()', [id]);
        const count = 'SELECT count(*)::int AS n FROM webhook_secreto WHERE webhook_id = $1';
        const { n = 0 } = (await rowOf<{ n: number }>(client, count, [id])) ?? {};
        if (vigenciaSegundos > 0 && n >= MAX_SECRETOS) return 'SECRETOS_DEMASIADOS';
        const before = await rowOf<{ venceEn: Date }>(client, SUPERSEDE, [id, vigenciaSegundos]);
        await execute(client, `INSERT INTO webhook_secreto (id, webhook_id, sobre) VALUES ($1, $2, $3)`, [
          ...[secreto.id, id, secreto.sobre],
        ]);
        const detalle = `jsonb_build_object('webhook', id)`;
        await execute(client, audited('rotar-webhook', 'webhook WHERE id = $1', ['$2', '$3'], detalle), [
          ...[id, actor, ip],
        ]);
        return before?.venceEn ?? null;
      });
    },

    /** Deliveries of one webhook, newest first; `antesDe` is the number that the page before ended with. */
    async entregas(
      alcance: AlcanceWebhooks,
      id: string,
      { antesDe, estado, limite }: { antesDe?: number; estado?: EstadoEntrega; limite: number },
    ): Promise<readonly EntregaVista[]> {
      if (!isUuid(id)) return [];
      const values = [...who(alcance), id, antesDe ?? null, limite];
      return (await rowsOf<EntregaRow>(pool, ENTREGAS[estado ?? 'TODAS'], values)).map(entregaOf);
    },

    /** One delivery with its attempts, newest first, or null. */
    async entrega(
      alcance: AlcanceWebhooks,
      id: string,
    ): Promise<(EntregaVista & { hechos: readonly IntentoVista[] }) | null> {
      if (!isUuid(id)) return null;
      const row = await rowOf<EntregaRow>(pool, `SELECT ${ENTREGA} ${OF_ENTREGA}`, [...who(alcance), id]);
      return row && { ...entregaOf(row), hechos: await rowsOf<IntentoVista>(pool, INTENTOS, [id]) };
    },

    /**
     * Sends a delivery again with all attempts, whatever its outcome. A delivery under way is not sent twice: all attempts
     * follow if this one fails. False without the delivery, or when its webhook is off.
     */
    resend: async (alcance: AlcanceWebhooks, id: string): Promise<boolean> =>
      isUuid(id) && isOne(pool, RESEND, [...who(alcance), id]),

    /**
     * Sends a message of the type `prueba`, or an example of an event marked with `ejemplo`. Returns its delivery; null
     * without the webhook or when it is off. Refuses more than {@link MAX_PRUEBAS} within a minute.
     */
    async ping(
      alcance: AlcanceWebhooks,
      id: string,
      {
        tipo,
        datos,
      }: { readonly tipo: EventoWebhook | 'prueba'; readonly datos: Readonly<Record<string, unknown>> } = SIN_DATOS,
    ): Promise<{ readonly entrega: string } | 'PRUEBAS_DEMASIADAS' | null> {
      if (!isUuid(id)) return null;
      const evento = await rowOf<{ evento: string | null }>(pool, PING, [...who(alcance), id, tipo, datos]);
      if (evento === null) return null;
      if (evento.evento === null) return 'PRUEBAS_DEMASIADAS';
      const entrega = await rowOf<{ id: string }>(pool, 'SELECT id FROM webhook_entrega WHERE evento_id = $1', [
        evento.evento,
      ]);
      return entrega && { entrega: entrega.id };
    },
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;
