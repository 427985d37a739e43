import type { EstadoSolicitud } from '@acuse/contract';
import {
  type Confianza,
  type EstadoParte,
  progresoDe,
  type ResumenPaquete,
  type TipoDescarga,
  type TipoEvento,
} from '@acuse/core';
import type { Database } from '../database.ts';
import { CONFIANZA } from '../solicitudes/solicitudes.ts';
import { isUuid } from '../uuid.ts';

/** Everything that the people of its account may know about a solicitud. */
export interface DetalleSolicitud {
  readonly id: string;
  readonly contribuyenteId: string;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  readonly canal: 'soap' | 'portal';
  readonly estado: EstadoSolicitud;
  readonly motivo: string | null;
  /** The authority's code of the end without a package. */
  readonly codigo: string | null;
  /** 0 to 1. */
  readonly progreso: number;
  readonly registros: number | null;
  readonly intentos: number;
  readonly ultimaConsulta: Date | null;
  readonly proximaConsulta: Date | null;
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
  readonly plazoEn: Date;
  readonly objectKey: string | null;
  readonly paqueteBorradoEn: Date | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly resumen: ResumenPaquete | null;
  /** Null until it is TERMINADA. */
  readonly confianza: Confianza | null;
  readonly partes: PartesSolicitud;
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

/** Events of one kind together: what the last of them said, and how many there were. */
export interface HitoSolicitud extends EventoSolicitud {
  readonly veces: number;
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

/** What changes while a solicitud is worked on. */
export interface AvanceSolicitud {
  readonly id: string;
  readonly estado: EstadoSolicitud;
  readonly fase: 'DESCARGA' | 'ENSAMBLE';
  readonly progreso: number;
  readonly intentos: number;
  readonly registros: number | null;
  readonly ultimaConsulta: Date | null;
  readonly proximaConsulta: Date | null;
  readonly terminadaEn: Date | null;
  readonly partes: PartesSolicitud;
  readonly ultimoEvento: EventoSolicitud | null;
}

const PARTES = `(SELECT json_object_agg(p.estado, p.n) FROM
  (SELECT estado, count(*)::int AS n FROM parte WHERE solicitud_id = s.id GROUP BY estado) p) AS partes,
  (SELECT sum(registros) FROM parte WHERE solicitud_id = s.id) AS registros_sat,
  (SELECT CASE WHEN bool_and(m.entero) THEN json_build_object('total', count(*), 'listas', count(*) FILTER (WHERE m.listo)) END FROM
    (SELECT bool_and(left(fin, 7) = left(inicio, 7)) AS entero, bool_and(estado IN ('DESCARGADA', 'VACIA')) AS listo
     FROM parte WHERE solicitud_id = s.id GROUP BY left(inicio, 7)) m) AS meses`;

const FIND = `
SELECT s.id, s.contribuyente_id, s.rfc, s.tipo, s.desde::text, s.hasta::text, s.canal, s.estado, s.fase, s.motivo, s.registros, s.intentos,
       s.ultima_consulta_en, s.due_at, s.creada_en, s.terminada_en, s.deadline_at, s.object_key, s.paquete_borrado_en, s.bytes,
       s.sha256, s.resumen, ${CONFIANZA} AS confianza, ${PARTES}, c.importe AS cargo, c.creado_en AS cargo_en, r.importe AS reembolso, r.creado_en AS reembolso_en,
       (SELECT e.codigo FROM evento e WHERE e.solicitud_id = s.id AND e.tipo = s.estado ORDER BY e.id DESC LIMIT 1) AS codigo
FROM solicitud s
LEFT JOIN movimiento c ON c.op_id = s.id AND c.tipo = 'cargo'
LEFT JOIN movimiento r ON r.op_id = s.id AND r.tipo = 'reembolso'
WHERE s.id = $1 AND s.cuenta_id = $2`;

const TIMELINE = `
SELECT e.id, e.tipo, e.codigo, e.detalle, e.veces, coalesce(e.ultima_en, e.en) AS en FROM solicitud s JOIN evento e ON e.solicitud_id = s.id
WHERE s.id = $1 AND s.cuenta_id = $2 AND e.id < $3 ORDER BY e.id DESC LIMIT $4`;

/** Failures of different causes stay apart; everything else of a kind is one line, however often the SAT was asked. */
const MILESTONES = `
SELECT max(e.id) AS id, e.tipo, (array_agg(e.codigo ORDER BY e.id DESC))[1] AS codigo,
       (array_agg(e.detalle ORDER BY e.id DESC))[1] AS detalle, max(coalesce(e.ultima_en, e.en)) AS en, sum(e.veces)::int AS veces
FROM solicitud s JOIN evento e ON e.solicitud_id = s.id WHERE s.id = $1 AND s.cuenta_id = $2
GROUP BY e.tipo, CASE e.tipo WHEN 'SAT_SIN_RESPUESTA' THEN e.detalle WHEN 'PAQUETE_ILEGIBLE' THEN e.codigo END
ORDER BY max(e.id) DESC LIMIT 100`;

const WATCH = `
SELECT s.id, s.estado, s.fase, s.registros, s.intentos, s.ultima_consulta_en, s.due_at, s.terminada_en, ${PARTES},
       e.id AS evento_id, e.tipo AS evento_tipo, e.codigo AS evento_codigo, e.detalle AS evento_detalle, e.veces AS evento_veces, coalesce(e.ultima_en, e.en) AS evento_en
FROM solicitud s LEFT JOIN LATERAL (
  SELECT * FROM evento WHERE solicitud_id = s.id ORDER BY id DESC LIMIT 1
) e ON true
WHERE s.id = ANY ($1::uuid[])`;

const LIVE_SESSIONS = `
SELECT id FROM sesion WHERE id = ANY ($1::uuid[]) AND fase = 'COMPLETA' AND inactiva_en > now() AND vence_en > now()`;

const NOTE = `
INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
SELECT s.cuenta_id, s.contribuyente_id, $3, $4, jsonb_build_object('solicitud', s.id), $5
FROM solicitud s WHERE s.id = $1 AND s.cuenta_id = $2`;

const LAST_EVENT = Number.MAX_SAFE_INTEGER;

interface AvanceRow {
  id: string;
  estado: EstadoSolicitud;
  fase: 'DESCARGA' | 'ENSAMBLE';
  registros: string | null;
  registros_sat: string | null;
  intentos: number;
  ultima_consulta_en: Date | null;
  due_at: Date;
  terminada_en: Date | null;
  partes: Partial<Record<EstadoParte, number>> | null;
  meses: { total: number; listas: number } | null;
}

interface WatchRow extends AvanceRow {
  evento_id: string | null;
  evento_tipo: TipoEvento;
  evento_codigo: string | null;
  evento_detalle: string | null;
  evento_veces: number;
  evento_en: Date;
}

interface FindRow extends AvanceRow {
  contribuyente_id: string;
  rfc: string;
  tipo: TipoDescarga;
  desde: string;
  hasta: string;
  canal: 'soap' | 'portal';
  motivo: string | null;
  codigo: string | null;
  creada_en: Date;
  deadline_at: Date;
  object_key: string | null;
  paquete_borrado_en: Date | null;
  bytes: string | null;
  sha256: string | null;
  resumen: ResumenPaquete | null;
  confianza: Confianza | null;
  cargo: number | null;
  cargo_en: Date | null;
  reembolso: number | null;
  reembolso_en: Date | null;
}

const numberOrNull = (value: string | null) => (value === null ? null : Number(value));

const advanceOf = (row: AvanceRow) => ({
  id: row.id,
  estado: row.estado,
  progreso: progresoDe({ estado: row.estado, fase: row.fase, partes: row.partes ?? {} }),
  intentos: row.intentos,
  registros: numberOrNull(row.registros ?? row.registros_sat),
  ultimaConsulta: row.ultima_consulta_en,
  proximaConsulta: row.estado === 'EN_PROCESO' ? row.due_at : null,
  terminadaEn: row.terminada_en,
  partes: partsOf(row),
});

function partsOf({ partes, meses }: AvanceRow): PartesSolicitud {
  if (meses !== null && meses.total > 1) return { unidad: 'mes', ...meses };
  const counts = partes ?? {};
  return {
    unidad: 'parte',
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    listas: (counts.DESCARGADA ?? 0) + (counts.VACIA ?? 0),
  };
}

function movementOf(importe: number | null, en: Date | null) {
  return importe === null || en === null ? null : { creditos: Math.abs(importe), en };
}

function detailOf(row: FindRow): DetalleSolicitud {
  const { rfc, tipo, desde, hasta, canal, motivo, codigo, sha256, resumen, confianza } = row;
  return {
    ...advanceOf(row),
    contribuyenteId: row.contribuyente_id,
    rfc,
    tipo,
    desde,
    hasta,
    canal,
    motivo,
    codigo,
    sha256,
    resumen,
    confianza,
    creadaEn: row.creada_en,
    plazoEn: row.deadline_at,
    objectKey: row.object_key,
    paqueteBorradoEn: row.paquete_borrado_en,
    bytes: numberOrNull(row.bytes),
    cargo: movementOf(row.cargo, row.cargo_en),
    reembolso: movementOf(row.reembolso, row.reembolso_en),
  };
}

/** Single solicitudes, as the people of an account see them. */
export function createSolicitudesPanel({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null for one that does not exist and for one of another account alike. */
    async find(cuentaId: string, id: string): Promise<DetalleSolicitud | null> {
      if (!isUuid(id)) return null;
      const { rows } = await pool.query<FindRow>({
        name: 'panel-solicitud',
        text: FIND,
        values: [id, cuentaId],
      });
      return rows[0] ? detailOf(rows[0]) : null;
    },

    /** What happened to it, newest first; `antesDe` is the id of the event that the page before ended with. */
    async timeline(
      cuentaId: string,
      id: string,
      { antesDe = LAST_EVENT, limit }: { antesDe?: number; limit: number },
    ): Promise<readonly EventoSolicitud[]> {
      if (!isUuid(id)) return [];
      const { rows } = await pool.query<Omit<EventoSolicitud, 'id'> & { id: string }>({
        name: 'panel-eventos',
        text: TIMELINE,
        values: [id, cuentaId, antesDe, limit],
      });
      return rows.map((row) => ({ ...row, id: Number(row.id) }));
    },

    /** What happened to it, events of one kind together, the kind that happened last first. */
    async milestones(cuentaId: string, id: string): Promise<readonly HitoSolicitud[]> {
      if (!isUuid(id)) return [];
      const { rows } = await pool.query<Omit<HitoSolicitud, 'id'> & { id: string }>({
        name: 'panel-hitos',
        text: MILESTONES,
        values: [id, cuentaId],
      });
      return rows.map((row) => ({ ...row, id: Number(row.id) }));
    },

    /** Where any number of solicitudes are now, whoever owns them: the caller has checked that before. */
    async watch(ids: readonly string[]): Promise<readonly AvanceSolicitud[]> {
      const { rows } = await pool.query<WatchRow>({ name: 'panel-avances', text: WATCH, values: [ids] });
      return rows.map((row) => ({
        ...advanceOf(row),
        fase: row.fase,
        ultimoEvento:
          row.evento_id === null
            ? null
            : {
                id: Number(row.evento_id),
                tipo: row.evento_tipo,
                codigo: row.evento_codigo,
                detalle: row.evento_detalle,
                veces: row.evento_veces,
                en: row.evento_en,
              },
      }));
    },

    /** Which of these sessions are still logged in. */
    async liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'panel-sesiones-vivas',
        text: LIVE_SESSIONS,
        values: [ids],
      });
      return new Set(rows.map(({ id }) => id));
    },

    /** Notes in the audit log what somebody of the account did with a solicitud. */
    async note(input: {
      cuentaId: string;
      solicitudId: string;
      actor: string;
      accion: string;
      ip: string;
    }): Promise<void> {
      const { solicitudId, cuentaId, actor, accion, ip } = input;
      await pool.query({
        name: 'panel-solicitud-nota',
        text: NOTE,
        values: [solicitudId, cuentaId, actor, accion, ip],
      });
    },
  };
}
