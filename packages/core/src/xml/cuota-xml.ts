import type { Filtros, Periodo, TipoDescarga } from '../ports/metadata.ts';
import type { ClaimedSolicitud, Parte } from '../ports/solicitudes.ts';
import type { ContextoPaso } from '../solicitud/parte.ts';

/** Equal requests of XML that the SAT takes for ever; the next one is refused with 5002. */
export const EQUAL_REQUESTS = 2;

/** Seconds by which a request of XML may be widened, so that it differs from earlier ones. */
const MAX_DESFASE = 60;

/** Requests of the XML of one part, whatever the SAT answered. */
export const MAX_ENVIOS_XML = 8;

/**
 * Key of the quota of equal requests of XML, for a period widened by `desfase` seconds. The filters stand in the order
 * that PostgreSQL gives the keys of a jsonb: the shorter ones first.
 */
export function claveXml(tipo: TipoDescarga, { inicio, fin }: Periodo, desfase: number, filtros: Filtros | null) {
  const ordered = Object.entries(filtros ?? {}).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `xml:${tipo}:${inicio}/${fin}+${desfase}:${JSON.stringify(filtros && Object.fromEntries(ordered))}`;
}

const quotaOf = ({ rfc, tipo, filtros }: ClaimedSolicitud, { periodo }: Parte, desfase: number) => ({
  rfc,
  clave: claveXml(tipo, periodo, desfase, filtros),
  maximo: EQUAL_REQUESTS,
});

/** Widening of the next request of XML that the SAT takes, from the quota of this installation; null: none is left. */
export async function takeDesfase({ cuotas, solicitud, parte }: ContextoPaso): Promise<number | null> {
  for (let { desfase } = parte; desfase <= MAX_DESFASE; desfase += 1)
    if (await cuotas.take({ ...quotaOf(solicitud, parte, desfase), cuantos: 1 })) return desfase;
  return null;
}

/** Notes that the SAT counts more equal requests than this installation sent: it never sends another one. */
export async function spendDesfase({ cuotas, solicitud, parte }: ContextoPaso): Promise<void> {
  const quota = quotaOf(solicitud, parte, parte.desfase);
  for (let left = EQUAL_REQUESTS; left > 0; left -= 1) await cuotas.take({ ...quota, cuantos: 1 });
}
