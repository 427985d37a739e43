import { randomUUID } from 'node:crypto';
import type { Periodo } from '../ports/metadata.ts';
import type { Avance, CambioParte, ClaimedSolicitud, Parte } from '../ports/solicitudes.ts';

/** A part of metadata that was not asked for yet. */
export const newParte = ({ canal, now }: Pick<ClaimedSolicitud, 'canal' | 'now'>, periodo: Periodo): Parte => ({
  id: randomUUID(),
  contenido: 'metadata',
  periodo,
  estado: 'PENDIENTE',
  canal,
  vacias: [],
  folio: null,
  desfase: 0,
  envios: 0,
  reenvios: 0,
  consultas: 0,
  fallos: 0,
  accesos: 0,
  motivo: null,
  dueAt: now,
  paquetes: [],
});

/** A part as a write at `now` leaves it. */
export function changed(parte: Parte, cambio: CambioParte, now: Date): Parte {
  const { parteId: _, registros: __, dueInSeconds, paquetes, guardado, releer, ...columns } = cambio;
  const listed = paquetes?.map((paquete, at) => ({ paquete, orden: at + 1, objectKey: null, relecturas: 0 }));
  return {
    ...parte,
    ...columns,
    dueAt: dueInSeconds === undefined ? parte.dueAt : new Date(now.getTime() + dueInSeconds * 1_000),
    paquetes: (listed ?? parte.paquetes).map((each) => {
      if (guardado?.paquete === each.paquete) return { ...each, objectKey: guardado.objectKey };
      return releer?.paquete === each.paquete ? { ...each, objectKey: null, relecturas: each.relecturas + 1 } : each;
    }),
  };
}

/** A solicitud under the same claim after a write, without reading it again: its credentials may have ended since. */
export const afterWrite = (claimed: ClaimedSolicitud, { partes = [], eventos = [] }: Avance): ClaimedSolicitud => ({
  ...claimed,
  claim: { ...claimed.claim, eventos: [...claimed.claim.eventos, ...eventos.map(({ tipo }) => tipo)] },
  partes: claimed.partes.map((parte) =>
    partes.reduce((now, cambio) => (cambio.parteId === parte.id ? changed(now, cambio, claimed.now) : now), parte),
  ),
});
