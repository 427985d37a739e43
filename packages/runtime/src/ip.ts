import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses. */
interface IpRange {
  readonly base: Ip;
  readonly bits: number;
}

/**
 * Reads an address; one of IPv4 inside IPv6 (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2) is its IPv4. Null for
 * anything else.
 */
export function parseIp(text: string): Ip | null {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : null;
}

/**
 * Reads a CIDR block (RFC 4632, section 3.1) or a single address. Returns null for any other text, also for a block
 * with an address that {@link parseIp} refuses, such as `010.0.0.0/8`: some readers take it for 8.0.0.0, others for
 * 10.0.0.0.
 */
export function parseRange(text: string): IpRange | null {
  const single = parseIp(text);
  if (single) return { base: single, bits: single.kind() === 'ipv4' ? 32 : 128 };
  const [address = ''] = text.split('/');
  if (parseIp(address) === null || !ipaddr.isValidCIDR(text)) return null;
  const [base, bits] = ipaddr.parseCIDR(text);
  if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96) {
    return { base: base.toIPv4Address(), bits: bits - 96 };
  }
  return { base, bits };
}

/** A block as text in canonical form, from the first address of its network: `10.0.0.0/8` for 10.1.2.3/8. */
export function formatRange({ base, bits }: IpRange): string {
  const bytes = base.toByteArray().map((byte, at) => {
    const own = Math.min(8, Math.max(0, bits - at * 8));
    return byte & (0xff << (8 - own)) & 0xff;
  });
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/** Whether an address lies in one of the blocks. */
export function isInRanges(ip: Ip, ranges: readonly IpRange[]): boolean {
  return ranges.some(({ base, bits }) => {
    if (ip instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && ip.match(base, bits);
    return base instanceof ipaddr.IPv6 && ip.match(base, bits);
  });
}

/**
 * Network that an address is counted under: the address itself in IPv4, its /64 in IPv6, since one customer holds every
 * address of a /64.
 */
export function networkOf(text: string): string {
  const ip = parseIp(text);
  if (!(ip instanceof ipaddr.IPv6)) return text;
  return `${ip.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

const MAX_ADDRESSES = 10_000;
const PORT = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[\d.]+):\d+)$/;

/**
 * Makes the function that finds a caller's address. It is the socket's address, unless that is a trusted proxy; then it
 * is the rightmost entry of `X-Forwarded-For` that is not a trusted proxy. Entries further left come from the caller
 * and are never read. `trustedProxies` are CIDR blocks or single addresses.
 * @throws RangeError for an entry that is neither.
 */
export function createClientIp(
  trustedProxies: readonly string[],
): (socketAddress: string, forwardedFor: string | null) => string {
  const trusted = trustedProxies.map((text) => {
    const range = parseRange(text);
    if (range === null) throw new RangeError(`${text} is no CIDR block`);
    return range;
  });

  const addresses = new LRUCache<string, string>({ max: MAX_ADDRESSES });
  /** Without a proxy to trust the answer depends on the socket alone. */
  const ofSocket = (socketAddress: string): string => {
    const known = addresses.get(socketAddress);
    if (known !== undefined) return known;
    const ip = parseIp(socketAddress)?.toString() ?? socketAddress;
    addresses.set(socketAddress, ip);
    return ip;
  };
  if (trusted.length === 0) return ofSocket;

  return (socketAddress, forwardedFor) => {
    let current = parseIp(socketAddress);
    if (current === null) return socketAddress;
    const hops = forwardedFor === null ? [] : forwardedFor.split(',');
    while (isInRanges(current, trusted)) {
      const hop = parseHop(hops.pop());
      if (hop === null) break;
      current = hop;
    }
    return current.toString();
  };
}

function parseHop(text: string | undefined): Ip | null {
  const trimmed = text?.trim() ?? '';
  const match = PORT.exec(trimmed);
  return parseIp(match?.groups?.['six'] ?? match?.groups?.['four'] ?? trimmed);
}
