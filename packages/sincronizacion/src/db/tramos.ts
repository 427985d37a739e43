import type { MotivoPausa } from '@acuse/contract';
import type { Modo, TipoDescarga } from '@acuse/core';
import { type ClaimPart, type Database, execute, isOne, rowOf, rowsOf } from '@acuse/db';
import type { Frecuencia, Tramo, TramoXml } from '../agenda.ts';
import { heldBy, POR_BAJAR, RECIENTE, tramoOf } from './sincronizaciones.ts';

/** Reads the CIEC of a subscription's consent with the claim of a solicitud that the subscription asked for. */
export const consentimientoDeOrigen: ClaimPart = {
  join: 'LEFT JOIN consentimiento k ON k.sincronizacion_id = t.sincronizacion_id AND k.expira_en > now()',
  copy: { tipo: 'ciec', alias: 'k' },
};

/** A due tramo, held under an epoch until its lease ends. */
export interface TramoTomado {
  readonly sincronizacionId: string;
  readonly almacenId: number;
  readonly rfc: string;
  readonly modo: Modo;
  readonly tipo: TipoDescarga;
  readonly tramo: Tramo | TramoXml;
  readonly fase: 'PEDIR' | 'LEER';
  readonly epoch: number;
  readonly desde: string;
  readonly frecuencia: Frecuencia;
  readonly minuto: number;
  readonly fallos: number;
  /** Merged readings. */
  readonly lecturas: number;
  /** Doubtful CFDI of the last reading. */
  readonly porConfirmar: number;
  /** Its solicitud, in the phase LEER. */
  readonly solicitud: {
    readonly id: string;
    readonly estado: string;
    readonly motivo: string | null;
    readonly objectKey: string | null;
    readonly desde: string;
    readonly hasta: string;
    /** Day of the request. */
    readonly pedido: string;
    readonly creadaEn: Date;
    readonly isConfirmada: boolean;
    /** Its package has the XML. */
    readonly isXml: boolean;
    /** Its package is past its retention. */
    readonly isBorrado: boolean;
  } | null;
}

/** A reading to request. */
export interface NuevaPeticion {
  /** UUIDv7 of the solicitud. */
  readonly solicitudId: string;
  /** Days; those of a `TramoXml` are found by the request itself. */
  readonly desde: string;
  readonly hasta: string;
  /** Today, in central Mexico. */
  readonly hoy: string;
  /** True for a test key that costs nothing. */
  readonly isGratis: boolean;
  readonly deadlineAt: Date;
  /** Readings of one subscription under way at most. */
  readonly aLaVez: number;
}

/**
 * Result of a request. OCUPADA: wait. DESPLAZADO: stale epoch, or the subscription dropped the tramo. Other results paused
 * the subscription.
 */
export type Peticion =
  | 'PEDIDA'
  | 'OCUPADA'
  | 'PAUSADA'
  | 'DESPLAZADO'
  | Extract<MotivoPausa, 'SIN_SALDO' | 'SIN_CONSENTIMIENTO' | 'CIEC_RECHAZADA' | 'CUENTA_SUSPENDIDA'>;

/** A paused subscription requests nothing; readings under way are still merged. */
const TAKE = `
/* tramos */ WITH vencido AS MATERIALIZED (
  SELECT t.sincronizacion_id, t.tipo, t.mes FROM tramo t
  WHERE t.fase IN ('PEDIR', 'LEER') AND t.due_at <= now() AND (t.tomado_hasta IS NULL OR t.tomado_hasta < now())
    AND EXISTS (SELECT FROM sincronizacion s WHERE s.id = t.sincronizacion_id AND (s.estado = 'ACTIVA' OR (s.estado = 'PAUSADA' AND t.fase = 'LEER')))
  ORDER BY t.due_at LIMIT $1 FOR NO KEY UPDATE OF t SKIP LOCKED
), tomado AS (
  UPDATE tramo t SET epoch = t.epoch + 1, tomado_hasta = now() + make_interval(secs => $2)
  FROM vencido v WHERE t.sincronizacion_id = v.sincronizacion_id AND t.tipo = v.tipo AND t.mes = v.mes RETURNING t.*
)
SELECT t.sincronizacion_id AS "sincronizacionId", s.almacen_id AS "almacenId", s.rfc,
  coalesce((SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id), 'live') AS modo, t.tipo, t.mes::text, t.fase, t.epoch,
  s.desde::text, s.frecuencia, s.minuto::int, t.fallos, t.lecturas, t.por_confirmar::int AS "porConfirmar",
  CASE WHEN t.fase = 'LEER' THEN json_build_object('id', t.solicitud_id, 'estado', coalesce(x.estado, 'PERDIDA'), 'motivo', x.motivo, 'objectKey', x.object_key,
    'desde', t.desde, 'hasta', t.hasta, 'pedido', t.pedido, 'creadaEn', x.creada_en, 'isConfirmada', coalesce(x.confianza, 'confirmado') = 'confirmado',
    'isXml', coalesce(x.filtros ->> 'contenido' = 'xml', false), 'isBorrado', x.paquete_borrado_en IS NOT NULL) END AS solicitud
FROM tomado t JOIN sincronizacion s ON s.id = t.sincronizacion_id LEFT JOIN solicitud x ON x.id = t.solicitud_id
ORDER BY t.due_at`;

type TakeRow = Omit<TramoTomado, 'tramo' | 'solicitud'> & {
  readonly mes: string;
  readonly solicitud: (Omit<NonNullable<TramoTomado['solicitud']>, 'creadaEn'> & { readonly creadaEn: string }) | null;
};

const HELD = `sincronizacion_id = $1 AND tipo = $2 AND mes = $3 AND epoch = $4`;

const POSTPONE = `UPDATE tramo SET tomado_hasta = NULL, due_at = now() + make_interval(secs => $5) WHERE ${HELD}`;

const EXTEND = `UPDATE tramo SET tomado_hasta = now() + make_interval(secs => $5) WHERE ${HELD}`;

const ASK = 'SELECT tramo_pide($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS resultado';

const READ = 'SELECT FROM tramo_leido($1, $2, $3, $4, $5, $6) AS hecho WHERE hecho';

const FAILED = 'SELECT FROM tramo_falla($1, $2, $3, $4, $5, $6) AS hecho WHERE hecho';

/** Not a subscription with a later consent, by a CIEC that was not refused. */
const PAUSE = `
WITH cambio AS (
  UPDATE sincronizacion s SET estado = 'PAUSADA', motivo = $2, pausada_en = now() WHERE id = $1 AND estado = 'ACTIVA'
    AND NOT EXISTS (SELECT FROM consentimiento k WHERE k.sincronizacion_id = s.id AND k.otorgado_en > $3) RETURNING id
) SELECT id FROM cambio`;

const ADD_MONTHS = `
INSERT INTO tramo (sincronizacion_id, tipo, mes, due_at)
SELECT s.id, $2, m.mes, m.due FROM sincronizacion s CROSS JOIN unnest($3::date[], $4::timestamptz[]) AS m (mes, due)
WHERE s.id = $1 AND ${heldBy('$2', 'm.mes')} ON CONFLICT DO NOTHING`;

/** Rows that go with their subscription, in the order of their references. */
const FORGET = `
WITH borrada AS MATERIALIZED (
  SELECT s.id FROM sincronizacion s
  WHERE s.estado = 'BORRADA' AND NOT EXISTS (SELECT FROM cfdi_cambio k WHERE k.almacen_id = s.almacen_id) ORDER BY s.id LIMIT $1 FOR UPDATE SKIP LOCKED
), tramos AS (
  DELETE FROM tramo t USING borrada WHERE t.sincronizacion_id = borrada.id
)
DELETE FROM sincronizacion s USING borrada WHERE s.id = borrada.id`;

const keyOf = ({ sincronizacionId, tipo, tramo, epoch }: TramoTomado) => [
  sincronizacionId,
  tipo,
  tramo.clase === 'RECIENTE' ? RECIENTE : tramo.clase === 'XML' ? POR_BAJAR : tramo.mes,
  epoch,
];

/** Subscriptions for the workers: their due readings. */
export function createTramos({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Claims at most `limite` due tramos, the longest due first. */
    async take(limite: number, leaseSeconds: number): Promise<TramoTomado[]> {
      const rows = await rowsOf<TakeRow>(pool, TAKE, [limite, leaseSeconds]);
      return rows.map(({ mes, solicitud, ...row }) => ({
        ...row,
        tramo: mes === POR_BAJAR ? { clase: 'XML' } : tramoOf(mes),
        solicitud: solicitud && { ...solicitud, creadaEn: new Date(solicitud.creadaEn) },
      }));
    },

    /** Requests a tramo: accepts its solicitud with its charge and its line in the audit log, or returns the reason against it. */
    async ask(tomado: TramoTomado, peticion: NuevaPeticion): Promise<Peticion> {
      const { solicitudId, desde, hasta, hoy, isGratis, deadlineAt, aLaVez } = peticion;
      const values = [...keyOf(tomado), solicitudId, desde, hasta, hoy, isGratis, deadlineAt, aLaVez];
      const row = await rowOf<{ resultado: Peticion }>(pool, ASK, values);
      return row?.resultado ?? 'DESPLAZADO';
    },

    /** Releases a tramo, due again after `seconds`. False on a stale epoch. */
    postpone: (tomado: TramoTomado, seconds: number) => isOne(pool, POSTPONE, [...keyOf(tomado), seconds]),

    /** Extends the lease by `seconds`. False on a stale epoch. */
    extend: (tomado: TramoTomado, seconds: number) => isOne(pool, EXTEND, [...keyOf(tomado), seconds]),

    /** Notes a merged package, with the next due time (null: never) and the number of doubtful CFDI. */
    read: (tomado: TramoTomado, { dueAt, porConfirmar }: { dueAt: Date | null; porConfirmar: number }) =>
      isOne(pool, READ, [...keyOf(tomado), dueAt, porConfirmar]),

    /**
     * Notes a solicitud without rows to merge, or with doubtful rows: refunds its credit and makes the tramo due again
     * after `seconds`. A failure only with `motivo`. False on a stale epoch.
     */
    failed: (tomado: TramoTomado, motivo: string | null, seconds: number) =>
      isOne(pool, FAILED, [...keyOf(tomado), seconds, motivo]),

    /** Pauses a subscription because of a reading requested at `pedidaEn`. False when paused already, or after a newer consent. */
    pause: (sincronizacionId: string, motivo: MotivoPausa, pedidaEn: Date) =>
      isOne(pool, PAUSE, [sincronizacionId, motivo, pedidaEn]),

    /** Adds months that began meanwhile, with their due time. Existing months stay. */
    async addMonths(
      { sincronizacionId, tipo }: TramoTomado,
      meses: readonly { readonly mes: string; readonly dueAt: Date }[],
    ): Promise<number> {
      const values = [sincronizacionId, tipo, meses.map(({ mes }) => mes), meses.map(({ dueAt }) => dueAt)];
      return execute(pool, ADD_MONTHS, values);
    },

    /** Removes subscriptions that ended, once their changes are gone; their stores may then go too. */
    forget: (limite: number) => execute(pool, FORGET, [limite]),

    /** Deletes expired consents. Returns how many. */
    reap: () => execute(pool, 'DELETE FROM consentimiento WHERE expira_en <= now()'),
  };
}

export type Tramos = ReturnType<typeof createTramos>;
