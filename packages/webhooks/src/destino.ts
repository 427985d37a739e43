import { isInRanges, parseIp, parseRange } from '@acuse/runtime';
import ipaddr from 'ipaddr.js';

/** What the operator allows beyond `https:` to public addresses. */
export interface PoliticaDestino {
  /** Also `http:`. */
  readonly http: boolean;
  /** Blocks (CIDR) that may be asked although they are not public. */
  readonly redes: readonly string[];
}

export type ReparoUrl =
  | 'ILEGIBLE'
  | 'SIN_HTTPS'
  | 'CON_CREDENCIALES'
  | 'CON_FRAGMENTO'
  | 'DIRECCION_NO_PERMITIDA'
  | 'DEMASIADO_LARGA';

/**
 * Receiver of a webhook without a URL: nothing is sent, and messages are kept for readers of `webhooks/entregas` such
 * as `acuse escuchar`.
 */
export const SIN_RECEPTOR = 'acuse:escuchar';

const MAX_URL = 2_048;
/** The part of IPv6 that is given out to networks (RFC 4291, 2.4): everything beyond is special. */
const IPV6_GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');
/** A public address that is Azure's own metadata and health service, from inside. */
const FROM_INSIDE = ['168.63.129.16'];

type Ip = NonNullable<ReturnType<typeof parseIp>>;

/** The host of a URL as an address, where it is one. */
export const ipOfHost = (hostname: string): Ip | null => parseIp(hostname.replace(/^\[|\]$/g, ''));

/** Which addresses may be asked. Throws RangeError for a block that is none. */
export function createFiltro({ redes }: Pick<PoliticaDestino, 'redes'>): (ip: Ip) => boolean {
  const ranges = redes.map((text) => {
    const range = parseRange(text);
    if (range === null) throw new RangeError(`${text} is no CIDR block`);
    return range;
  });
  return (ip) => isInRanges(ip, ranges) || isPublic(ip);
}

/** Whether an address is global unicast: of one machine anywhere in the internet, and of no special meaning. */
function isPublic(ip: Ip): boolean {
  if (ip.range() !== 'unicast' || FROM_INSIDE.includes(ip.toString())) return false;
  return ip instanceof ipaddr.IPv4 || ip.match(IPV6_GLOBAL);
}

/**
 * Reads the URL of a receiver: returns its canonical text, or its fault. Names are not resolved here: every connection
 * checks the addresses that the name resolves to.
 */
export function readUrlDestino(
  text: string,
  politica: PoliticaDestino,
): { readonly url: string; readonly reparo?: never } | { readonly reparo: ReparoUrl; readonly url?: never } {
  if (text.length > MAX_URL) return { reparo: 'DEMASIADO_LARGA' };
  if (!URL.canParse(text)) return { reparo: 'ILEGIBLE' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(politica.http && url.protocol === 'http:')) return { reparo: 'SIN_HTTPS' };
  if (url.username !== '' || url.password !== '') return { reparo: 'CON_CREDENCIALES' };
  if (url.hash !== '') return { reparo: 'CON_FRAGMENTO' };
  const ip = ipOfHost(url.hostname);
  if (ip !== null && !createFiltro(politica)(ip)) return { reparo: 'DIRECCION_NO_PERMITIDA' };
  return url.href.length > MAX_URL ? { reparo: 'DEMASIADO_LARGA' } : { url: url.href };
}

/** Reads the receiver that the owner of a webhook gives: a URL, which is made canonical, or {@link SIN_RECEPTOR}. */
export const readReceptor = (text: string, politica: PoliticaDestino): ReturnType<typeof readUrlDestino> =>
  text === SIN_RECEPTOR ? { url: text } : readUrlDestino(text, politica);

/** Fault of a URL, in Spanish for the owner of the webhook. */
export const REPAROS_URL: Readonly<Record<ReparoUrl, string>> = {
  ILEGIBLE: 'debe ser una dirección completa, como https://erp.example/acuse',
  SIN_HTTPS: 'debe empezar con https://',
  CON_CREDENCIALES: 'no puede llevar usuario ni contraseña: los avisos van firmados',
  CON_FRAGMENTO: 'no puede llevar fragmento (#…)',
  DIRECCION_NO_PERMITIDA: 'debe ser una dirección pública de internet',
  DEMASIADO_LARGA: 'debe tener a lo más 2048 caracteres',
};
