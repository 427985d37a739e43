import { EVENTOS, EVENTOS_WEBHOOK, type EventoWebhook } from '@acuse/contract';

const nombreCasilla = (evento: EventoWebhook) => `evento.${evento}`;

/** An event to be ticked; `conNombre`: as programs call it too. */
export function CasillaEvento(props: {
  readonly evento: EventoWebhook;
  readonly isElegido: boolean;
  readonly conNombre?: boolean;
}) {
  const { evento, isElegido, conNombre } = props;
  return (
    <div class="campo casilla">
      <input type="checkbox" id={`casilla-${evento}`} name={nombreCasilla(evento)} value="si" checked={isElegido} />
      <label for={`casilla-${evento}`}>
        {conNombre ? <code>{evento}</code> : null} {EVENTOS[evento][0]}
      </label>
    </div>
  );
}

/** Events that are ticked in a form. */
export const elegidosOf = (campos: Readonly<Record<string, string>>) =>
  EVENTOS_WEBHOOK.filter((evento) => campos[nombreCasilla(evento)] !== undefined);
