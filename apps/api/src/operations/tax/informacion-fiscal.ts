import { z } from 'zod';
import { rfcData, soloRfc, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Información fiscal detallada',
  description: 'Regímenes y obligaciones del contribuyente. La consulta se hace con la CIEC guardada.',
  credential: 'ciec',
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    regimenes: z.array(texto('Clave del régimen.', '601')),
    obligaciones: z.array(
      z.object({
        tipo: texto('Obligación.', 'Pago provisional mensual de ISR'),
        periodicidad: texto('Periodicidad.', 'Mensual'),
      }),
    ),
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
