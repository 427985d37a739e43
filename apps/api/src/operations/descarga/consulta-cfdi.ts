import { ESTADOS_CFDI, rfcField, uuidField } from '@acuse/contract';
import { z } from 'zod';
import { importe } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Estado de un CFDI ante el SAT',
  description: 'Consulta un CFDI por emisor, receptor, UUID y total. Si el SAT no lo encuentra, no se cobra.',
  credential: 'api-key',
  cost: 1,
  rfc: 'ninguno',
  body: z.object({
    rfc_emisor: rfcField.meta({ description: 'RFC de quien emitió el CFDI.', example: 'ACU200101AB1' }),
    rfc_receptor: rfcField.meta({ description: 'RFC de quien lo recibió.', example: 'XIQB891116QE4' }),
    uuid: uuidField,
    total: z
      .number({ error: 'debe ser un número' })
      .min(0, { error: 'no puede ser negativo' })
      .meta({ description: 'Total del CFDI.', example: 1160.0 }),
  }),
  data: z.object({
    uuid: uuidField,
    estado: z.enum(ESTADOS_CFDI).meta({ description: 'Estado del CFDI.', example: 'VIGENTE' }),
    total: importe,
  }),
  errors: ['CFDI_NO_ENCONTRADO', 'SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
