import type { DetalleSolicitud, EventoSolicitud } from '@acuse/db';
import { Fecha } from '../../components/fecha.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { describeEvento, type Renglon } from './textos/eventos.ts';

/** Events of one page of the timeline. */
export const POR_LINEA = 60;

interface LineaProps {
  readonly solicitud: DetalleSolicitud;
  /** Newest first, one more than a page has when there are older ones. */
  readonly eventos: readonly EventoSolicitud[];
  /** Whether the newest are among them. */
  readonly isFirst: boolean;
}

interface Punto extends Renglon {
  readonly en: Date;
}

/** What happened to a solicitud, newest first, with what was charged and given back. */
export function Linea({ solicitud, eventos, isFirst }: LineaProps) {
  const shown = eventos.slice(0, POR_LINEA);
  const hasMore = eventos.length > POR_LINEA;
  const puntos: Punto[] = shown.map((evento) => ({ ...describeEvento(evento), en: evento.en }));
  if (isFirst && solicitud.reembolso)
    puntos.unshift({
      texto: `Se devolvió ${formatCreditos(solicitud.reembolso.creditos)} al saldo.`,
      tono: 'info',
      en: solicitud.reembolso.en,
    });
  if (!hasMore) puntos.push(acceptanceOf(solicitud));
  const oldest = shown.at(-1);
  return (
    <Tarjeta titulo="Lo que ha pasado" id="linea">
      {isFirst ? null : (
        <p>
          <a href={`/solicitudes/${solicitud.id}#linea`}>Ver lo más reciente</a>
        </p>
      )}
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
      {hasMore && oldest ? (
        <p>
          <a href={`/solicitudes/${solicitud.id}?eventos=${oldest.id}#linea`}>Ver lo anterior</a>
        </p>
      ) : null}
    </Tarjeta>
  );
}

function acceptanceOf({ cargo, creadaEn }: DetalleSolicitud): Punto {
  const texto =
    cargo === null
      ? 'Se aceptó la solicitud.'
      : `Se aceptó la solicitud y se cobró ${formatCreditos(cargo.creditos)}.`;
  return { texto, tono: 'neutro', en: creadaEn };
}
