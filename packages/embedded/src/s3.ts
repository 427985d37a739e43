import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@acuse/runtime';
import { authenticate, type Credentials } from './s3/authenticate.ts';
import { dispatch } from './s3/dispatch.ts';
import { incomingBody } from './s3/incoming-body.ts';
import { S3Error } from './s3/s3-error.ts';
import { queryPairs } from './s3/sigv4.ts';
import { openStore, type Store } from './s3/store.ts';

export interface S3Options extends Credentials {
  /** The folder that holds buckets and unfinished uploads; used again when there. */
  readonly dir: string;
  /** Listens here, on 127.0.0.1; 0, the default, lets the system choose. */
  readonly port?: number;
  /** Made at the start when missing. */
  readonly buckets: readonly string[];
  readonly log: Logger;
  /** The clock that signatures are compared with, ms since 1970. */
  readonly now?: () => number;
}

/** A running S3-compatible store of our own. */
export interface RunningS3 {
  /** For clients with `forcePathStyle`; any region will do. */
  readonly endpoint: string;
  readonly port: number;
  /** Lets the requests in course end, then closes. May be called again. */
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 5_000;

/**
 * Starts an S3-compatible store over a folder, for one machine: path-style addresses, every request signed with
 * Signature Version 4 in its headers or its query (an unsigned one is refused, whatever it asks), bodies streamed both
 * ways, objects that appear whole or not at all. Offered: buckets; get (ranges, conditions), head, put, copy, delete of
 * objects; ListObjects(V2); DeleteObjects; multipart uploads.
 */
export async function startS3(options: S3Options): Promise<RunningS3> {
  const { accessKeyId, secretAccessKey, log, now = Date.now } = options;
  const store = await openStore(options.dir);
  for (const bucket of options.buckets) await store.createBucket(bucket);
  const server = createServer((request, response) => {
    void answer(request, response, store, { accessKeyId, secretAccessKey }, log, now);
  });
  // A long upload is not a slow client.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
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
  credentials: Credentials,
  log: Logger,
  now: () => number,
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
    log.error({ err: error, method: request.method, requestId }, 's3 request failed');
  if (response.headersSent || wasCut) {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(request.method === 'HEAD' || known.status === 304 ? '' : known.toXml(requestId));
  // What is left of the body is not read, so the connection cannot be used again.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(known.status, { 'content-type': 'application/xml', 'content-length': bytes.length }).end(bytes);
}
