import { LRUCache } from 'lru-cache';
import { type Ip, isInRanges, parseIp, parseRange } from './ip.ts';

const MAX_ADDRESSES = 10_000;
const PORT = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[\d.]+):\d+)$/;

/**
 * Makes the function that tells a caller's address: the socket's, unless that is a trusted proxy; then the last entry
 * of `X-Forwarded-For` that is none, from the right. What stands further left was written by the caller and is never
 * read. `trustedProxies` are CIDR blocks or single addresses; throws RangeError for what is neither.
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
