import { EVENTOS_WEBHOOK, type EventoWebhook } from '@acuse/contract';

/** Meaning of each event. */
export const EVENTOS: Readonly<Record<EventoWebhook, string>> = {
  'solicitud.terminada': 'Una solicitud terminó y su paquete está listo',
  'solicitud.fallida': 'Una solicitud terminó sin paquete y su crédito se devolvió',
  'solicitud.espera_efirma': 'Una solicitud espera que se guarde otra vez la llave de la e.firma',
  'credencial.por_vencer': 'El certificado de una e.firma vence en 30 días, y otra vez a los 7',
  'credencial.rechazada': 'El SAT rechazó una CIEC o una e.firma guardada',
  'saldo.bajo': 'Quedan menos créditos que los de su aviso de saldo',
  'llave.por_rotar': 'Una API key cumple 90 días en una semana',
  'cfdi.cambios': 'Una lectura de un RFC que se mantiene al día encontró CFDI nuevos, cancelados o que cambiaron',
  'sincronizacion.pausada':
    'Un RFC dejó de mantenerse al día por sí solo: sin saldo, sin permiso o con la CIEC rechazada',
  'proveedor.listado':
    'Una contraparte de un RFC que se mantiene al día entró a una lista del SAT, cambió ahí de supuesto o salió',
};

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
        {conNombre ? <code>{evento}</code> : null} {EVENTOS[evento]}
      </label>
    </div>
  );
}

/** Events that are ticked in a form. */
export const elegidosOf = (campos: Readonly<Record<string, string>>) =>
  EVENTOS_WEBHOOK.filter((evento) => campos[nombreCasilla(evento)] !== undefined);
