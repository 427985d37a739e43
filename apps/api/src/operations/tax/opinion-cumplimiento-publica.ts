import { z } from 'zod';
import { publicOpinion } from '../../consultas/opinion-publica.ts';
import { advertencias, advertenciasDe, cualquierRfc, instante, opinion, rfcData } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento pública',
  description: 'Opinión de cumplimiento de cualquier RFC que autorizó hacerla pública. Sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'cualquiera',
  body: cualquierRfc,
  data: z.object({
    rfc: rfcData.meta({ example: 'EKU9003173C9' }),
    opinion,
    fecha_publicacion: instante('Cuándo se publicó.'),
    advertencias,
  }),
  errors: ['SAT_NO_DISPONIBLE', 'OPINION_NO_PUBLICADA'],

  async handle({ rfc }, contexto) {
    const { sentido, fechaPublicacion } = await publicOpinion(contexto, rfc);
    return {
      rfc,
      opinion: sentido,
      fecha_publicacion: fechaPublicacion.toISOString(),
      advertencias: advertenciasDe(rfc),
    };
  },
});
