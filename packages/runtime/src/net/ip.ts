import ipaddr from 'ipaddr.js';

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses. */
export interface IpRange {
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
 * Reads a CIDR block (RFC 4632, section 3.1) or a single address. Null when it is neither: also for a block whose
 * address {@link parseIp} does not take, such as `010.0.0.0/8`, of which one reader says 8.0.0.0 and another 10.0.0.0.
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
 * Who one address stands for when callers are counted: itself, or its /64 in IPv6, of which one customer has all
 * addresses.
 */
export function networkOf(text: string): string {
  const ip = parseIp(text);
  if (!(ip instanceof ipaddr.IPv6)) return text;
  return `${ip.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
