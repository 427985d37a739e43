import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { IncomingBody } from './incoming-body.ts';
import type { Store } from './store.ts';

/** One authenticated request and the means to answer it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly store: Store;
  readonly bucket: string;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly body: IncomingBody;
  /** ms since 1970. */
  readonly now: () => number;
}

/** Answers without a body. */
export function sendEmpty({ response }: Exchange, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, headers).end();
}

/** Answers with an XML document of this root and these elements, in the namespace of S3. */
export function sendXml({ response }: Exchange, root: string, ...elements: readonly string[]): void {
  const bytes = Buffer.from(xmlDocument(`${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`, root, elements));
  response.writeHead(200, { 'content-type': 'application/xml', 'content-length': bytes.length }).end(bytes);
}

/** A whole number of the query between two limits, or the default when it is missing or not one. */
export function queryNumber({ query }: Exchange, name: string, fallback: number, max: number): number {
  const value = Number(query.get(name) ?? fallback);
  return Number.isInteger(value) && value >= 0 ? Math.min(value, max) : fallback;
}

const STATUS = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketNotEmpty: 409,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

/** A code of the S3 REST interface (Amazon S3 API Reference, "Error Responses"). */
type S3ErrorCode = keyof typeof STATUS;

/** A request that is answered with one of the interface's errors. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: S3ErrorCode;
  readonly status: number;

  constructor(code: S3ErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = STATUS[code];
  }

  toXml(requestId: string): string {
    return xmlDocument('Error', 'Error', [
      tag('Code', this.code),
      tag('Message', this.message),
      tag('RequestId', requestId),
    ]);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An element that holds text. */
export function tag(name: string, value: string | number | boolean): string {
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

/** An element that holds elements. */
export function group(name: string, ...elements: readonly string[]): string {
  return `<${name}>${elements.join('')}</${name}>`;
}

/** A whole answer. Errors alone carry no namespace. */
function xmlDocument(start: string, end: string, elements: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${start}>${elements.join('')}</${end}>`;
}

/**
 * The insides of every element `name` of a request body. S3's request bodies are flat lists without comments, CDATA or
 * nesting of equal names, so that this is all the reading they need.
 */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, inner]) => inner ?? '',
  );
}

/** The text of the first element `name`, or null. */
export function textOf(xml: string, name: string): string | null {
  const [inner] = elements(xml, name);
  return inner === undefined ? null : unescapeXml(inner.trim());
}

function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

function unescapeXml(value: string): string {
  return value.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return NAMED[name] ?? whole;
  });
}
