import { datosDeEvento, deRfc, type Eventos, instante, texto } from '@acuse/operation';
import { z } from 'zod';
import { contraparteCfdi, listadaFields } from './fields.ts';

export const EVENTOS: Eventos = {
  'proveedor.listado': {
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
