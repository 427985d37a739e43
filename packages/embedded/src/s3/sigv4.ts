import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from './exchange.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SKEW_MS = 15 * 60 * 1000;
const MAX_EXPIRES_SECONDS = 7 * 24 * 3600;

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Lets a request pass only if it was signed with our key, in its headers or in its query, and is not past its time.
 * Nothing is readable without a signature. Gives the payload hash that was signed: the body must still be checked
 * against it.
 * @param now ms since 1970.
 * @throws S3Error
 */
export function authenticate(request: SignedRequest, credentials: Credentials, now: number): string {
  const query = new Map(readQuery(request.url));
  const isPresigned = query.has('X-Amz-Signature');
  const header = request.headers.authorization;
  if (isPresigned && header !== undefined) {
    throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed.');
  }
  if (!isPresigned && !header?.startsWith(`${ALGORITHM} `)) throw new S3Error('AccessDenied', 'Access Denied');
  const claim = isPresigned ? claimOfQuery(query, now) : claimOfHeader(header ?? '', request.headers, now);
  if (claim.accessKeyId !== credentials.accessKeyId) {
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  }
  requireSigned(request, claim);
  if (!isSignatureValid(request, claim, credentials.secretAccessKey)) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  return claim.payloadHash;
}

function claimOfHeader(header: string, headers: SignedRequest['headers'], now: number): SignatureClaim {
  const parts = new Map(
    header
      .slice(ALGORITHM.length)
      .split(',')
      .map((part) => part.trim())
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
  const date = headers['x-amz-date'];
  const payloadHash = headers['x-amz-content-sha256'];
  if (typeof date !== 'string' || typeof payloadHash !== 'string') {
    throw new S3Error('AccessDenied', 'AWS authentication requires the headers x-amz-date and x-amz-content-sha256.');
  }
  if (Math.abs(timeOf(date) - now) > MAX_SKEW_MS) {
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    );
  }
  return claimOf(parts.get('Credential'), parts.get('SignedHeaders'), parts.get('Signature'), date, payloadHash);
}

function claimOfQuery(query: ReadonlyMap<string, string>, now: number): SignatureClaim {
  const date = query.get('X-Amz-Date') ?? '';
  const seconds = Number(query.get('X-Amz-Expires') ?? Number.NaN);
  if (query.get('X-Amz-Algorithm') !== ALGORITHM || !(seconds > 0 && seconds <= MAX_EXPIRES_SECONDS)) {
    throw new S3Error('AuthorizationQueryParametersError', 'X-Amz-Algorithm or X-Amz-Expires is missing or wrong.');
  }
  const signedAt = timeOf(date);
  if (signedAt - now > MAX_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid');
  if (now >= signedAt + seconds * 1000) throw new S3Error('AccessDenied', 'Request has expired');
  return claimOf(
    query.get('X-Amz-Credential'),
    query.get('X-Amz-SignedHeaders'),
    query.get('X-Amz-Signature'),
    date,
    query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  );
}

function claimOf(
  credential: string | undefined,
  signedHeaders: string | undefined,
  signature: string | undefined,
  date: string,
  payloadHash: string,
): SignatureClaim {
  const [accessKeyId, day, region, service, terminator, ...more] = (credential ?? '').split('/');
  const complete = accessKeyId && day && region && signedHeaders && signature && more.length === 0;
  if (!complete || service !== 's3' || terminator !== 'aws4_request' || !date.startsWith(day)) {
    throw new S3Error('AuthorizationHeaderMalformed', 'The authorization is malformed.');
  }
  return {
    accessKeyId,
    scope: [day, region, service, terminator],
    signedHeaders: signedHeaders.split(';'),
    signature,
    date,
    payloadHash,
  };
}

/** The host and everything of x-amz that came must be under the signature, or it could be added on the way. */
function requireSigned(request: SignedRequest, claim: SignatureClaim): void {
  const unsigned = Object.keys(request.headers)
    .filter((name) => name === 'host' || name.startsWith('x-amz-'))
    .filter((name) => !claim.signedHeaders.includes(name));
  if (unsigned.length > 0) {
    throw new S3Error(
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned.join(', ')}`,
    );
  }
}

/** ms since 1970 of a date in the form `YYYYMMDDTHHMMSSZ`. */
function timeOf(date: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  if (second === undefined) throw new S3Error('AccessDenied', 'The date must have the form YYYYMMDDTHHMMSSZ.');
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

function readQuery(url: string): (readonly [string, string])[] {
  try {
    return queryPairs(url);
  } catch {
    throw new S3Error('InvalidArgument', 'The query is not valid.');
  }
}

/** The parts of a request that Signature Version 4 covers. */
interface SignedRequest {
  readonly method: string;
  /** Path and query exactly as they came on the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a signature says about itself. */
interface SignatureClaim {
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
function isSignatureValid(request: SignedRequest, claim: SignatureClaim, secretAccessKey: string): boolean {
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
