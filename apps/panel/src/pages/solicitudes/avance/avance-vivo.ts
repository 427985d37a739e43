import { defineRutaSolicitud } from '../ruta-solicitud.ts';
import { VERSION_FINAL } from './mensaje.ts';

/** The progress of one solicitud as server-sent events, until it ends. */
export const avanceVivo = defineRutaSolicitud({
  metodo: 'GET',
  sub: '/avance',
  handle({ c, deps, browser, noEncontrada }, solicitud) {
    const sesionId = browser.sesion?.id;
    if (sesionId === undefined) return noEncontrada();
    const visto = c.req.header('last-event-id') ?? null;
    // HTML standard, section 9.2.3: a browser that is answered 204 does not come back.
    if (visto === VERSION_FINAL && solicitud.terminadaEn !== null) return new Response(null, { status: 204 });
    const stream = deps.seguimiento.open({ solicitudId: solicitud.id, sesionId, visto });
    if (stream === null) return new Response(null, { status: 429, headers: { 'Retry-After': '30' } });
    return new Response(stream, {
      headers: {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        // Proxies that gather answers before they pass them on would hold the events back.
        'X-Accel-Buffering': 'no',
      },
    });
  },
});
