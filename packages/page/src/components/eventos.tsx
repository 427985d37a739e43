import { EVENTOS, EVENTOS_WEBHOOK, type EventoWebhook } from '@acuse/contract';
import { Campo } from './form.tsx';

const nombreCasilla = (evento: EventoWebhook) => `evento.${evento}`;

/** An event to be ticked; `conNombre`: as programs call it too. */
export function CasillaEvento(props: {
  readonly evento: EventoWebhook;
  readonly isElegido: boolean;
  readonly conNombre?: boolean;
}) {
  const { evento, isElegido, conNombre } = props;
  return (
    <Campo
      nombre={nombreCasilla(evento)}
      label={
        <>
          {conNombre ? <code>{evento}</code> : null} {EVENTOS[evento][0]}
        </>
      }
      tipo="checkbox"
      marcado={isElegido}
    />
  );
}

/** Events that are ticked in a form. */
export const elegidosOf = (campos: Readonly<Record<string, string>>) =>
  EVENTOS_WEBHOOK.filter((evento) => campos[nombreCasilla(evento)] !== undefined);
