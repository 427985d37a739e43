import { datosDeSolicitud } from '@acuse/core';
import { solicitudData, soloSolicitud } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Avance de una solicitud de descarga',
  description: 'Estado, avance y próxima consulta al SAT. Puede llamarse tantas veces como se quiera, sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: soloSolicitud,
  data: solicitudData,
  errors: ['SOLICITUD_NO_ENCONTRADA'],

  async handle({ solicitud_id }, { deps, access, now, error }) {
    const solicitud = await deps.solicitudes.find(access.contribuyenteId, solicitud_id, access.apiKey.modo);
    if (solicitud === null) throw error('SOLICITUD_NO_ENCONTRADA');
    return datosDeSolicitud(solicitud, now);
  },
});
