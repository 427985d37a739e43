import type { CuentaXml } from './ports/paquetes.ts';
import type { VistaSolicitud } from './ports/solicitudes.ts';
import { isRetrasada } from './solicitud/agenda.ts';

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null;

/** Counts of a package with XML on the wire. */
export function datosDeXml(xml: CuentaXml | null) {
  if (xml === null) return null;
  const { porMotivo: por_motivo, sinMetadata: sin_metadata, ...counts } = xml;
  return { ...counts, por_motivo, sin_metadata };
}

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
    contenido: solicitud.contenido,
    tablas: solicitud.tablas,
    xml: datosDeXml(solicitud.xml),
    completo_hacia: isoOrNull(solicitud.completoHacia),
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
