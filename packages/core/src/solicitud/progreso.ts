import type { EstadoSolicitud } from '@acuse/contract';
import type { EstadoParte, Fase } from '../ports/solicitudes.ts';

/** How far a part is, as a share of the way to being in our storage. */
const PESO: Record<EstadoParte, number> = {
  PENDIENTE: 0,
  SOLICITANDO: 0.05,
  SOLICITADA: 0.25,
  DISPONIBLE: 0.7,
  DESCARGADA: 1,
  VACIA: 1,
};

/** Share of the whole that is done before assembly starts. */
const HASTA_ENSAMBLE = 0.9;

/** Progress of a solicitud from 0 to 1, two decimals. It is 1 exactly when the solicitud has ended. */
export function progresoDe(solicitud: {
  estado: EstadoSolicitud;
  fase: Fase;
  partes: Partial<Record<EstadoParte, number>>;
}): number {
  if (solicitud.estado !== 'EN_PROCESO' && solicitud.estado !== 'ESPERA_EFIRMA') return 1;
  if (solicitud.fase === 'ENSAMBLE') return HASTA_ENSAMBLE;
  let total = 0;
  let done = 0;
  for (const [estado, count] of Object.entries(solicitud.partes)) {
    total += count;
    done += PESO[estado as EstadoParte] * count;
  }
  return total === 0 ? 0 : Math.round((done / total) * HASTA_ENSAMBLE * 100) / 100;
}
