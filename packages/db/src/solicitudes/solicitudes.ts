import type { EstadoSolicitud } from '@acuse/contract';
import { type Confianza, type NuevaSolicitud, progresoDe, type Solicitudes, type VistaSolicitud } from '@acuse/core';
import { terminarSinPaquete } from '../claims/terminar.ts';
import type { Database } from '../database.ts';
import { isUuid } from '../uuid.ts';
import { acceptAll } from './accept.ts';
import { createBatch } from './batch.ts';

/** Of those that were assembled before it was noted, only rows are sure. */
export const CONFIANZA = `CASE WHEN s.estado = 'TERMINADA' THEN coalesce(s.confianza, CASE WHEN s.registros > 0 THEN 'confirmado' ELSE 'sin_confirmar' END) END`;

const FIND = `
SELECT s.id, s.rfc, s.estado, s.fase, s.tipo, s.desde::text, s.hasta::text, s.registros, s.intentos, s.ultima_consulta_en, s.due_at,
       ${CONFIANZA} AS confianza, EXISTS (SELECT FROM movimiento m WHERE m.op_id = s.id AND m.tipo = 'reembolso') AS reembolsada,
       s.motivo, s.creada_en, s.terminada_en, s.object_key, s.paquete_borrado_en, s.bytes, s.sha256,
       (SELECT json_object_agg(p.estado, p.n) FROM
         (SELECT estado, count(*)::int AS n FROM parte WHERE solicitud_id = s.id GROUP BY estado) p) AS partes,
       (SELECT sum(registros) FROM parte WHERE solicitud_id = s.id) AS registros_sat
FROM solicitud s WHERE s.id = $1 AND s.contribuyente_id = $2`;

const CANCEL = terminarSinPaquete(
  `s.id = $4 AND s.contribuyente_id = $5 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`,
);

interface FindRow {
  id: string;
  rfc: string;
  estado: EstadoSolicitud;
  fase: 'DESCARGA' | 'ENSAMBLE';
  tipo: VistaSolicitud['tipo'];
  desde: string;
  hasta: string;
  registros: string | null;
  confianza: Confianza | null;
  reembolsada: boolean;
  intentos: number;
  ultima_consulta_en: Date | null;
  due_at: Date;
  motivo: string | null;
  creada_en: Date;
  terminada_en: Date | null;
  object_key: string | null;
  paquete_borrado_en: Date | null;
  bytes: string | null;
  sha256: string | null;
  partes: Parameters<typeof progresoDe>[0]['partes'] | null;
  registros_sat: string | null;
}

const numberOrNull = (value: string | null) => (value === null ? null : Number(value));

/** Solicitudes over PostgreSQL, as the API sees them. */
export function createSolicitudes({ pool, settings }: Pick<Database, 'pool' | 'settings'>): Solicitudes {
  const accept = createBatch({
    run: (nuevas: readonly NuevaSolicitud[], until) => acceptAll({ pool }, nuevas, until),
    groupOf: ({ cuentaId }) => cuentaId,
    patienceMs: settings.timeoutMs,
  });

  async function find(contribuyenteId: string, solicitudId: string): Promise<VistaSolicitud | null> {
    if (!isUuid(solicitudId)) return null;
    const { rows } = await pool.query<FindRow>({
      name: 'ver',
      text: FIND,
      values: [solicitudId, contribuyenteId],
    });
    const row = rows[0];
    if (!row) return null;
    const isOpen = row.terminada_en === null;
    return {
      id: row.id,
      rfc: row.rfc,
      estado: row.estado,
      tipo: row.tipo,
      desde: row.desde,
      hasta: row.hasta,
      registros: numberOrNull(row.registros ?? row.registros_sat),
      confianza: row.confianza,
      isReembolsada: row.reembolsada,
      progreso: progresoDe({ estado: row.estado, fase: row.fase, partes: row.partes ?? {} }),
      intentos: row.intentos,
      ultimaConsulta: row.ultima_consulta_en,
      proximaConsulta: isOpen && row.estado === 'EN_PROCESO' ? row.due_at : null,
      motivo: row.motivo,
      creadaEn: row.creada_en,
      terminadaEn: row.terminada_en,
      objectKey: row.object_key,
      paqueteBorradoEn: row.paquete_borrado_en,
      bytes: numberOrNull(row.bytes),
      sha256: row.sha256,
    };
  }

  return {
    accept,
    find,

    async cancel(contribuyenteId, solicitudId) {
      if (!isUuid(solicitudId)) return null;
      const values = ['CANCELADA', 'CANCELADA_POR_EL_CLIENTE', null, solicitudId, contribuyenteId];
      const { rowCount } = await pool.query({ name: 'cancelar', text: CANCEL, values });
      if (rowCount === 1) return { resultado: 'CANCELADA' };
      const vista = await find(contribuyenteId, solicitudId);
      if (vista === null) return null;
      const { estado } = vista;
      return estado === 'CANCELADA' ? { resultado: 'CANCELADA' } : { resultado: 'TERMINADA', estado };
    },
  };
}
