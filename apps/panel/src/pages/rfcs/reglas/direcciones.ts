import ipaddr from 'ipaddr.js';
import { parseIp } from '../../../http/net/client-ip.ts';

const MAX_DIRECCIONES = 200;

export interface Lista {
  /** Blocks in canonical form, each once. */
  readonly cidrs: readonly string[];
  /** What is wrong, a sentence for each entry that cannot be used. */
  readonly reparos: readonly string[];
}

/** Reads a list of addresses and CIDR blocks as a person types it: one a line, or with commas or blanks between them. */
export function readDirecciones(texto: string): Lista {
  const entradas = texto.split(/[\s,;]+/).filter(Boolean);
  if (entradas.length > MAX_DIRECCIONES)
    return { cidrs: [], reparos: [`Caben ${MAX_DIRECCIONES} direcciones; agrupe varias en un bloque CIDR.`] };
  const leidas = entradas.map((entrada) => ({ entrada, cidr: toCidr(entrada) }));
  const cidrs = leidas.flatMap(({ cidr }) => cidr ?? []);
  const reparos = leidas.flatMap(({ entrada, cidr }) => (cidr === null ? [explain(entrada)] : []));
  return { cidrs: [...new Set(cidrs)], reparos };
}

/** The block of an entry: its network's first address and its bits (RFC 4632, section 3.1); null when it is none. */
function toCidr(entrada: string): string | null {
  const sola = parseIp(entrada);
  if (sola) return `${sola.toString()}/${sola.kind() === 'ipv4' ? 32 : 128}`;
  const [direccion = ''] = entrada.split('/');
  if (parseIp(direccion) === null || !ipaddr.isValidCIDR(entrada)) return null;
  const [base, bits] = ipaddr.parseCIDR(entrada);
  if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96)
    return network(base.toIPv4Address(), bits - 96);
  return network(base, bits);
}

function network(base: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = base.toByteArray().map((byte, lugar) => {
    const propios = Math.min(8, Math.max(0, bits - lugar * 8));
    return byte & (0xff << (8 - propios)) & 0xff;
  });
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

function explain(entrada: string): string {
  const visible = entrada.length > 60 ? `${entrada.slice(0, 60)}…` : entrada;
  const [direccion = '', bits, ...mas] = entrada.split('/');
  const ip = mas.length === 0 ? parseIp(direccion) : null;
  if (ip && bits !== undefined)
    return `«${visible}»: después de / va un número de 0 a ${ip.kind() === 'ipv4' ? 32 : 128}.`;
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(direccion))
    return `«${visible}»: cada número de una dirección IPv4 va de 0 a 255.`;
  if (/^\d{1,3}(\.(\d{1,3}|\*)){0,3}$/.test(direccion))
    return `«${visible}»: faltan números; para abarcar varias direcciones escriba un bloque, como 203.0.113.0/24.`;
  if (/[a-z]/i.test(direccion) && direccion.includes('.') && !direccion.includes(':'))
    return `«${visible}» es un nombre; escriba la dirección IP a la que apunta.`;
  return `«${visible}» no es una dirección IP ni un bloque CIDR. Ejemplos: 203.0.113.7, 203.0.113.0/24, 2001:db8::/32.`;
}

/** Whether a list lets an address call. An empty one lets everybody. */
export function admits(cidrs: readonly string[], direccion: string): boolean {
  if (cidrs.length === 0) return true;
  const ip = parseIp(direccion);
  return (
    ip !== null &&
    cidrs.some((cidr) => {
      const bloque = ipaddr.parseCIDR(cidr);
      return bloque[0].kind() === ip.kind() && ip.match(bloque);
    })
  );
}

/** What a person should know about a block before relying on it, or null. */
export function remarkOf(cidr: string): string | null {
  const [base, bits] = ipaddr.parseCIDR(cidr);
  if (bits === 0) return base.kind() === 'ipv4' ? 'cualquier dirección IPv4' : 'cualquier dirección IPv6';
  const rango = base.range();
  if (rango === 'loopback') return 'esta misma máquina: solo sirve si la API corre en ella';
  if (['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'].includes(rango))
    return 'privada: la API solo la ve si está en la misma red';
  return null;
}
