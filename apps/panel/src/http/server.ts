import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { PanelApp } from '../app.ts';

const LIMITS = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 };

/** An HTTP server for the panel that does not listen yet. */
export function createServerFor(app: () => PanelApp): Server {
  const listener = getRequestListener(
    (request, env) => app().fetch(request, { incoming: env.incoming as IncomingMessage }),
    {
      errorHandler: (error) =>
        new Response(error instanceof RequestError ? 'La petición no se entiende.' : 'No se pudo contestar.', {
          status: error instanceof RequestError ? 400 : 500,
          headers: {
            'Content-Type': 'text/plain; charset=utf-8',
            'Cache-Control': 'no-store',
            'X-Content-Type-Options': 'nosniff',
            'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
          },
        }),
    },
  );
  return createServer(LIMITS, (incoming: IncomingMessage, outgoing: ServerResponse) => {
    void listener(incoming, outgoing);
  });
}
