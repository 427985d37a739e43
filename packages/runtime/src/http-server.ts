import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** The open connections of each server, with the number of requests that each has running. */
const connections = new WeakMap<Server, Map<Socket, number>>();

/** Listens; resolves with the port. Port 0 lets the system choose. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  const running = new Map<Socket, number>();
  connections.set(server, running);
  server.on('connection', (socket: Socket) => {
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (running.get(socket) ?? 1) - 1;
      if (running.has(socket)) running.set(socket, left);
      if (left === 0 && !server.listening) socket.destroySoon();
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Stops taking connections, lets running requests end, then resolves. A connection is closed as soon as it has no
 * request: at once when it is idle, has never asked for anything (browsers open some ahead of time) or has not ended
 * its headers, and otherwise once the whole answer is with the operating system. The server must have been started with
 * {@link listen}.
 */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Not http.Server's own close: that cuts an answer whose last part is written but not yet sent.
    NetServer.prototype.close.call(server, (error) => (error ? reject(error) : resolve()));
    for (const [socket, requests] of connections.get(server) ?? []) if (requests === 0) socket.destroy();
  });
  // Nothing is left to close but the timer with which node watches the time of requests; until here it was needed.
  server.close();
}

/**
 * Where a server that listens on `host` and `port` is reached: an IPv6 address goes in brackets (RFC 3986 section
 * 3.2.2).
 */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
