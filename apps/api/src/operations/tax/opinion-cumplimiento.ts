import { OPINIONES } from '@acuse/contract';
import { z } from 'zod';
import { instante, rfcData, soloRfc } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento, con CIEC',
  description:
    'Opinión de cumplimiento de obligaciones fiscales. Cuando no es positiva, motivo dice por qué.',
  credential: 'ciec',
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    opinion: z.enum(OPINIONES).meta({ description: 'Opinión.', example: 'POSITIVO' }),
    fecha_consulta: instante('Cuándo se consultó al SAT.'),
    motivo: z.string().nullable().meta({ description: 'Detalle cuando no es positiva.', example: null }),
    saldo: z.number().meta({ description: 'Créditos restantes.', example: 99 }),
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
