import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Exchange, S3Error, sendEmpty, sendXml, tag } from './exchange.ts';
import { type ObjectMeta, openObject, writeObject } from './store.ts';

/** The headers that an object keeps, and that a query may override (`response-…`). */
const OWN_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];

/** GetObject and HeadObject. */
export async function getObject(exchange: Exchange): Promise<void> {
  const { request, response, query } = exchange;
  const object = await requireObject(exchange, exchange.bucket, exchange.key);
  try {
    const { size, etag, modifiedAt, headers } = object.meta;
    checkConditions(request.headers, object.meta);
    const range = parseRange(request.headers.range, size);
    const overrides = OWN_HEADERS.map((name) => [name, query.get(`response-${name}`)]).filter(([, value]) => value);
    response.writeHead(range ? 206 : 200, {
      'content-type': 'binary/octet-stream',
      ...headers,
      ...Object.fromEntries(overrides),
      'accept-ranges': 'bytes',
      etag,
      'last-modified': new Date(modifiedAt).toUTCString(),
      'content-length': range ? range.end - range.start + 1 : size,
      ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {}),
    });
    if (request.method === 'HEAD' || size === 0) response.end();
    else await pipeline(object.stream(range?.start ?? 0, range?.end ?? size - 1), response);
  } finally {
    await object.close();
  }
}

/** PutObject, and CopyObject when `x-amz-copy-source` names an object. */
export async function putObject(exchange: Exchange): Promise<void> {
  const { request, store, bucket, key, body } = exchange;
  if (request.headers['x-amz-copy-source'] !== undefined) return copyObject(exchange);
  await requireAbsentIfAsked(exchange);
  const known = { modifiedAt: exchange.now(), headers: keptHeaders(request.headers) };
  const meta = await writeObject(store.objectPath(bucket, key), store.scratch, body, known);
  sendEmpty(exchange, 200, { etag: meta.etag });
}

/** DeleteObject: 204 whether or not there was one. */
export async function deleteObject(exchange: Exchange): Promise<void> {
  await exchange.store.deleteObject(exchange.bucket, exchange.key);
  sendEmpty(exchange, 204);
}

async function copyObject(exchange: Exchange): Promise<void> {
  const { request, store, bucket, key } = exchange;
  const [, sourceBucket = '', sourceKey = ''] =
    /^\/?([^/]+)\/([^?]+)/.exec(decodeURIComponent(String(request.headers['x-amz-copy-source']))) ?? [];
  const source = await requireObject(exchange, sourceBucket, sourceKey);
  try {
    const replace = request.headers['x-amz-metadata-directive'] === 'REPLACE';
    const content = source.meta.size === 0 ? Readable.from([]) : source.stream(0, source.meta.size - 1);
    const headers = replace ? keptHeaders(request.headers) : source.meta.headers;
    const known = { modifiedAt: exchange.now(), headers };
    const { modifiedAt, etag } = await writeObject(store.objectPath(bucket, key), store.scratch, [content], known);
    const modified = tag('LastModified', new Date(modifiedAt).toISOString());
    sendXml(exchange, 'CopyObjectResult', modified, tag('ETag', etag));
  } finally {
    await source.close();
  }
}

/** `If-None-Match: *` on a write: only if there is no such object. */
export async function requireAbsentIfAsked({ request, store, bucket, key }: Exchange): Promise<void> {
  if (request.headers['if-none-match'] !== '*') return;
  const existing = await openObject(store.objectPath(bucket, key));
  await existing?.close();
  if (existing)
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
}

/** The headers of an upload that belong to the object. */
export function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (OWN_HEADERS.includes(name) || name.startsWith('x-amz-meta-'))) kept[name] = value;
  }
  const encodings = (kept['content-encoding'] ?? '').split(',').map((word) => word.trim());
  const own = encodings.filter((word) => word !== 'aws-chunked' && word !== '').join(', ');
  delete kept['content-encoding'];
  return own === '' ? kept : { ...kept, 'content-encoding': own };
}

async function requireObject({ store }: Exchange, bucket: string, key: string) {
  await store.requireBucket(bucket);
  const object = await openObject(store.objectPath(bucket, key));
  if (!object) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
  return object;
}

function checkConditions(headers: IncomingHttpHeaders, meta: ObjectMeta): void {
  const lists = (value: string | undefined) => (value ?? '').split(',').map((word) => word.trim());
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match !== undefined && match !== '*' && !lists(match).includes(meta.etag)) {
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
  if (noneMatch !== undefined && (noneMatch === '*' || lists(noneMatch).includes(meta.etag))) {
    throw new S3Error('NotModified', 'Not Modified');
  }
}

/** A part of an object, both ends included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header with one range (RFC 9110 section 14.1.2): `bytes=a-b`, `bytes=a-`, `bytes=-n`. Any other form is
 * ignored, as the RFC allows. @throws S3Error InvalidRange when it lies outside of the object.
 */
function parseRange(header: string | undefined, size: number): ByteRange | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (start > end) throw new S3Error('InvalidRange', 'The requested range is not satisfiable');
  return { start, end };
}
