import type { Credencial } from '../credencial.ts';
import type { Avance, ClaimedSolicitud, EstadoFinalSinPaquete, Parte } from '../ports/solicitudes.ts';
import type { AdvanceDeps } from './advance-solicitud.ts';
import type { ChannelChange } from './change-channel.ts';
import type { MotivoSolicitud } from './vocabulario.ts';

/** What one step leads to: progress and a wait, or the end of the solicitud. */
export type Paso =
  | {
      readonly avance: Avance;
      readonly inSeconds: number;
      /** No part is looked at sooner, whatever its own time: each would cost a log-in. */
      readonly isForAll?: boolean;
    }
  /** The SAT was not asked: nothing has changed, and the whole solicitud is looked at again later. */
  | { readonly isBusy: true; readonly inSeconds: number }
  | { readonly change: ChannelChange }
  | {
      readonly fin: {
        readonly estado: EstadoFinalSinPaquete;
        readonly motivo: MotivoSolicitud;
        readonly codigo?: string;
      };
      readonly isCredencialRechazada?: boolean;
    };

export interface ContextoPaso extends AdvanceDeps {
  readonly solicitud: ClaimedSolicitud;
  readonly parte: Parte;
  readonly credencial: Credencial;
  readonly signal: AbortSignal;
}

/** Times a part is asked anew after the SAT gave it up or let its packages lapse. */
const MAX_REENVIOS = 2;

/**
 * Asks for the part anew, as another request in the eyes of the SAT, or ends the solicitud when that was done often
 * enough.
 */
export function pedirDeNuevo(
  parte: Parte,
  fin: { estado: EstadoFinalSinPaquete; motivo: MotivoSolicitud; codigo: string; mensaje: string },
): Paso {
  const { mensaje, ...end } = fin;
  if (parte.reenvios >= MAX_REENVIOS) return { fin: end };
  return {
    avance: {
      consultado: true,
      partes: [
        {
          parteId: parte.id,
          estado: 'PENDIENTE',
          folio: null,
          paquetes: [],
          desfase: parte.desfase + 1,
          reenvios: parte.reenvios + 1,
          consultas: 0,
          fallos: 0,
          dueInSeconds: 0,
        },
      ],
      eventos: [{ tipo: 'REENVIADA', codigo: fin.codigo, detalle: mensaje }],
    },
    inSeconds: 0,
  };
}
