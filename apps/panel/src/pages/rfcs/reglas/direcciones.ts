import { formatRange, isInRanges, parseIp, parseRange } from '@acuse/runtime';

const MAX_DIRECCIONES = 200;

interface Lista {
  /** Blocks in canonical form, each once. */
  readonly cidrs: readonly string[];
  /** Faults: a sentence for each unusable entry. */
  readonly reparos: readonly string[];
}

/** Reads addresses and CIDR blocks as a person types them: one a line, or with commas or blanks between. */
export function readDirecciones(texto: string): Lista {
  const entradas = texto.split(/[\s,;]+/).filter(Boolean);
  if (entradas.length > MAX_DIRECCIONES)
    return { cidrs: [], reparos: [`Caben ${MAX_DIRECCIONES} direcciones; agrupe varias en un bloque CIDR.`] };
  const leidas = entradas.map((entrada) => ({ entrada, bloque: parseRange(entrada) }));
  const cidrs = leidas.flatMap(({ bloque }) => (bloque === null ? [] : formatRange(bloque)));
  const reparos = leidas.flatMap(({ entrada, bloque }) => (bloque === null ? [explain(entrada)] : []));
  return { cidrs: [...new Set(cidrs)], reparos };
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
  const bloques = cidrs.map(parseRange).filter((bloque) => bloque !== null);
  return ip !== null && isInRanges(ip, bloques);
}

/** What a person should know about a block before relying on it, or null. */
export function remarkOf(cidr: string): string | null {
  const bloque = parseRange(cidr);
  if (bloque === null) return null;
  const { base, bits } = bloque;
  if (bits === 0) return base.kind() === 'ipv4' ? 'cualquier dirección IPv4' : 'cualquier dirección IPv6';
  const rango = base.range();
  if (rango === 'loopback') return 'esta misma máquina: solo sirve si la API corre en ella';
  if (['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'].includes(rango))
    return 'privada: la API solo la ve si está en la misma red';
  return null;
}
