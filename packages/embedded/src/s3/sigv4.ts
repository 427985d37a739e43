import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that Signature Version 4 covers. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query exactly as they came on the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a signature says about itself. */
export interface SignatureClaim {
  readonly accessKeyId: string;
  /** `YYYYMMDD/region/s3/aws4_request`. */
  readonly scope: readonly [date: string, region: string, service: string, terminator: string];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly date: string;
  /** The SHA-256 of the body in hexadecimal, or one of the words that stand for it. */
  readonly payloadHash: string;
}

/** The pairs of a query, decoded; a plus sign is a plus sign. @throws URIError when it is not valid. */
export function queryPairs(url: string): (readonly [name: string, value: string])[] {
  const start = url.indexOf('?');
  if (start === -1) return [];
  return url
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1
        ? [decodeURIComponent(pair), '']
        : [decodeURIComponent(pair.slice(0, equals)), decodeURIComponent(pair.slice(equals + 1))];
    });
}

/** Tells whether the claim was signed with the secret (AWS General Reference, "Create a signed AWS API request"). */
export function isSignatureValid(request: SignedRequest, claim: SignatureClaim, secretAccessKey: string): boolean {
  const stringToSign = [
    'AWS4-HMAC-SHA256',
    claim.date,
    claim.scope.join('/'),
    createHash('sha256').update(canonicalRequest(request, claim)).digest('hex'),
  ].join('\n');
  const key = claim.scope.reduce<Buffer | string>(
    (parent, part) => createHmac('sha256', parent).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const expected = createHmac('sha256', key).update(stringToSign).digest();
  const given = Buffer.from(claim.signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function canonicalRequest(request: SignedRequest, claim: SignatureClaim): string {
  const path = request.url.split('?', 1)[0] ?? '/';
  const headers = claim.signedHeaders.map((name) => `${name}:${canonicalValue(request.headers[name])}\n`);
  return [
    request.method,
    path
      .split('/')
      .map((segment) => encode(decodeURIComponent(segment)))
      .join('/'),
    canonicalQuery(request.url),
    headers.join(''),
    claim.signedHeaders.join(';'),
    claim.payloadHash,
  ].join('\n');
}

function canonicalQuery(url: string): string {
  return queryPairs(url)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map((pair) => pair.join('='))
    .join('&');
}

function canonicalValue(value: string | readonly string[] | undefined): string {
  return (typeof value === 'string' ? value : (value ?? []).join(',')).trim().replace(/ +/g, ' ');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3986: everything but letters, digits and `-._~` is escaped. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
