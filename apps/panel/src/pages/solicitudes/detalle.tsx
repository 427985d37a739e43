import { type Explicacion, explain } from '@acuse/core';
import { createSolicitudes, type DetalleSolicitud, type EventoSolicitud, type HitoSolicitud } from '@acuse/db';
import { countCancelacion } from '@acuse/metrics';
import { hrefRfc, Permitido, puede } from '@acuse/page';
import { Aviso, CopyButton, Datos, Estado, Fecha, Tarjeta } from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import { count, formatCreditos } from '@acuse/page/formato';
import { FEATURES } from '../../features.ts';
import { Cifras } from './cifras.tsx';
import { DescargarZip, Paquete } from './paquete.tsx';
import { textsOf, VERSION_FINAL } from './seguimiento.ts';
import {
  CONTENIDO_NAMES,
  camino,
  describeFiltros,
  FORMAT_NAMES,
  Periodo,
  periodText,
  solicitudRoutes,
} from './solicitud.tsx';
import { describeEvento, describeMilestone, type Renglon } from './textos/eventos.ts';

export const solicitudPage = solicitudRoutes('solicitudes');

/** One solicitud: where it is, what it gave, what happened to it. */
solicitudPage.get('', async (contexto, solicitud) => {
  const { c, deps, usuario, pagina } = contexto;
  const antesDe = eventBefore(c.req.query('eventos'));
  const solicitudes = createSolicitudes(deps.database);
  const isReadable = solicitud.paqueteBorradoEn === null && puede(usuario.papel, 'ver', 'paquetes');
  const [hitos, eventos, contenido, secciones] = await Promise.all([
    solicitudes.milestones(usuario.cuentaId, solicitud.id),
    solicitudes.timeline(usuario.cuentaId, solicitud.id, { limit: POR_LINEA + 1, ...antesDe }),
    isReadable ? deps.leerPaquete(solicitud) : null,
    Promise.all(FEATURES.map(({ solicitud: show }) => show?.(contexto, solicitud))),
  ]);
  const isOpen = solicitud.terminadaEn === null;
  return pagina(
    `${solicitud.rfc}: ${solicitud.tipo} ${periodText(solicitud)}`,
    <>
      <Motivo solicitud={solicitud} />
      {isOpen ? <Avance solicitud={solicitud} /> : null}
      <Permitido ver="paquetes">
        <Cifras solicitud={solicitud} contenido={contenido} />
        {secciones}
        {solicitud.estado === 'TERMINADA' ? <Paquete solicitud={solicitud} /> : null}
      </Permitido>
      <Facts solicitud={solicitud} />
      <Linea solicitud={solicitud} hitos={hitos} eventos={eventos} isFirst={!('antesDe' in antesDe)} />
    </>,
    {
      h1: (
        <>
          {solicitud.rfc}: CFDI {solicitud.tipo} <Periodo {...solicitud} />
        </>
      ),
      camino: camino(),
      accion: (
        <div class="fila">
          <span data-estado>
            <Estado value={solicitud.estado} />
          </span>
          <Permitido cambiar="paquetes">
            {solicitud.estado === 'TERMINADA' ? <DescargarZip solicitud={solicitud} /> : null}
          </Permitido>
        </div>
      ),
      scripts: isOpen ? ['solicitud.js'] : [],
    },
  );
});

/** Events have numbers; anything else begins at the newest. */
function eventBefore(text: string | undefined): { antesDe?: number } {
  const number = Number(text);
  return text !== undefined && Number.isSafeInteger(number) && number > 0 ? { antesDe: number } : {};
}

interface SolicitudProps {
  readonly solicitud: DetalleSolicitud;
}

/** Why it ended without a package or waits, and what to do. */
function Motivo({ solicitud }: SolicitudProps) {
  const { motivo, estado, reembolso } = solicitud;
  if (motivo === null) return null;
  const explicacion = explain(motivo);
  const isWaiting = estado === 'ESPERA_EFIRMA';
  return (
    <Aviso tono={isWaiting ? 'alerta' : 'error'} titulo={explicacion.causa}>
      <div class="pila">
        <p>{explicacion.remedio}</p>
        {reembolso ? <p>Se devolvió {formatCreditos(reembolso.creditos)} a su saldo.</p> : null}
        <Remedio solicitud={solicitud} accion={explicacion.accion} />
      </div>
    </Aviso>
  );
}

function Remedio({ solicitud, accion }: SolicitudProps & { readonly accion: Explicacion['accion'] }) {
  if (accion === undefined) return null;
  const [href, texto] = {
    credenciales: [hrefRfc(solicitud.rfc), 'Ver las credenciales del RFC'] as const,
    llaves: [hrefRfc(solicitud.rfc), 'Ver las API keys del RFC'] as const,
    repetir: [`/solicitudes/nueva?como=${solicitud.id}`, 'Pedir otra vez'] as const,
  }[accion];
  const link = (
    <p>
      <a href={href}>{texto}</a>
    </p>
  );
  return accion === 'repetir' ? <Permitido cambiar="solicitudes">{link}</Permitido> : link;
}

function Facts({ solicitud }: SolicitudProps) {
  const { id, modo, rfc, formato, filtros, canal, cargo, reembolso, creadaEn, terminadaEn, plazoEn, intentos } =
    solicitud;
  const contenido = `${CONTENIDO_NAMES[solicitud.contenido]}${solicitud.tablas ? ', con tablas' : ''}`;
  return (
    <Tarjeta
      titulo="Datos"
      accion={
        <Permitido cambiar="solicitudes">
          {terminadaEn === null ? (
            <Boton variante="secundario" href={`/solicitudes/${id}/cancelar`}>
              Cancelar la solicitud
            </Boton>
          ) : (
            <Boton variante="secundario" href={`/solicitudes/nueva?como=${id}`}>
              Pedir otra vez
            </Boton>
          )}
        </Permitido>
      }
    >
      <Datos
        filas={[
          ['Identificador', <CopyButton value={id} label="Identificador de la solicitud" />],
          [
            'RFC',
            <a class="fija" href={hrefRfc(rfc)}>
              {rfc}
            </a>,
          ],
          ['Contenido', contenido],
          ['Formato', FORMAT_NAMES[formato]],
          filtros === null ? null : ['Filtros', describeFiltros(filtros)],
          ['Medio', canal === 'soap' ? 'Web service del SAT, con la e.firma' : 'Portal del SAT, con la CIEC'],
          ['Pedida', <Fecha value={creadaEn} />],
          [terminadaEn === null ? 'Plazo' : 'Terminó', <Fecha value={terminadaEn ?? plazoEn} />],
          terminadaEn === null ? null : ['Consultas al SAT', intentos, 'numero'],
          [
            'Cargo',
            cargo !== null ? formatCreditos(cargo.creditos) : modo === 'test' ? 'Sin cargo: de pruebas' : 'Sin cargo',
          ],
          [
            'Devolución',
            reembolso === null ? (
              'Ninguna'
            ) : (
              <>
                {formatCreditos(reembolso.creditos)}, <Fecha value={reembolso.en} />
              </>
            ),
          ],
        ]}
      />
    </Tarjeta>
  );
}

/** Events of one page of the whole list. */
const POR_LINEA = 60;

interface LineaProps {
  readonly solicitud: DetalleSolicitud;
  /** Events of one kind together, the kind that happened last first. */
  readonly hitos: readonly HitoSolicitud[];
  /** Newest first, one more than a page has when there are older ones. */
  readonly eventos: readonly EventoSolicitud[];
  /** Whether the newest are among them. */
  readonly isFirst: boolean;
}

interface Punto extends Renglon {
  readonly en: Date;
}

/** What happened in a few steps, newest first, with charge and refund; every single event is folded under them. */
function Linea({ solicitud, hitos, eventos, isFirst }: LineaProps) {
  const pasos: Punto[] = hitos.map((hito) => ({ ...describeMilestone(hito, solicitud.partes), en: hito.en }));
  if (solicitud.reembolso)
    pasos.unshift({
      texto: `Se devolvió ${formatCreditos(solicitud.reembolso.creditos)} al saldo.`,
      tono: 'info',
      en: solicitud.reembolso.en,
    });
  pasos.push(acceptanceOf(solicitud));
  const puntos = <Puntos puntos={pasos} />;
  return (
    <Tarjeta titulo="Lo que ha pasado" id="linea">
      {solicitud.terminadaEn === null ? (
        puntos
      ) : (
        <details>
          <summary>{count(pasos.length, 'paso', 'pasos')}</summary>
          {puntos}
        </details>
      )}
      {eventos.length === 0 ? null : (
        <details open={!isFirst}>
          <summary>Ver cada evento</summary>
          <Eventos id={solicitud.id} eventos={eventos} isFirst={isFirst} />
        </details>
      )}
    </Tarjeta>
  );
}

function Puntos({ puntos }: { readonly puntos: readonly Punto[] }) {
  return (
    <ol class="linea">
      {puntos.map(({ texto, detalle, tono, en }) => (
        <li class={tono}>
          <div>{texto}</div>
          {detalle === undefined ? null : <div class="suave chica">{detalle}</div>}
          <div class="suave chica">
            <Fecha value={en} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function Eventos({ id, eventos, isFirst }: { readonly id: string } & Pick<LineaProps, 'eventos' | 'isFirst'>) {
  const shown = eventos.slice(0, POR_LINEA);
  const oldest = eventos.length > POR_LINEA ? shown.at(-1) : undefined;
  return (
    <div class="pila">
      {isFirst ? null : (
        <p>
          <a href={`/solicitudes/${id}#linea`}>Ver lo más reciente</a>
        </p>
      )}
      <Puntos puntos={shown.map((evento) => ({ ...describeEvento(evento), en: evento.en }))} />
      {oldest ? (
        <p>
          <a href={`/solicitudes/${id}?eventos=${oldest.id}#linea`}>Ver lo anterior</a>
        </p>
      ) : null}
    </div>
  );
}

function acceptanceOf({ cargo, creadaEn }: DetalleSolicitud): Punto {
  const texto =
    cargo === null ? 'Se aceptó la solicitud.' : `Se aceptó la solicitud y se cobró ${formatCreditos(cargo.creditos)}.`;
  return { texto, tono: 'neutro', en: creadaEn };
}

/** Asks whether an open solicitud shall end now. */
solicitudPage.get(
  '/cancelar',
  async ({ pagina, redirectTo }, solicitud) => {
    const { id, tipo, cargo, terminadaEn } = solicitud;
    if (terminadaEn !== null) return redirectTo(`/solicitudes/${id}`);
    return pagina(
      'Cancelar la solicitud',
      <>
        <Aviso tono="alerta" titulo="Lo que ya se copió del SAT se pierde">
          <p>
            La solicitud termina ahora, sin ZIP.
            {cargo === null ? '' : ` Se devuelve ${formatCreditos(cargo.creditos)} a su saldo.`}
          </p>
        </Aviso>
        <div class="fila">
          <Formulario accion={`/solicitudes/${id}/cancelar`} enLinea>
            <Boton variante="peligro">Cancelar la solicitud</Boton>
          </Formulario>
          <Boton variante="secundario" href={`/solicitudes/${id}`}>
            Dejarla seguir
          </Boton>
        </div>
      </>,
      {
        h1: (
          <>
            Cancelar los CFDI {tipo} <Periodo {...solicitud} />
          </>
        ),
      },
    );
  },
  { cambia: true },
);

/** Ends an open solicitud with its refund. One that has ended meanwhile stays as it is, and its page says so. */
solicitudPage.post('/cancelar', async (contexto, { id, contribuyenteId, terminadaEn }) => {
  const { database, metrics } = contexto.deps;
  if (terminadaEn === null)
    countCancelacion(metrics, await createSolicitudes(database).cancel(contribuyenteId, id, { autor: contexto.autor }));
  return contexto.redirectTo(`/solicitudes/${id}`);
});

/** Progress of an open solicitud. Scripts refresh it; without them a link does. */
function Avance({ solicitud }: SolicitudProps) {
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
          {solicitud.contenido === 'xml' ? (
            <>
              <dt>XML copiados del SAT</dt>
              <dd data-dato="xml">{textos.xml}</dd>
              <dt>CFDI todavía sin XML</dt>
              <dd data-dato="faltan">{textos.faltan}</dd>
              <dt>Fin previsto de los XML</dt>
              <dd data-dato="completo">{textos.completo}</dd>
            </>
          ) : null}
        </dl>
        <p class="suave chica" data-conexion>
          El SAT puede tardar de minutos a días. Use “Actualizar” para ver el avance.
        </p>
      </div>
    </Tarjeta>
  );
}

/** The progress of one solicitud as server-sent events, until it ends. */
solicitudPage.get('/avance', ({ c, deps, browser, noEncontrada }, solicitud) => {
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
