import { datosDeEvento, deRfc, type Eventos, instante, texto } from '@acuse/operation';
import { z } from 'zod';
import { contraparteCfdi, listadaFields } from './fields.ts';

export const EVENTOS: Eventos = {
  'proveedor.listado': {
    cuando:
      'Una contraparte de un RFC que se mantiene al día entró a una lista del SAT, cambió ahí de supuesto o salió.',
    datos: datosDeEvento('DatosProveedorListado', {
      ...deRfc,
      cambio: z
        .enum(['entra', 'cambia', 'sale'])
        .meta({ id: 'CambioEnLista', description: 'Qué hizo en la lista.', example: 'entra' }),
      ...listadaFields,
      supuesto_anterior: texto('El que tenía; null si acaba de entrar.', 'Presunto').nullable().meta({ example: null }),
      notado_en: instante('Cuándo se notó.'),
      cfdi: contraparteCfdi,
    }),
  },
};
