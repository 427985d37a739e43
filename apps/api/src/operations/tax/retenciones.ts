import { ESTADOS_CFDI, ejercicioField, fechaField, rfcField } from '@acuse/contract';
import { z } from 'zod';
import { importe, listOf, rfcData, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

const retencion = z.object({
  uuid: texto('UUID del CFDI de retenciones.', '7A1B2C3D-4E5F-4061-8273-94A5B6C7D8E9'),
  emisor_rfc: rfcData,
  receptor_rfc: rfcData,
  total: importe,
  fecha: fechaField,
  estado: z.enum(ESTADOS_CFDI).meta({ description: 'Estado del CFDI.', example: 'VIGENTE' }),
});

export default defineOperation({
  summary: 'Retenciones registradas',
  description: 'Lista los CFDI de retenciones del ejercicio. La consulta se hace con la CIEC guardada.',
  credential: 'ciec',
  cost: 1,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, ejercicio: ejercicioField }),
  data: listOf(retencion),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
