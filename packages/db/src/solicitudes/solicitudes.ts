import { ESTADOS_SOLICITUD, type EstadoSolicitud } from '@acuse/contract';
import {
  type Autor,
  type Cancelacion,
  type EstadoParte,
  type Modo,
  type NuevaSolicitud,
  type PorEstimar,
  progresoDe,
  type ResumenPaquete,
  type Terminada,
  type TipoDescarga,
  type TipoEvento,
  type VistaSolicitud,
  XML_A_DAY,
} from '@acuse/core';
import { createBatch } from '../batch.ts';
import { endWithoutPaquete } from '../claims/end.ts';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { createNotices, notifyOutbox } from '../outbox.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { isUuid, LAST_ID } from '../uuid.ts';
import { acceptAll, criteriosIn } from './accept.ts';
import { TIPOS_DESCARGA } from './lista.ts';

type Fase = 'DESCARGA' | 'ENSAMBLE';

/** What a taxpayer's list is narrowed by: its period has a day in common with this one, both ends included. */
export interface FiltroDeContribuyente {
  readonly estado?: EstadoSolicitud | undefined;
  readonly tipo?: TipoDescarga | undefined;
  /** yyyy-MM-dd. */
  readonly desde?: string | undefined;
  /** yyyy-MM-dd. */
  readonly hasta?: string | undefined;
}

/** Everything that the people of its account may know about a solicitud. */
export interface DetalleSolicitud extends Omit<VistaSolicitud, 'isReembolsada'> {
  readonly contribuyenteId: string;
  /** The authority's code of the end without a package. */
  readonly codigo: string | null;
  readonly plazoEn: Date;
  readonly resumen: ResumenPaquete | null;
  readonly partes: PartesSolicitud;
  /** XML in our storage while it is open; null where metadata alone was asked for. */
  readonly xmlCopiados: number | null;
  /** Credits, both above zero; null when there was no such movement. */
  readonly cargo: { readonly creditos: number; readonly en: Date } | null;
  readonly reembolso: { readonly creditos: number; readonly en: Date } | null;
}

/**
 * What the SAT is asked for, and how much of it is in our storage: months, however small their pieces, or else pieces
 * of any length.
 */
export interface PartesSolicitud {
  readonly unidad: 'mes' | 'parte';
  readonly total: number;
  readonly listas: number;
}

export interface EventoSolicitud {
  readonly id: number;
  readonly tipo: TipoEvento;
  readonly codigo: string | null;
  readonly detalle: string | null;
  /** How often it came in a row. */
  readonly veces: number;
  /** When it came last. */
  readonly en: Date;
}

/** Events of one kind together: what the last of them said, and how many there were. */
export type HitoSolicitud = EventoSolicitud;

/** What changes while a solicitud is worked on. */
export interface AvanceSolicitud
  extends Pick<
    DetalleSolicitud,
    | 'id'
    | 'estado'
    | 'progreso'
    | 'intentos'
    | 'registros'
    | 'ultimaConsulta'
    | 'proximaConsulta'
    | 'terminadaEn'
    | 'partes'
    | 'xmlCopiados'
    | 'completoHacia'
  > {
  readonly fase: Fase;
  readonly ultimoEvento: EventoSolicitud | null;
}

/** The parts of the solicitud `s` by state, and what the SAT says that they hold. */
const PARTES = `(SELECT json_object_agg(p.estado, p.n) FROM
    (SELECT estado, count(*)::int AS n FROM parte WHERE solicitud_id = s.id GROUP BY estado) p) AS partes,
  coalesce(s.registros, (SELECT sum(registros) FROM parte WHERE solicitud_id = s.id AND contenido = 'metadata'))::float8 AS registros`;

/** The same by month; null unless each part is of one month. */
const MESES = `(SELECT CASE WHEN bool_and(m.entero) THEN json_build_object('total', count(*), 'listas', count(*) FILTER (WHERE m.listo)) END FROM
    (SELECT bool_and(left(fin, 7) = left(inicio, 7)) AS entero, bool_and(estado IN ('DESCARGADA', 'VACIA')) AS listo
     FROM parte WHERE solicitud_id = s.id GROUP BY left(inicio, 7)) m) AS meses`;

const AVANCE = `s.id, s.estado, s.fase, s.intentos, s.ultima_consulta_en AS "ultimaConsulta",
  CASE s.estado WHEN 'EN_PROCESO' THEN s.due_at END AS "proximaConsulta", s.terminada_en AS "terminadaEn", ${PARTES}`;

/** When the first part is due that waits for the quota of the next day; a part that has its XML has no reason. */
const DE_MANANA = `min(p.due_at) FILTER (WHERE p.motivo = 'CUOTA_DEL_DIA' AND p.estado <> 'VACIA')`;

/** When the last XML comes, by the quota of each day, and at the latest when the solicitud no longer waits (`lateXml`). */
const COMPLETO_HACIA = `(SELECT CASE WHEN ${DE_MANANA} IS NOT NULL THEN least(s.creada_en + (s.deadline_at - s.creada_en) * 0.9, ${DE_MANANA} + make_interval(days =>
    greatest(1, ceil(sum(CASE WHEN p.contenido = 'metadata' THEN p.registros WHEN p.estado = 'DESCARGADA' THEN -p.registros END) / ${XML_A_DAY}.0))::int - 1)) END
    FROM parte p WHERE p.solicitud_id = s.id)`;

/** Progress of the XML of the solicitud `s`; null where metadata alone was asked for. */
const XML = `CASE WHEN s.filtros ? 'contenido' THEN (SELECT coalesce(sum(p.registros), 0) FROM parte p
    WHERE p.solicitud_id = s.id AND p.contenido = 'xml' AND p.estado = 'DESCARGADA')::float8 END AS "xmlCopiados"`;

const HACIA = `CASE WHEN s.estado = 'EN_PROCESO' AND s.filtros ? 'contenido' THEN ${COMPLETO_HACIA} END AS "completoHacia"`;

/** Packages from before the column `confianza`: only those with rows are sure. */
const VISTA = `${AVANCE}, s.modo, s.rfc, s.tipo, s.canal, s.desde::text, s.hasta::text, s.formato, ${criteriosIn('s')}, s.motivo, s.creada_en AS "creadaEn", s.object_key AS "objectKey",
  s.paquete_borrado_en AS "paqueteBorradoEn", s.bytes::float8 AS bytes, s.sha256,
  CASE WHEN s.estado = 'TERMINADA' THEN coalesce(s.confianza, CASE WHEN s.registros > 0 THEN 'confirmado' ELSE 'sin_confirmar' END) END AS confianza,
  s.resumen -> 'xml' AS xml, ${HACIA}, CASE WHEN s.contrapartes_listadas IS NOT NULL THEN json_build_object('total', s.contrapartes_listadas, 'adversas', s.contrapartes_adversas) END AS "contrapartesListadas",
  s.sincronizacion_id IS NOT NULL AS "hasOrigin"`;

const VISTA_API = `${VISTA}, EXISTS (SELECT FROM movimiento m WHERE m.op_id = s.id AND m.tipo = 'reembolso') AS "isReembolsada"`;

const FIND = `SELECT ${VISTA_API} FROM solicitud s WHERE s.id = $1 AND s.contribuyente_id = $2 AND s.modo = coalesce($3, s.modo)`;

/** Each pair of state and tipo gives its newest ids, in order, from the taxpayer's index, which has the period too. */
const LIST = `
WITH hallada AS MATERIALIZED (
  SELECT x.id FROM unnest($2::text[]) AS e (estado) CROSS JOIN unnest($3::text[]) AS t (tipo) CROSS JOIN LATERAL (
    SELECT s.id FROM solicitud s
    WHERE s.contribuyente_id = $1 AND s.estado = e.estado AND s.tipo = t.tipo AND s.id < $4
      AND s.hasta >= $5::date AND s.desde <= $6::date AND s.modo = coalesce($8, s.modo)
    ORDER BY s.id DESC LIMIT $7
  ) x ORDER BY x.id DESC LIMIT $7
)
SELECT ${VISTA_API} FROM hallada JOIN solicitud s ON s.id = hallada.id ORDER BY s.id DESC`;

/** The newest ended downloads with a summary, without filters or with these. */
const HISTORY = `
SELECT s.desde::text, s.hasta::text, s.formato, coalesce(s.registros, 0)::float8 AS registros, s.bytes::float8 AS bytes, s.resumen, ${criteriosIn('s')}
FROM solicitud s WHERE s.contribuyente_id = $1 AND s.estado = 'TERMINADA' AND s.tipo = $2 AND s.modo = $3 AND s.resumen IS NOT NULL
  AND coalesce(s.filtros - '{contenido,tablas}'::text[], '{}') IN ('{}', $4::jsonb)
ORDER BY s.id DESC LIMIT 100`;

const MOVIMIENTO = (
  tipo: 'cargo' | 'reembolso',
) => `(SELECT json_build_object('creditos', abs(m.importe), 'en', m.creado_en) FROM movimiento m
   WHERE m.op_id = s.id AND m.tipo = '${tipo}') AS ${tipo}`;

const DETAIL = `
SELECT ${VISTA}, ${MESES}, ${XML}, s.contribuyente_id AS "contribuyenteId", s.deadline_at AS "plazoEn", s.resumen,
  ${MOVIMIENTO('cargo')}, ${MOVIMIENTO('reembolso')},
  (SELECT e.codigo FROM evento e WHERE e.solicitud_id = s.id AND e.tipo = s.estado ORDER BY e.id DESC LIMIT 1) AS codigo
FROM solicitud s WHERE s.id = $1 AND s.cuenta_id = $2`;

const TIMELINE = `
SELECT e.id::float8 AS id, e.tipo, e.codigo, e.detalle, e.veces, coalesce(e.ultima_en, e.en) AS en FROM solicitud s JOIN evento e ON e.solicitud_id = s.id
WHERE s.id = $1 AND s.cuenta_id = $2 AND e.id < $3 ORDER BY e.id DESC LIMIT $4`;

/** Failures of different causes stay apart; everything else of a kind is one line, however often the SAT was asked. */
const MILESTONES = `
SELECT max(e.id)::float8 AS id, e.tipo, (array_agg(e.codigo ORDER BY e.id DESC))[1] AS codigo,
       (array_agg(e.detalle ORDER BY e.id DESC))[1] AS detalle, max(coalesce(e.ultima_en, e.en)) AS en, sum(e.veces)::int AS veces
FROM solicitud s JOIN evento e ON e.solicitud_id = s.id WHERE s.id = $1 AND s.cuenta_id = $2
GROUP BY e.tipo, CASE e.tipo WHEN 'SAT_SIN_RESPUESTA' THEN e.detalle WHEN 'PAQUETE_ILEGIBLE' THEN e.codigo END
ORDER BY max(e.id) DESC LIMIT 100`;

const WATCH = `
SELECT ${AVANCE}, ${MESES}, ${XML}, ${HACIA}, CASE WHEN e.id IS NOT NULL THEN json_build_object(
  'id', e.id, 'tipo', e.tipo, 'codigo', e.codigo, 'detalle', e.detalle, 'veces', e.veces, 'en', coalesce(e.ultima_en, e.en)) END AS "ultimoEvento"
FROM solicitud s LEFT JOIN LATERAL (
  SELECT * FROM evento WHERE solicitud_id = s.id ORDER BY id DESC LIMIT 1
) e ON true
WHERE s.id = ANY ($1::uuid[])`;

/** What the audit log says of the solicitud. */
const OF_SOLICITUD = { contribuyente: 'contribuyente_id', detalle: `jsonb_build_object('solicitud', id)` };

const NOTE = nota({
  accion: '$4',
  de: 'solicitud WHERE id = $1 AND cuenta_id = $2',
  ...OF_SOLICITUD,
  actor: '$3',
  ip: '$5',
});

const CANCEL = endWithoutPaquete(
  `s.id = $4 AND s.contribuyente_id = $5 AND s.modo = coalesce($8, s.modo) AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`,
  `, auditada AS (${nota({
    accion: 'cancelar-solicitud',
    de: 'fin WHERE $6::text IS NOT NULL',
    ...OF_SOLICITUD,
    actor: '$6',
    ip: '$7',
  })})`,
);

const LAST_EVENT = Number.MAX_SAFE_INTEGER;

/** Columns for the progress of a solicitud. */
interface Progress {
  readonly estado: EstadoSolicitud;
  readonly fase: Fase;
  readonly partes: Partial<Record<EstadoParte, number>> | null;
}
interface Meses {
  readonly meses: { readonly total: number; readonly listas: number } | null;
}
/** Times inside JSON come as text. */
type InJson<T> = Omit<T, 'en'> & { readonly en: string };
type Movimiento = NonNullable<DetalleSolicitud['cargo']>;

const withTime = <T extends { readonly en: string }>(object: T | null) =>
  object && { ...object, en: new Date(object.en) };

const withProgress = <T extends Progress>({ fase, partes, ...vista }: T) => ({
  ...vista,
  progreso: progresoDe({ estado: vista.estado, fase, partes: partes ?? {} }),
});

function partsOf({ partes, meses }: Pick<Progress, 'partes'> & Meses): PartesSolicitud {
  if (meses !== null && meses.total > 1) return { unidad: 'mes', ...meses };
  const counts = partes ?? {};
  return {
    unidad: 'parte',
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    listas: (counts.DESCARGADA ?? 0) + (counts.VACIA ?? 0),
  };
}

/** Milliseconds between two notifications of acceptances. */
const NOTICE_MS = 20;

/** Solicitudes over PostgreSQL: as the API sees them, by taxpayer, and as the people of their account do. */
export function createSolicitudes({ pool, settings }: Pick<Database, 'pool' | 'settings'>) {
  const notices = createNotices(() => notifyOutbox({ pool }), NOTICE_MS);

  /** Null for one that does not exist and for one of another taxpayer, or of another mode than `modo`, alike. */
  async function find(contribuyenteId: string, id: string, modo?: Modo): Promise<VistaSolicitud | null> {
    if (!isUuid(id)) return null;
    const row = await rowOf<Omit<VistaSolicitud, 'progreso'> & Progress>(pool, FIND, [
      id,
      contribuyenteId,
      modo ?? null,
    ]);
    return row && withProgress(row);
  }

  return {
    /**
     * Debit, solicitud, ledger row, sealed credential and outbox row in one statement and one commit, or nothing. Notifies
     * the relay.
     */
    accept: createBatch({
      async run(nuevas: readonly NuevaSolicitud[], until) {
        const notifies = notices.take();
        const answers = await acceptAll({ pool }, nuevas, { until, notifies });
        if (!notifies) notices.announce();
        return answers;
      },
      groupOf: ({ cuentaId }) => cuentaId,
      patienceMs: settings.timeoutMs,
    }),

    find,

    /** A page of a taxpayer's, newest first; `antesDe` is the id that the page before ended with. */
    async list(
      contribuyenteId: string,
      { estado, tipo, desde, hasta }: FiltroDeContribuyente,
      { antesDe = LAST_ID, limite }: { readonly antesDe?: string | undefined; readonly limite: number },
      modo?: Modo,
    ): Promise<{ readonly vistas: readonly VistaSolicitud[]; readonly hayMas: boolean }> {
      const filtro = [estado ? [estado] : ESTADOS_SOLICITUD, tipo ? [tipo] : TIPOS_DESCARGA];
      const dias = [desde ?? '-infinity', hasta ?? 'infinity'];
      const values = [contribuyenteId, ...filtro, antesDe, ...dias, limite + 1, modo ?? null];
      const rows = await rowsOf<Omit<VistaSolicitud, 'progreso'> & Progress>(pool, LIST, values);
      return { vistas: rows.slice(0, limite).map(withProgress), hayMas: rows.length > limite };
    },

    /**
     * Cancels an open solicitud with its refund, also during a step; repeats the answer for a cancelled one. Null as
     * {@link find}. With an author, the audit log names the author.
     */
    async cancel(
      contribuyenteId: string,
      id: string,
      { autor, modo }: { readonly autor?: Autor; readonly modo?: Modo } = {},
    ): Promise<Cancelacion | null> {
      if (!isUuid(id)) return null;
      const values = ['CANCELADA', 'CANCELADA_POR_EL_CLIENTE', null, id, contribuyenteId];
      if (await isOne(pool, CANCEL, [...values, autor?.actor ?? null, autor?.ip ?? null, modo ?? null]))
        return { resultado: 'CANCELADA' };
      const vista = await find(contribuyenteId, id, modo);
      if (vista === null) return null;
      const { estado } = vista;
      return estado === 'CANCELADA' ? { resultado: 'CANCELADA', isRepetida: true } : { resultado: 'TERMINADA', estado };
    },

    /** Basis of an estimate: the newest ended downloads of a `tipo`, newest first. */
    history: (contribuyenteId: string, { tipo, filtros }: Pick<PorEstimar, 'tipo' | 'filtros'>, modo: Modo) =>
      rowsOf<Terminada>(pool, HISTORY, [contribuyenteId, tipo, modo, JSON.stringify(filtros ?? {})]),

    /** Null for one that does not exist and for one of another account alike. */
    async detail(cuentaId: string, id: string): Promise<DetalleSolicitud | null> {
      if (!isUuid(id)) return null;
      type Plain = Omit<DetalleSolicitud, 'progreso' | 'partes' | 'cargo' | 'reembolso'>;
      type Row = Plain & Progress & Meses & Record<'cargo' | 'reembolso', InJson<Movimiento> | null>;
      const row = await rowOf<Row>(pool, DETAIL, [id, cuentaId]);
      if (row === null) return null;
      const { meses, ...detail } = withProgress(row);
      return { ...detail, partes: partsOf(row), cargo: withTime(row.cargo), reembolso: withTime(row.reembolso) };
    },

    /** What happened to it, newest first; `antesDe` is the id of the event that the page before ended with. */
    async timeline(
      cuentaId: string,
      id: string,
      { antesDe = LAST_EVENT, limit }: { antesDe?: number; limit: number },
    ): Promise<readonly EventoSolicitud[]> {
      return isUuid(id) ? rowsOf<EventoSolicitud>(pool, TIMELINE, [id, cuentaId, antesDe, limit]) : [];
    },

    /** What happened to it, events of one kind together, the kind that happened last first. */
    async milestones(cuentaId: string, id: string): Promise<readonly HitoSolicitud[]> {
      return isUuid(id) ? rowsOf<HitoSolicitud>(pool, MILESTONES, [id, cuentaId]) : [];
    },

    /** Progress of any number of solicitudes. The caller has checked their owner. */
    async watch(ids: readonly string[]): Promise<readonly AvanceSolicitud[]> {
      type Plain = Omit<AvanceSolicitud, 'progreso' | 'partes' | 'ultimoEvento'>;
      type Row = Plain & Progress & Meses & { readonly ultimoEvento: InJson<EventoSolicitud> | null };
      return (await rowsOf<Row>(pool, WATCH, [ids])).map((row) => {
        const { meses, ...avance } = withProgress(row);
        return { ...avance, fase: row.fase, partes: partsOf(row), ultimoEvento: withTime(row.ultimoEvento) };
      });
    },

    /** Notes in the audit log an action of a member that does not change the solicitud. */
    async note(input: Autor & { cuentaId: string; solicitudId: string; accion: string }): Promise<void> {
      const { solicitudId, cuentaId, actor, accion, ip } = input;
      await execute(pool, NOTE, [solicitudId, cuentaId, actor, accion, ip]);
    },
  };
}

export type Solicitudes = ReturnType<typeof createSolicitudes>;
