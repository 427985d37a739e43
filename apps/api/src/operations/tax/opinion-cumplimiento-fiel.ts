import { OPINIONES } from '@acuse/contract';
import { z } from 'zod';
import { rfcData, soloRfc } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento, con e.firma',
  description: 'Opinión de cumplimiento con su PDF firmado. La consulta se hace con la e.firma guardada.',
  credential: 'efirma',
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    opinion: z.enum(OPINIONES).meta({ description: 'Opinión.', example: 'POSITIVO' }),
    pdf_firmado_url: z.url().meta({
      description: 'URL temporal del PDF firmado.',
      example: 'https://descargas.example/opiniones/01936f5e.pdf?X-Amz-Signature=…',
    }),
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
