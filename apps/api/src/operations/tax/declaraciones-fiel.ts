import { ejercicioField, fechaField, rfcField } from '@acuse/contract';
import { z } from 'zod';
import { listOf, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

const declaracion = z.object({
  id: texto('Número de operación.', '4512367890'),
  tipo: texto('Tipo de declaración.', 'Normal'),
  periodicidad: texto('Periodicidad.', 'Mensual'),
  periodo: texto('Periodo declarado.', 'Enero'),
  ejercicio: ejercicioField,
  fecha: fechaField,
  complementaria: z.boolean().meta({ description: 'Si corrige a otra.', example: false }),
  estado: texto('Estado de la declaración.', 'PRESENTADA'),
});

export default defineOperation({
  summary: 'Declaraciones presentadas, con e.firma',
  description: 'Lista las declaraciones del ejercicio. La consulta se hace con la e.firma guardada.',
  credential: 'efirma',
  cost: 1,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, ejercicio: ejercicioField }),
  data: listOf(declaracion),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
