import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { SatHttpSettings } from '../http/direcciones.ts';
import { createSatHttp, type SatHttp, type SatHttpDeps, type SatHttpRequest } from '../http/sat-http.ts';

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
  // The client closes idle connections: otherwise a request may meet a connection that this server has just closed.
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

const host = 'cfdiau.sat.gob.mx';
const cleanups: (() => Promise<unknown> | unknown)[] = [];
/** Closes everything that was started since the last call. */
export async function closeAll(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** Leaves something to be closed. */
export function closeLater(cleanup: () => Promise<unknown> | unknown): void {
  cleanups.push(cleanup);
}

/** The HTTP layer in front of a scripted server. */
export async function start(
  answer: Parameters<typeof startServidor>[0],
  settings: SatHttpSettings = {},
  deps: SatHttpDeps = {},
): Promise<{ http: SatHttp; servidor: Servidor }> {
  const servidor = await startServidor(answer);
  const http = createSatHttp({ baseUrl: servidor.url, ...settings }, deps);
  cleanups.push(servidor.close, http.close);
  return { http, servidor };
}

/** A server that speaks bytes instead of HTTP. */
export async function startBytes(
  onConnection: (socket: Socket) => void,
  settings: SatHttpSettings = {},
): Promise<SatHttp> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => onConnection(socket));
  });
  const http = createSatHttp({ baseUrl: `http://127.0.0.1:${await listen(server)}`, ...settings });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  }, http.close);
  return http;
}

/** A buffered request to the host of these tests. */
export const get = (extra: Partial<SatHttpRequest> = {}): SatHttpRequest<'text'> => ({
  host,
  path: '/nidp/app?x=1',
  method: 'GET',
  signal: new AbortController().signal,
  ...extra,
  expect: 'text',
});
export const stream = (extra: Partial<SatHttpRequest> = {}): SatHttpRequest<'stream'> => ({
  ...get(extra),
  expect: 'stream',
});
