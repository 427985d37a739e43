import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { PanelApp } from '../app.ts';

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};
const SWEEP_EVERY_MS = 50;

/** Connections that have not asked for anything yet: browsers open some ahead of time, and node does not count them as idle. */
const unused = new WeakMap<Server, Set<Socket>>();

/** An HTTP server for the panel that does not listen yet. */
export function createServerFor(app: () => PanelApp): Server {
  const listener = getRequestListener(
    (request, env) => app().fetch(request, { incoming: env.incoming as IncomingMessage }),
    {
      errorHandler: (error) =>
        new Response(
          error instanceof RequestError ? 'La petición no se entiende.' : 'No se pudo contestar.',
          {
            status: error instanceof RequestError ? 400 : 500,
            headers: {
              'Content-Type': 'text/plain; charset=utf-8',
              'Cache-Control': 'no-store',
              'X-Content-Type-Options': 'nosniff',
              'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
            },
          },
        ),
    },
  );
  const waiting = new Set<Socket>();
  const server = createServer(LIMITS, (incoming: IncomingMessage, outgoing: ServerResponse) => {
    waiting.delete(incoming.socket);
    void listener(incoming, outgoing);
  });
  server.on('connection', (socket) => {
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
  });
  unused.set(server, waiting);
  return server;
}

/** Listens; resolves with the port. Port 0 lets the system choose. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Stops taking connections, lets running requests end, then resolves. A connection is closed as soon as it has no request. */
export function closeServer(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  return new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
    for (const socket of unused.get(server) ?? []) socket.destroy();
  }).finally(() => clearInterval(sweep));
}
