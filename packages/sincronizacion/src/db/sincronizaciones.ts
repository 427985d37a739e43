import type { MotivoPausa } from '@acuse/contract';
import { type Autor, type Contenido, calendarDay, type Modo, type TipoDescarga } from '@acuse/core';
import {
  againAfterDeadlock,
  type Connection,
  type Database,
  execute,
  inTransaction,
  isOne,
  nota,
  rowOf,
  rowsOf,
} from '@acuse/db';
import type pg from 'pg';
import type { Frecuencia, PlannedTramo, Tramo } from '../agenda.ts';
import { openAlmacen } from './almacen.ts';

/** The workers' copy of a CIEC, with its purpose. */
export interface NuevoConsentimiento {
  readonly kid: string;
  readonly sobre: Buffer;
  readonly finalidad: string;
  /** At most 13 months from now. */
  readonly expiraEn: Date;
}

/** Order for a subscription. */
export interface TramoAjustes {
  readonly tipos: readonly TipoDescarga[];
  /** `yyyy-MM-dd`. */
  readonly desde: string;
  readonly frecuencia: Frecuencia;
  /** `metadata` by default; `xml`: the XML of what is new too. */
  readonly contenido?: Contenido | undefined;
  /** First days of the months from `desde` to now, the newest first. */
  readonly meses: readonly string[];
  /** When the newest days of a new subscription are read first. */
  readonly primeraReciente: Date;
}

/** A new subscription, or new settings of one. */
export interface NuevaSincronizacion extends Autor, TramoAjustes {
  /** UUIDv7. The consent is sealed for it. */
  readonly id: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly apiKeyId: string;
  /** Version of the taxpayer in the caller's access snapshot. */
  readonly version: bigint;
  readonly rfc: string;
  /** Minute of the day in central Mexico. */
  readonly minuto: number;
  readonly consentimiento: NuevoConsentimiento;
}

/** A subscription as its taxpayer sees it. */
export interface VistaSincronizacion {
  readonly id: string;
  readonly almacenId: number;
  /** Mode of the key that made the subscription. */
  readonly modo: Modo;
  readonly rfc: string;
  readonly emitidos: boolean;
  readonly recibidos: boolean;
  readonly desde: string;
  readonly frecuencia: Frecuencia;
  readonly contenido: Contenido;
  readonly minuto: number;
  readonly estado: 'ACTIVA' | 'PAUSADA';
  readonly motivo: MotivoPausa | null;
  readonly pausadaEn: Date | null;
  readonly creadaEn: Date;
  /** Null without a consent in force. */
  readonly consentimiento: { readonly finalidad: string; readonly otorgadoEn: Date; readonly expiraEn: Date } | null;
  /** Number of the last change. */
  readonly cambios: bigint;
  /** When the last reading was merged; null while there was none. */
  readonly ultimaLectura: Date | null;
  /** When the next reading is due; null when none is. */
  readonly proximaLectura: Date | null;
  /**
   * First day of issue that is still read again; null while nothing is read. Earlier CFDI keep their last reading: they
   * lie before `desde`, or can no longer be cancelled.
   */
  readonly releidoDesde: string | null;
  /** Months of each kind, those of them without a reading, and periods with a failed last reading. */
  readonly meses: number;
  readonly porLeer: number;
  readonly fallando: number;
  /** Periods with a doubtful last reading: those to be read again, and those that will not be. */
  readonly porConfirmar: number;
  readonly sinConfirmar: number;
  /** Reason of the last failure. */
  readonly ultimoFallo: string | null;
}

/** Stands for the newest days in the column of months. */
export const RECIENTE = '0001-01-01';

/** Stands for the CFDI that wait for their XML in the column of months (prisma/functions/sincronizacion.sql). */
export const POR_BAJAR = '0001-02-01';

/** The tramo that stands under a month. */
export const tramoOf = (mes: string): Tramo => (mes === RECIENTE ? { clase: 'RECIENTE' } : { clase: 'MES', mes });

/** SQL: true for a kind and a month within the current settings of the subscription `s`. */
export const heldBy = (tipo: string, mes: string): string =>
  `(CASE ${tipo} WHEN 'emitidos' THEN s.emitidos ELSE s.recibidos END AND (${mes} <= '${POR_BAJAR}' OR ${mes} >= date_trunc('month', s.desde)))`;

/** Mode of the key that made the subscription; live when the key is deleted. */
const MODO = `coalesce((SELECT modo FROM api_key k WHERE k.id = s.api_key_id), 'live')`;

const VIVA = `
SELECT s.id, s.almacen_id AS "almacenId", ${MODO} = (SELECT modo FROM api_key WHERE id = $2) AS "isSameModo"
FROM sincronizacion s WHERE s.contribuyente_id = $1 AND s.estado <> 'BORRADA' FOR NO KEY UPDATE OF s`;

/**
 * Locks the taxpayer at the version of the caller's access snapshot: the key is still valid, and of two calls the second
 * finds the subscription of the first.
 */
const CURRENT = `
SELECT c.id FROM contribuyente c WHERE c.id = $1 AND c.version = $2
  AND EXISTS (SELECT FROM api_key k WHERE k.id = $3 AND k.contribuyente_id = c.id AND k.estado = 'ACTIVA') FOR NO KEY UPDATE OF c`;

const VIEW = `
SELECT s.id, s.almacen_id AS "almacenId", ${MODO} AS modo, s.rfc, s.emitidos, s.recibidos, s.desde::text, s.frecuencia, s.contenido, s.minuto::int, s.estado, s.motivo,
  s.pausada_en AS "pausadaEn", s.creada_en AS "creadaEn", k.finalidad, k.otorgado_en AS "otorgadoEn", k.expira_en AS "expiraEn",
  a.cambios::text, (SELECT max(leida_en) FROM lectura l WHERE l.almacen_id = a.id) AS "ultimaLectura",
  CASE WHEN s.estado = 'ACTIVA' THEN greatest(s.desde, t.tras_fin)::text END AS "releidoDesde",
  t.proxima AS "proximaLectura", coalesce(t.meses, 0)::int AS meses, coalesce(t.por_leer, 0)::int AS "porLeer", coalesce(t.fallando, 0)::int AS fallando,
  coalesce(t.por_confirmar, 0)::int AS "porConfirmar", coalesce(t.sin_confirmar, 0)::int AS "sinConfirmar", t.ultimo_fallo AS "ultimoFallo"
FROM sincronizacion s JOIN almacen a ON a.id = s.almacen_id
LEFT JOIN consentimiento k ON k.sincronizacion_id = s.id AND k.expira_en > now()
LEFT JOIN LATERAL (
  SELECT CASE WHEN s.estado = 'ACTIVA' THEN min(due_at) FILTER (WHERE fase = 'PEDIR') END AS proxima, count(*) FILTER (WHERE mes > '${POR_BAJAR}') AS meses, count(*) FILTER (WHERE lecturas = 0 AND mes > '${POR_BAJAR}') AS por_leer,
    count(*) FILTER (WHERE por_confirmar > 0 AND fase <> 'FIN') AS por_confirmar, count(*) FILTER (WHERE por_confirmar > 0 AND fase = 'FIN') AS sin_confirmar,
    (max(mes) FILTER (WHERE fase = 'FIN') + interval '1 month')::date AS tras_fin,
    count(*) FILTER (WHERE fallos > 0) AS fallando, (array_agg(motivo ORDER BY fallos DESC) FILTER (WHERE fallos > 0))[1] AS ultimo_fallo
  FROM tramo WHERE sincronizacion_id = s.id AND ${heldBy('tipo', 'mes')}
) t ON true
WHERE s.contribuyente_id = $1 AND s.estado <> 'BORRADA'
  AND ($2::text IS NULL OR ${MODO} = $2)`;

interface Viva {
  readonly id: string;
  readonly almacenId: number;
  readonly isSameModo: boolean;
}

type ViewRow = Omit<VistaSincronizacion, 'consentimiento' | 'cambios'> & {
  readonly finalidad: string | null;
  readonly otorgadoEn: Date;
  readonly expiraEn: Date;
  readonly cambios: string;
};

const noteOf = (accion: string, detalle = `'{}'::jsonb`) =>
  nota({ accion, de: 'cambio', contribuyente: 'contribuyente_id', detalle, actor: '$2', ip: '$3' });

const PAUSE = `
WITH cambio AS (
  UPDATE sincronizacion SET estado = 'PAUSADA', motivo = 'PEDIDA', pausada_en = now()
  WHERE contribuyente_id = $1 AND estado = 'ACTIVA' RETURNING cuenta_id, contribuyente_id
)
${noteOf('pausar-sincronizacion')}`;

/** The consent in force, noted under the person who gave it; `con` is the key of the call. */
const GIVEN_BY = nota({
  accion: 'consentir-sincronizacion',
  de: `sincronizacion s JOIN consentimiento k ON k.sincronizacion_id = s.id WHERE s.contribuyente_id = $1 AND s.estado = 'ACTIVA'`,
  cuenta: 's.cuenta_id',
  contribuyente: 's.contribuyente_id',
  detalle: `jsonb_build_object('finalidad', k.finalidad, 'hasta', k.expira_en, 'con', k.otorgado_por)`,
  actor: '$2',
  ip: '$3',
});

/** Resumes a subscription with a consent in force only. */
const RESUME = `
WITH cambio AS (
  UPDATE sincronizacion s SET estado = 'ACTIVA', motivo = NULL, pausada_en = NULL
  WHERE contribuyente_id = $1 AND estado = 'PAUSADA'
    AND EXISTS (SELECT FROM consentimiento k WHERE k.sincronizacion_id = s.id AND k.expira_en > now()) RETURNING id, cuenta_id, contribuyente_id
), ya AS (
  UPDATE tramo t SET due_at = now() FROM cambio WHERE t.sincronizacion_id = cambio.id AND t.fase = 'PEDIR' AND t.due_at < now()
)
${noteOf('reanudar-sincronizacion')}`;

const CLOSE = `
WITH cambio AS (
  UPDATE sincronizacion SET estado = 'BORRADA', motivo = NULL, pausada_en = NULL
  WHERE contribuyente_id = $1 AND estado <> 'BORRADA' RETURNING id, almacen_id, cuenta_id, contribuyente_id
), tramos AS (
  DELETE FROM tramo t USING cambio WHERE t.sincronizacion_id = cambio.id
), almacenes AS (
  UPDATE almacen a SET borrado_en = now() FROM cambio WHERE a.id = cambio.almacen_id
)
${noteOf('borrar-sincronizacion')}`;

const CREATE = `
INSERT INTO sincronizacion (id, cuenta_id, contribuyente_id, api_key_id, rfc, almacen_id, emitidos, recibidos, desde, frecuencia, contenido, minuto)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

const CHANGE = `
UPDATE sincronizacion SET api_key_id = $2, emitidos = $3, recibidos = $4, desde = $5, frecuencia = $6, contenido = $7, estado = 'ACTIVA', motivo = NULL, pausada_en = NULL
WHERE id = $1`;

/**
 * Tramos after a call of `sincronizacion/crear`: the newest days and each month of each kind, the newest month first, a
 * second apart. A call makes due again: months without a reading, months that were read from a later day only, and months
 * with a doubtful last reading and no due time. Other tramos stay. A change to daily reading makes the newest days due
 * tomorrow.
 */
const PLANNED = `
WITH pedido AS (
  SELECT tipo, mes, now() + make_interval(secs => orden - 1) AS due_at FROM unnest($2::text[]) AS a (tipo) CROSS JOIN unnest($3::date[]) WITH ORDINALITY AS b (mes, orden)
  UNION ALL SELECT tipo, '${RECIENTE}', $4::timestamptz FROM unnest($2::text[]) AS a (tipo)
), planned AS (
  SELECT p.tipo, p.mes, p.mes = '${RECIENTE}' AS es_reciente, t.fase, coalesce(t.lecturas, 0) AS lecturas, coalesce(t.por_confirmar, 0) AS por_confirmar, t.pedido, t.due_at AS antes, CASE
    WHEN t.fase IS NULL THEN p.due_at
    WHEN t.fase = 'LEER' AND x.estado IS DISTINCT FROM 'TERMINADA' THEN now()
    WHEN t.fase IN ('ESPERAR', 'LEER') AND (p.mes = '${RECIENTE}' OR t.desde <= greatest(p.mes, $5::date)) THEN NULL
    WHEN p.mes = '${RECIENTE}' THEN CASE WHEN $6 = 'DIARIA' THEN least(t.due_at, p.due_at) ELSE t.due_at END
    WHEN t.desde > greatest(p.mes, $5::date) OR (t.fase = 'PEDIR' AND t.lecturas = 0) OR (t.fase = 'FIN' AND t.por_confirmar > 0) THEN least(t.due_at, now())
    WHEN t.fase = 'PEDIR' THEN t.due_at END AS due_at
  FROM pedido p LEFT JOIN tramo t ON t.sincronizacion_id = $1 AND t.tipo = p.tipo AND t.mes = p.mes LEFT JOIN solicitud x ON x.id = t.solicitud_id
)
SELECT tipo, mes::text, lecturas, por_confirmar::int AS "porConfirmar", pedido::text, due_at AS "dueAt",
  CASE WHEN due_at <= now() OR (fase IS NULL AND NOT es_reciente) THEN 'AHORA' WHEN due_at IS NOT NULL THEN 'DESPUES' WHEN fase = 'FIN' THEN 'FIN' ELSE 'EN_CURSO' END AS turno,
  due_at IS NOT NULL AND (fase IS NULL OR fase = 'FIN' OR (fase = 'PEDIR' AND due_at <> antes)) AS "isChanged"
FROM planned`;

interface PlannedRow extends Omit<PlannedTramo, 'tramo' | 'dia'> {
  readonly tipo: string;
  readonly mes: string;
  readonly dueAt: Date | null;
  readonly pedido: string | null;
  /** True when the row must be written. */
  readonly isChanged: boolean;
}

const TRAMOS = `
WITH sobra AS (
  DELETE FROM tramo t WHERE t.sincronizacion_id = $1 AND t.fase IN ('PEDIR', 'FIN')
    AND (t.tipo <> ALL ($2::text[]) OR (t.mes > '${POR_BAJAR}' AND t.mes <> ALL ($3::date[])))
)
INSERT INTO tramo (sincronizacion_id, tipo, mes, due_at) SELECT $1, * FROM unnest($4::text[], $5::date[], $6::timestamptz[])
ON CONFLICT (sincronizacion_id, tipo, mes) DO UPDATE SET fase = 'PEDIR', due_at = excluded.due_at WHERE tramo.fase IN ('PEDIR', 'FIN')`;

/** The taxpayers' side of subscriptions. */
export function createSincronizaciones({ pool }: Pick<Database, 'pool'>) {
  async function change(client: pg.PoolClient, nueva: NuevaSincronizacion, viva: Viva | null) {
    const { apiKeyId, tipos, desde, frecuencia, contenido = 'metadata' } = nueva;
    const kinds = [tipos.includes('emitidos'), tipos.includes('recibidos')];
    if (viva !== null) {
      await execute(client, CHANGE, [viva.id, apiKeyId, ...kinds, desde, frecuencia, contenido]);
      return;
    }
    const { id, cuentaId, contribuyenteId, rfc, minuto } = nueva;
    const almacenId = await openAlmacen(client, contribuyenteId);
    const ajustes = [...kinds, desde, frecuencia, contenido, minuto];
    await execute(client, CREATE, [id, cuentaId, contribuyenteId, apiKeyId, rfc, almacenId, ...ajustes]);
  }

  const plannedOf = (client: Connection, id: string | null, ajustes: TramoAjustes) => {
    const { tipos, meses, primeraReciente, desde, frecuencia } = ajustes;
    return rowsOf<PlannedRow>(client, PLANNED, [id, tipos, meses, primeraReciente, desde, frecuencia]);
  };

  return {
    /** Tramos as `subscribe` would leave them; `id`: the present subscription, or null. */
    async preview(id: string | null, ajustes: TramoAjustes): Promise<PlannedTramo[]> {
      const rows = await plannedOf(pool, id, ajustes);
      return rows.map(({ mes, turno, dueAt, pedido, lecturas, porConfirmar }) => ({
        tramo: tramoOf(mes),
        turno,
        lecturas,
        porConfirmar,
        dia: turno === 'EN_CURSO' ? pedido : dueAt && calendarDay(dueAt),
      }));
    },

    /** Id for sealing a consent of this taxpayer: the id of the present subscription, else null. */
    async idOf(contribuyenteId: string): Promise<string | null> {
      const text = `SELECT id FROM sincronizacion WHERE contribuyente_id = $1 AND estado <> 'BORRADA'`;
      return (await rowOf<{ id: string }>(pool, text, [contribuyenteId]))?.id ?? null;
    },

    /**
     * Subscribes a taxpayer, or replaces settings and consent of the present subscription and activates it. STALE_ACCESS:
     * key or taxpayer changed, or another subscription came first. OTRO_MODO: the present store holds CFDI of the other
     * mode.
     */
    async subscribe(nueva: NuevaSincronizacion): Promise<'CREADA' | 'RENOVADA' | 'STALE_ACCESS' | 'OTRO_MODO'> {
      const { id, contribuyenteId, version, apiKeyId, consentimiento, tipos, meses, actor, ip } = nueva;
      return inTransaction(pool, async (client) => {
        if (!(await isOne(client, CURRENT, [contribuyenteId, version.toString(), apiKeyId]))) return 'STALE_ACCESS';
        const viva = await rowOf<Viva>(client, VIVA, [contribuyenteId, apiKeyId]);
        if (viva !== null && viva.id !== id) return 'STALE_ACCESS';
        if (viva !== null && !viva.isSameModo) return 'OTRO_MODO';
        await change(client, nueva, viva);
        const { kid, sobre, finalidad, expiraEn } = consentimiento;
        await execute(client, 'DELETE FROM consentimiento WHERE sincronizacion_id = $1', [id]);
        await execute(
          client,
          `INSERT INTO consentimiento (sincronizacion_id, kid, sobre, finalidad, otorgado_por, expira_en) VALUES ($1, $2, $3, $4, $5, $6)`,
          [id, kid, sobre, finalidad, actor, expiraEn],
        );
        const changed = (await plannedOf(client, id, nueva)).filter(({ isChanged }) => isChanged);
        const columns = [
          changed.map((row) => row.tipo),
          changed.map((row) => row.mes),
          changed.map((row) => row.dueAt),
        ];
        await execute(client, TRAMOS, [id, tipos, meses, ...columns]);
        await execute(
          client,
          nota({
            accion: 'consentir-sincronizacion',
            de: 'sincronizacion WHERE id = $1',
            contribuyente: 'contribuyente_id',
            detalle: `jsonb_build_object('finalidad', $4::text, 'hasta', $5::timestamptz, 'desde', $6::text, 'frecuencia', $7::text)`,
            actor: '$2',
            ip: '$3',
          }),
          [id, actor, ip, finalidad, expiraEn, nueva.desde, nueva.frecuencia],
        );
        return viva === null ? 'CREADA' : 'RENOVADA';
      });
    },

    /** The subscription of a taxpayer, or null. `modo`: limits it to keys of that mode; null for people, who see both. */
    async find(contribuyenteId: string, modo: Modo | null): Promise<VistaSincronizacion | null> {
      const row = await rowOf<ViewRow>(pool, VIEW, [contribuyenteId, modo]);
      if (row === null) return null;
      const { finalidad, otorgadoEn, expiraEn, cambios, ...vista } = row;
      const consentimiento = finalidad === null ? null : { finalidad, otorgadoEn, expiraEn };
      return { ...vista, cambios: BigInt(cambios), consentimiento };
    },

    /** Notes the person who gave the consent in force through a key. */
    noteGiver: (contribuyenteId: string, { actor, ip }: Autor) => execute(pool, GIVEN_BY, [contribuyenteId, actor, ip]),

    /** Pauses readings until `resume`; readings under way end and are kept. False without an active subscription. */
    pause: (contribuyenteId: string, { actor, ip }: Autor) => isOne(pool, PAUSE, [contribuyenteId, actor, ip]),

    /** Resumes. False without a pause, or without a consent in force. */
    resume: (contribuyenteId: string, { actor, ip }: Autor) => isOne(pool, RESUME, [contribuyenteId, actor, ip]),

    /**
     * Revokes the consent: deletes the copy of the CIEC, ends readings under way with a refund, and stops new ones. The
     * store stays. False without a consent.
     */
    async revoke(contribuyenteId: string, { actor, ip }: Autor): Promise<boolean> {
      const text = `WITH cambio AS MATERIALIZED (
        SELECT c.cuenta_id, c.id AS contribuyente_id, sincronizacion_revoca(c.id, 'SIN_CONSENTIMIENTO') AS n FROM contribuyente c WHERE c.id = $1
      ), hecho AS (${noteOf('revocar-consentimiento').replace('FROM cambio', 'FROM cambio WHERE n > 0')} RETURNING 1) SELECT * FROM hecho`;
      return againAfterDeadlock(() => isOne(pool, text, [contribuyenteId, actor, ip]));
    },

    /** Ends a subscription and deletes its store. False without a subscription. */
    async remove(contribuyenteId: string, { actor, ip }: Autor): Promise<boolean> {
      return againAfterDeadlock(() =>
        inTransaction(pool, async (client) => {
          await execute(client, `SELECT sincronizacion_revoca($1, 'SIN_CONSENTIMIENTO')`, [contribuyenteId]);
          return isOne(client, CLOSE, [contribuyenteId, actor, ip]);
        }),
      );
    },
  };
}
