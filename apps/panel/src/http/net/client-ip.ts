import ipaddr from 'ipaddr.js';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

const PORT = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[\d.]+):\d+)$/;

/** Reads an address; one of IPv4 inside IPv6 (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2) is its IPv4. Null for anything else. */
export function parseIp(text: string): Ip | null {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : null;
}

/**
 * Makes the function that tells a caller's address: the socket's, unless that is a trusted proxy; then the last entry of
 * `X-Forwarded-For` that is none, from the right. What stands further left was written by the caller and is never read.
 * `trustedProxies` are CIDR blocks or single addresses, already checked.
 */
export function createClientIp(
  trustedProxies: readonly string[],
): (socketAddress: string, forwardedFor: string | undefined) => string {
  const blocks = trustedProxies.map((text) =>
    ipaddr.parseCIDR(ipaddr.isValidCIDR(text) ? text : single(text)),
  );
  const isTrusted = (ip: Ip) => blocks.some((block) => block[0].kind() === ip.kind() && ip.match(block));
  return (socketAddress, forwardedFor) => {
    let current = parseIp(socketAddress);
    if (current === null) return socketAddress;
    const hops = forwardedFor?.split(',') ?? [];
    while (isTrusted(current)) {
      const hop = parseHop(hops.pop());
      if (hop === null) break;
      current = hop;
    }
    return current.toString();
  };
}

const single = (text: string) => `${text}/${text.includes(':') ? 128 : 32}`;

function parseHop(text: string | undefined): Ip | null {
  const trimmed = text?.trim() ?? '';
  const { six, four } = PORT.exec(trimmed)?.groups ?? {};
  return parseIp(six ?? four ?? trimmed);
}

/** Who one address stands for when tries are counted: itself, or its /64 in IPv6, of which one customer has all addresses. */
export function networkOf(text: string): string {
  const ip = parseIp(text);
  if (!(ip instanceof ipaddr.IPv6)) return text;
  return `${ip.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
