import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@acuse/runtime';
import {
  createBucket,
  deleteBucket,
  deleteObjects,
  getLocation,
  headBucket,
  listBuckets,
  listObjects,
} from './s3/bucket-routes.ts';
import { type Exchange, S3Error } from './s3/exchange.ts';
import { incomingBody } from './s3/incoming-body.ts';
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  listUploads,
  uploadPart,
} from './s3/multipart-routes.ts';
import { deleteObject, getObject, putObject } from './s3/object-routes.ts';
import { authenticate, type Credentials, queryPairs } from './s3/sigv4.ts';
import { openStore, type Store } from './s3/store.ts';

interface S3Options extends Credentials {
  /** The folder that holds buckets and unfinished uploads; used again when there. */
  readonly dir: string;
  /** Listens here; 0, the default, lets the system choose. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Made at the start when missing. */
  readonly buckets: readonly string[];
  readonly log: Logger;
  /** The clock that signatures are compared with, ms since 1970. */
  readonly now?: () => number;
}

/** A running S3-compatible store of our own. */
export type RunningS3 = Awaited<ReturnType<typeof startS3>>;

const STOP_GRACE_MS = 5_000;

/**
 * Starts an S3-compatible store over a folder, for one machine: path-style addresses, every request signed with
 * Signature Version 4 in its headers or its query (an unsigned one is refused, whatever it asks), bodies streamed both
 * ways, objects that appear whole or not at all. Offered: buckets; get (ranges, conditions), head, put, copy, delete of
 * objects; ListObjects(V2); DeleteObjects; multipart uploads.
 */
export async function startS3(options: S3Options) {
  const { now = Date.now } = options;
  const store = await openStore(options.dir);
  for (const bucket of options.buckets) await store.createBucket(bucket);
  const server = createServer((request, response) => {
    void answer(request, response, store, { ...options, now });
  });
  // A long upload is not a slow client.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  return {
    /** For clients with `forcePathStyle`; any region will do. */
    endpoint: `http://127.0.0.1:${port}`,
    port,
    /** Lets the requests in course end, then closes. May be called again. */
    stop: () => {
      stopping ??= new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
      });
      return stopping;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  store: Store,
  { log, now, ...credentials }: Credentials & { readonly log: Logger; readonly now: () => number },
): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase();
  response.setHeader('x-amz-request-id', requestId);
  try {
    const { method = 'GET', url = '/', headers } = request;
    const payloadHash = authenticate({ method, url, headers }, credentials, now());
    const [bucket = '', ...key] = (url.split('?', 1)[0] ?? '').slice(1).split('/').map(decodeURIComponent);
    const query = new Map(queryPairs(url));
    const body = incomingBody(request, payloadHash);
    await dispatch({ request, response, store, bucket, key: key.join('/'), query, body, now });
  } catch (error) {
    refuse(request, response, error, requestId, log);
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  requestId: string,
  log: Logger,
): void {
  const known = error instanceof S3Error ? error : new S3Error('InternalError', 'We encountered an internal error.');
  const wasCut = request.destroyed && !request.complete;
  if (known !== error && !wasCut && !response.destroyed)
    log.error({ err: error, method: request.method, requestId }, 's3_request_failed');
  if (response.headersSent || wasCut) {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(request.method === 'HEAD' || known.status === 304 ? '' : known.toXml(requestId));
  // The rest of the body is not read, so the connection cannot be reused.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(known.status, { 'content-type': 'application/xml', 'content-length': bytes.length }).end(bytes);
}

type Route = (exchange: Exchange) => Promise<void>;

/**
 * Queries that choose another operation on the same address; those that are not offered say so instead of doing
 * something else.
 */
const SUBRESOURCES = new Set(
  'accelerate acl analytics attributes cors delete encryption inventory legal-hold lifecycle location logging metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock replication requestPayment restore retention select tagging torrent uploadId uploads versioning versions website'.split(
    ' ',
  ),
);

const SERVICE: Readonly<Record<string, Route>> = { GET: listBuckets };

const BUCKET: Readonly<Record<string, Route>> = {
  GET: listObjects,
  'GET uploads': listUploads,
  'GET location': getLocation,
  HEAD: headBucket,
  'POST delete': deleteObjects,
  DELETE: deleteBucket,
};

const OBJECT: Readonly<Record<string, Route>> = {
  GET: getObject,
  HEAD: getObject,
  PUT: putObject,
  DELETE: deleteObject,
  'GET uploadId': listParts,
  'PUT uploadId': uploadPart,
  'POST uploads': createUpload,
  'POST uploadId': completeUpload,
  'DELETE uploadId': abortUpload,
};

/** Finds the operation of a request and runs it. @throws S3Error */
async function dispatch(exchange: Exchange): Promise<void> {
  const { request, bucket, key, store } = exchange;
  const subresource = [...exchange.query.keys()].find((name) => SUBRESOURCES.has(name));
  const name = [request.method, ...(subresource === undefined ? [] : [subresource])].join(' ');
  if (bucket !== '' && key === '' && name === 'PUT') return createBucket(exchange);
  const route = (bucket === '' ? SERVICE : key === '' ? BUCKET : OBJECT)[name];
  if (!route && subresource !== undefined) throw new S3Error('NotImplemented', `${name} is not offered.`);
  if (!route) throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
  if (bucket !== '') await store.requireBucket(bucket);
  await route(exchange);
}
