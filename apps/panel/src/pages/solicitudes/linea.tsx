import type { DetalleSolicitud, EventoSolicitud, HitoSolicitud } from '@acuse/db';
import { Fecha } from '../../components/fecha.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { describeEvento, type Renglon } from './textos/eventos.ts';
import { describeHito } from './textos/hitos.ts';

/** Events of one page of the whole list. */
export const POR_LINEA = 60;

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

/**
 * What happened to a solicitud in a few steps, newest first, with what was charged and given back; every single event
 * is folded under them.
 */
export function Linea({ solicitud, hitos, eventos, isFirst }: LineaProps) {
  const pasos: Punto[] = hitos.map((hito) => ({ ...describeHito(hito, solicitud.partes), en: hito.en }));
  if (solicitud.reembolso)
    pasos.unshift({
      texto: `Se devolvió ${formatCreditos(solicitud.reembolso.creditos)} al saldo.`,
      tono: 'info',
      en: solicitud.reembolso.en,
    });
  pasos.push(acceptanceOf(solicitud));
  return (
    <Tarjeta titulo="Lo que ha pasado" id="linea">
      <Puntos puntos={pasos} />
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
            <Fecha valor={en} />
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
