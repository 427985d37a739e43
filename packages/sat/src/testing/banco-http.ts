import { createServer as createTcpServer, type Socket } from 'node:net';
import type { SatHttpSettings } from '../http/direcciones.ts';
import { createSatHttp, type SatHttp, type SatHttpRequest } from '../http/sat-http.ts';
import { listen, type Servidor, startServidor } from './servidor.ts';

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
): Promise<{ http: SatHttp; servidor: Servidor }> {
  const servidor = await startServidor(answer);
  const http = createSatHttp({ baseUrl: servidor.url, ...settings });
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
