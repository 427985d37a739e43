import { OPINIONES } from '@acuse/contract';
import { z } from 'zod';
import { instante, rfcData, soloRfc } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento pública',
  description: 'Opinión de cumplimiento de cualquier RFC que autorizó hacerla pública. Sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'cualquiera',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    opinion: z.enum(OPINIONES).meta({ description: 'Opinión.', example: 'POSITIVO' }),
    fecha_publicacion: instante('Cuándo se publicó.'),
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
