import { fechaField } from '@acuse/contract';
import { z } from 'zod';
import { instante, rfcData, soloRfc, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

const paso = z.object({
  situacion: texto('Situación en la lista.', 'Presunto'),
  fecha: fechaField,
});

export default defineOperation({
  summary: 'Listas EFOS y EDOS',
  description:
    'Si un RFC está en la lista del artículo 69-B del Código Fiscal de la Federación (EFOS) o en la de EDOS que importó el operador. Sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'cualquiera',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    en_efos: z.boolean().meta({ description: 'Presunto o definitivo en la lista.', example: false }),
    en_edos: z.boolean().meta({ description: 'En la lista EDOS importada.', example: false }),
    fecha_consulta: instante('Cuándo se consultó.'),
    situacion: z.string().nullable().meta({ description: 'Situación más reciente.', example: null }),
    historial: z.array(paso),
    edos_fuente: z
      .string()
      .nullable()
      .meta({ description: 'Lista EDOS que se consultó; null si no hay ninguna.', example: null }),
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
