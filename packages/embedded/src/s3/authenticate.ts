import { S3Error } from './s3-error.ts';
import { isSignatureValid, queryPairs, type SignatureClaim, type SignedRequest } from './sigv4.ts';

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
