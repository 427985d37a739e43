import { ESTADOS_SOLICITUD, solicitudIdField } from '@acuse/contract';
import { z } from 'zod';
import { texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

export default defineOperation({
  summary: 'Cancelar una solicitud de descarga en curso',
  description:
    'Termina una solicitud que aún no termina y devuelve su crédito. Cancelarla otra vez contesta lo mismo. Una que ya terminó no cambia: se contesta 409/3005.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({ solicitud_id: solicitudIdField }),
  data: z.object({
    solicitud_id: texto('Identificador de la solicitud.', '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f'),
    estado: z.enum(ESTADOS_SOLICITUD).meta({ description: 'Estado de la solicitud.', example: 'CANCELADA' }),
  }),
  errors: ['SOLICITUD_NO_ENCONTRADA', 'SOLICITUD_TERMINADA'],

  async handle({ solicitud_id }, { deps, pase, error }) {
    const cancelacion = await deps.solicitudes.cancel(pase.contribuyenteId, solicitud_id);
    if (cancelacion === null) throw error('SOLICITUD_NO_ENCONTRADA');
    if (cancelacion.resultado === 'TERMINADA') {
      throw error('SOLICITUD_TERMINADA', { motivo: `Terminó como ${cancelacion.estado}.` });
    }
    return { solicitud_id: solicitud_id.toLowerCase(), estado: cancelacion.resultado };
  },
});
