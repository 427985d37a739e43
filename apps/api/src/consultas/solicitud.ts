import type { CfdiError, DatosError } from '@acuse/contract';
import type { VistaSolicitud } from '@acuse/core';

const SHORTEST_SECONDS = 5;
const LONGEST_SECONDS = 3_600;
/** Nothing happens before a person stores the key again. */
const SIN_EFIRMA_SECONDS = 300;

/** Seconds after which it is worth asking again: until the next look at the SAT, within bounds. */
function esperaDe({ estado, proximaConsulta }: VistaSolicitud, now: Date): number {
  if (estado === 'ESPERA_EFIRMA') return SIN_EFIRMA_SECONDS;
  const seconds = Math.ceil(((proximaConsulta ?? now).getTime() - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, SHORTEST_SECONDS), LONGEST_SECONDS);
}

type Falta = (nombre: 'SOLICITUD_SIN_TERMINAR' | 'SOLICITUD_SIN_PAQUETE', datos?: DatosError) => CfdiError;

/** The package of a solicitud that ended with one, kept still or not; throws what is said of any other. */
export function needPaquete(solicitud: VistaSolicitud, now: Date, error: Falta) {
  const { estado, motivo, objectKey, bytes, sha256 } = solicitud;
  if (estado === 'EN_PROCESO' || estado === 'ESPERA_EFIRMA')
    throw error('SOLICITUD_SIN_TERMINAR', { reintentar_en: esperaDe(solicitud, now) });
  if (estado !== 'TERMINADA' || objectKey === null || bytes === null || sha256 === null)
    throw error('SOLICITUD_SIN_PAQUETE', motivo === null ? {} : { motivo });
  return { objectKey, bytes, sha256 };
}
