import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A request as it arrived. */
export interface PeticionRecibida {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Servidor {
  readonly url: string;
  readonly peticiones: PeticionRecibida[];
  close(): Promise<void>;
}

/** A real HTTP server on a free port that records what it gets and lets the test write the answer. */
export async function startServidor(
  answer: (peticion: PeticionRecibida, response: ServerResponse) => void | Promise<void>,
): Promise<Servidor> {
  const peticiones: PeticionRecibida[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const peticion = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    peticiones.push(peticion);
    await answer(peticion, response);
  });
  // Who asks closes what is idle: else a request may meet a connection that this server has just closed.
  server.keepAliveTimeout = 0;
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    peticiones,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on a free port of the loopback address and gives its number. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Resolves when a response takes more bytes, or will take no more. */
export async function drained(response: ServerResponse): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  done.abort();
}
