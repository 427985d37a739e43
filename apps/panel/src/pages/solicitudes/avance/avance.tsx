import type { DetalleSolicitud } from '@acuse/db';
import { Tarjeta } from '../../../components/blocks.tsx';
import { solicitudRoutes } from '../solicitud.tsx';
import { textsOf, VERSION_FINAL } from './seguimiento.ts';

/** How far an open solicitud is. With scripts it follows by itself; without, the link shows it anew. */
export function Avance({ solicitud }: { readonly solicitud: DetalleSolicitud }) {
  const { id } = solicitud;
  const textos = textsOf(solicitud);
  return (
    <Tarjeta titulo="Avance" accion={<a href={`/solicitudes/${id}`}>Actualizar</a>}>
      <div class="pila" data-seguir={`/solicitudes/${id}/avance`} data-palabra={solicitud.estado}>
        <progress id="avance" max={100} value={textos.porcentaje} aria-labelledby="avance-texto">
          {textos.porcentaje} %
        </progress>
        <p id="avance-texto">
          <span class="cifra">
            <span data-dato="porcentaje">{textos.porcentaje}</span> %
          </span>
        </p>
        <strong data-dato="partes">{textos.partes}</strong>
        <p role="status" data-dato="linea">
          Puede cerrar esta página: la solicitud sigue sola.
        </p>
        <dl class="datos">
          <dt>Estado</dt>
          <dd data-dato="estado">{textos.estado}</dd>
          <dt>Consultas al SAT</dt>
          <dd data-dato="intentos">{textos.intentos}</dd>
          <dt>Última consulta</dt>
          <dd data-dato="ultima">{textos.ultima}</dd>
          <dt>Próxima consulta</dt>
          <dd data-dato="proxima">{textos.proxima}</dd>
          <dt>CFDI</dt>
          <dd data-dato="registros">{textos.registros}</dd>
        </dl>
        <p class="suave chica" data-conexion>
          El SAT puede tardar de minutos a días. Use “Actualizar” para ver el avance.
        </p>
      </div>
    </Tarjeta>
  );
}

export const progressPage = solicitudRoutes();

/** The progress of one solicitud as server-sent events, until it ends. */
progressPage.get('/avance', ({ c, deps, browser, noEncontrada }, solicitud) => {
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
});
