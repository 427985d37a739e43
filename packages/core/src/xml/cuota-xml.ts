import { createHash } from 'node:crypto';
import type { Modo } from '../ports/boveda.ts';
import type { Filtros, Periodo, TipoDescarga } from '../ports/metadata.ts';
import type { ClaimedSolicitud, Parte } from '../ports/solicitudes.ts';
import type { ContextoPaso } from '../solicitud/parte.ts';
import { calendarDay, periodoPedido } from '../solicitud/periodos.ts';

/** XML that the portal gives an RFC in a day (phpcfdi/cfdi-sat-scraper#73, python-satcfdi#72). */
export const XML_A_DAY = 2_000;

/** Equal requests of XML that the SAT takes for ever; the next one is refused with 5002. */
export const EQUAL_REQUESTS = 2;

/** Times that the SAT gives a package (phpcfdi/sat-ws-descarga-masiva#78). */
export const PACKAGE_DOWNLOADS = 2;

/** Seconds by which a request of XML may be widened, so that it differs from earlier ones. */
const MAX_DESFASE = 60;

/** Requests of the XML of one part, whatever the SAT answered. */
export const MAX_ENVIOS_XML = 8;

/** Owner of the quotas of an RFC. Test keys have quotas of their own: the simulator answers them, not the SAT. */
export const quotaRfc = (modo: Modo, rfc: string): string => (modo === 'live' ? rfc : `pruebas:${rfc}`);

/** Key of the portal's quota of the day. */
export const claveDia = (now: Date): string => `dia:${calendarDay(now)}`;

/**
 * Key of the quota of equal requests of XML at the web service, for the period as it is sent. The SAT is asked for all
 * states, for the valid ones where it refuses all, and for the cancelled ones of issued CFDI alone when only they are
 * wanted: other states make no other request. The filters are hashed: they name counterparts.
 */
export function claveXml(tipo: TipoDescarga, { inicio, fin }: Periodo, filtros: Filtros | null): string {
  const { estado_comprobante: estado, tipo_comprobante = '', rfc_contraparte = [], complemento = '' } = filtros ?? {};
  const apart = tipo === 'emitidos' && estado === 'cancelado' ? 'cancelado' : '';
  const hash = createHash('sha256');
  hash.update(JSON.stringify([apart, tipo_comprobante, [...rfc_contraparte].sort(), complemento]));
  return `xml:${tipo}:${inicio}/${fin}:${hash.digest('hex').slice(0, 32)}`;
}

function quotaOf({ modo, rfc, tipo, filtros, now }: ClaimedSolicitud, parte: Parte) {
  const clave = claveXml(tipo, periodoPedido({ ...parte, ahora: now }), filtros);
  return { rfc: quotaRfc(modo, rfc), clave, maximo: EQUAL_REQUESTS };
}

/** Widening of the next request of XML that the SAT takes, from the quota of this installation; null: none is left. */
export async function takeDesfase({ cuotas, solicitud, parte }: ContextoPaso): Promise<number | null> {
  for (let { desfase } = parte; desfase <= MAX_DESFASE; desfase += 1)
    if (await cuotas.take({ ...quotaOf(solicitud, { ...parte, desfase }), cuantos: 1 })) return desfase;
  return null;
}

/** Spends the rest of the quota of a request that the SAT refused as one too many (5002): it is not sent again. */
export async function spendDesfase({ cuotas, solicitud, parte }: ContextoPaso): Promise<void> {
  const quota = quotaOf(solicitud, parte);
  for (let left = EQUAL_REQUESTS; left > 0; left -= 1) await cuotas.take({ ...quota, cuantos: 1 });
}
