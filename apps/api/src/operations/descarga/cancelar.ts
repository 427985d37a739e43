import { estadoSolicitud, solicitudIdData, soloSolicitud } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Cancelar una solicitud de descarga en curso',
  description:
    'Termina una solicitud que aún no termina y devuelve su crédito. Cancelarla otra vez contesta lo mismo. Una que ya terminó no cambia: se contesta 409/3005.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'ninguno',
  body: soloSolicitud,
  data: z.object({ solicitud_id: solicitudIdData, estado: estadoSolicitud.meta({ example: 'CANCELADA' }) }),
  errors: ['SOLICITUD_NO_ENCONTRADA', 'SOLICITUD_TERMINADA'],

  async handle({ solicitud_id }, { deps, access, error }) {
    const cancelacion = await deps.solicitudes.cancel(access.contribuyenteId, solicitud_id, {
      modo: access.apiKey.modo,
    });
    if (cancelacion === null) throw error('SOLICITUD_NO_ENCONTRADA');
    if (cancelacion.resultado === 'TERMINADA') {
      throw error('SOLICITUD_TERMINADA', { motivo: `Terminó como ${cancelacion.estado}.` });
    }
    return { solicitud_id: solicitud_id.toLowerCase(), estado: cancelacion.resultado };
  },
});
