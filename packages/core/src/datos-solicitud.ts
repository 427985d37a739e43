import type { VistaSolicitud } from './ports/solicitudes.ts';
import { isRetrasada } from './solicitud/agenda.ts';

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null;

/** A solicitud on the wire: the same in `descarga/verificar` and in a webhook. */
export function datosDeSolicitud(solicitud: VistaSolicitud, now: Date) {
  const { id, modo, estado, tipo, desde, hasta, formato, filtros, registros, progreso, intentos, motivo, creadaEn } =
    solicitud;
  return {
    solicitud_id: id,
    modo,
    estado,
    tipo,
    desde,
    hasta,
    formato,
    filtros,
    registros,
    progreso,
    intentos,
    ultima_consulta: isoOrNull(solicitud.ultimaConsulta),
    proxima_consulta: isoOrNull(solicitud.proximaConsulta),
    motivo,
    confianza: solicitud.confianza,
    contrapartes_listadas: solicitud.contrapartesListadas,
    reembolsada: solicitud.isReembolsada,
    retrasada: solicitud.terminadaEn === null && isRetrasada(creadaEn, now),
    creada_en: creadaEn.toISOString(),
    terminada_en: isoOrNull(solicitud.terminadaEn),
  };
}
