import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './faults.ts';

const MAINTENANCE = `<!DOCTYPE html><html lang="es"><head><title>Servicio no disponible</title></head>
<body><h1>Por el momento el servicio no se encuentra disponible</h1><p>Intente más tarde.</p></body></html>`;

/** What ASP.NET shows of an error that a page did not catch. */
const RUNTIME_ERROR = `<!DOCTYPE html>
<html><head><title>Runtime Error</title></head>
<body><h1>Server Error in '/' Application.</h1><h2><i>Runtime Error</i></h2></body></html>`;

/**
 * Answers a call that has a transport fault. `answer` makes the answer there would be without it.
 * Faults that only a service understands (`stuck`, `code`) and null leave that answer as it is.
 */
export async function respondWithFault(fault: Fault | null, answer: () => Promise<Response>): Promise<Response> {
  switch (fault?.kind) {
    case 'html200':
      return page(200);
    case 'empty200':
      return new Response('', { headers: { 'content-type': 'text/xml; charset=utf-8' } });
    case 'status':
      return page(fault.status ?? 503);
    case 'slow':
      // A wait of minutes must not keep the process from ending.
      await delay(fault.ms ?? 1000, undefined, { ref: false });
      return answer();
    case 'cut':
      return cut(await answer());
    case 'malformed':
      return truncated(await answer());
    case 'wrong-content':
      return new Response('<?xml version="1.0"?><catalogo><partida clave="1"/></catalogo>', {
        headers: { 'content-type': 'text/xml; charset=utf-8' },
      });
    default:
      return answer();
  }
}

function page(status: number): Response {
  return new Response(status === 500 ? RUNTIME_ERROR : MAINTENANCE, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
}

/** The first bytes of the body, then an error, at which the server destroys the socket. */
function cut(response: Response): Response {
  const reader = response.body?.getReader();
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = isFirst ? await reader?.read() : undefined;
      isFirst = false;
      if (chunk?.value) {
        controller.enqueue(chunk.value.subarray(0, Math.ceil(chunk.value.length / 2)));
      } else {
        await reader?.cancel();
        controller.error(new Error('connection cut by an injected fault'));
      }
    },
  });
  return new Response(body, { status: response.status, headers: withoutLength(response.headers) });
}

/** A body that ends too early though the transport says that it is whole. */
async function truncated(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  return new Response(bytes.slice(0, Math.floor(bytes.byteLength * 0.7)), {
    status: response.status,
    headers: withoutLength(response.headers),
  });
}

function withoutLength(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete('content-length');
  return copy;
}
