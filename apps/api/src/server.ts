import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CfdiError } from '@acuse/contract';
import type { ApiConfig } from '@acuse/settings/api';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Api } from './app.ts';
import { asCfdiError, contestacionDeError, toResponse } from './http/llamada.ts';

/** Limits against clients that are slow, or that send what no client sends. */
type Limits = Pick<
  ApiConfig,
  'HEADERS_TIMEOUT_MS' | 'REQUEST_TIMEOUT_MS' | 'KEEP_ALIVE_TIMEOUT_MS' | 'MAX_HEADER_BYTES' | 'MAX_CONNECTIONS'
>;

const CHECK_EVERY_MS = 1_000;

/** An HTTP server for the API that does not listen yet. Input that is not HTTP gets the envelope too (400/9400). */
export function createServerFor({ app }: Pick<Api, 'app'>, limits: Limits, newId: () => string): Server {
  const listener = getRequestListener(
    async (request, env) => {
      const incoming = env.incoming as IncomingMessage;
      const response = await app.fetch(request, { incoming });
      if (!incoming.complete) discardRest(incoming, response);
      return response;
    },
    {
      // Its own reads on for 64 MiB.
      autoCleanupIncoming: false,
      errorHandler: (error) => {
        const isTheirs = error instanceof RequestError;
        const refusal = isTheirs ? new CfdiError('PETICION_ILEGIBLE') : asCfdiError(error);
        return toResponse(contestacionDeError(refusal), newId());
      },
    },
  );
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void listener(incoming, outgoing);
  const server = createServer(
    {
      headersTimeout: limits.HEADERS_TIMEOUT_MS,
      requestTimeout: limits.REQUEST_TIMEOUT_MS,
      keepAliveTimeout: limits.KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: limits.MAX_HEADER_BYTES,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      // Node's own refusal has no envelope.
      requireHostHeader: false,
    },
    answer,
  );
  server.on('checkExpectation', answer);
  server.maxConnections = limits.MAX_CONNECTIONS;
  // A client may close its half once it has sent its request (RFC 9112, 9.6): Node would drop the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseRaw(error, socket, newId()));
  return server;
}

/** Bytes read of an unwanted body, so that a client that is still sending it gets to see its answer. */
const LINGER_BYTES = 256 * 1_024;
const LINGER_MS = 2_000;

/**
 * Deals with a body that was not read to its end when the answer was ready. A small one is read and thrown away, and
 * the connection kept; any other ends the connection: the answer, then our half, and what still comes is thrown away
 * within bounds, since a socket that is closed over unread bytes is reset and its answer lost (RFC 9112, 9.6).
 */
function discardRest(incoming: IncomingMessage, response: Response): void {
  const { socket } = incoming;
  let left = LINGER_BYTES;
  incoming.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  incoming.resume();
  if (Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= LINGER_BYTES) return;
  response.headers.set('Connection', 'close');
  // Node calls it when the last answer of a connection is written.
  socket.destroySoon = () => {
    socket.end();
    incoming.once('end', () => socket.destroy());
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function refuseRaw(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { cuerpo } = contestacionDeError(new CfdiError('PETICION_ILEGIBLE'));
  socket.end(
    [
      `HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(cuerpo)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      cuerpo,
    ].join('\r\n'),
  );
}
