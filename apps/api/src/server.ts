import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CfdiError } from '@acuse/contract';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Api } from './app.ts';
import { asCfdiError, contestacionDeError, toResponse } from './http/answer.ts';

/** Limits against clients that are slow, or that send what no client sends. */
export interface ServerLimits {
  readonly headersTimeoutMs: number;
  /** The whole request, body included. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16_384,
  maxConnections: 10_000,
};

const CHECK_EVERY_MS = 1_000;

/** An HTTP server for the API that does not listen yet. What is no HTTP gets the envelope too (400/9400). */
export function createServerFor(
  { app }: Pick<Api, 'app'>,
  limits: ServerLimits,
  newId: () => string,
): Server {
  const listener = getRequestListener(
    (request, env) => app.fetch(request, { incoming: env.incoming as IncomingMessage }),
    {
      errorHandler: (error) => {
        const isTheirs = error instanceof RequestError;
        const refusal = isTheirs ? new CfdiError('PETICION_ILEGIBLE') : asCfdiError(error);
        return toResponse(contestacionDeError(refusal), newId());
      },
    },
  );
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
    (incoming: IncomingMessage, outgoing: ServerResponse) => void listener(incoming, outgoing),
  );
  server.maxConnections = limits.maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseRaw(error, socket, newId()));
  return server;
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
