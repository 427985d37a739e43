import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CATALOGO, CfdiError, type DatosError, type NombreError, sobreDeError } from '@acuse/contract';
import { onTestFinished } from 'vitest';

/** A request that came to {@link serve}. */
export interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type Answer = (response: ServerResponse, asked: Asked) => void;

/** Service for one test: returns the given answers in order, then repeats the last one. */
export const serve = (...answers: Answer[]) => serveBy(createServer(), ...answers);

/** The same by a server that is made already, as one of TLS. */
export async function serveBy(server: Server, ...answers: Answer[]) {
  const asked: Asked[] = [];
  server.on('request', async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { url: request.url ?? '', headers: request.headers, body };
    asked.push(one);
    (answers[asked.length - 1] ?? answers.at(-1))?.(response, one);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export const okWith =
  (data: object): Answer =>
  (response) =>
    response.end(JSON.stringify({ cfdi_codigo: 1, cfdi_texto: 'OK', data }));
export const ok = okWith({ rfc: 'X' });
export const hangUp: Answer = (response) => response.destroy();
export const fail =
  (nombre: NombreError, reintentar_en?: number, datos: DatosError = {}): Answer =>
  (response) => {
    const wait = reintentar_en === undefined ? {} : { reintentar_en };
    const headers = reintentar_en === undefined ? {} : { 'retry-after': String(reintentar_en) };
    response.writeHead(CATALOGO[nombre].http, { ...headers, 'x-request-id': 'r-1' });
    response.end(JSON.stringify(sobreDeError(new CfdiError(nombre, { ...datos, ...wait }))));
  };
export const page =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { ...headers, 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  };
