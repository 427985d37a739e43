import { rfcField } from '@acuse/contract';
import { itemsOf, total } from '@acuse/operation';
import { z } from 'zod';
import { datosDeSincronizacion, sincronizacionData } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Cómo va lo que se mantiene al día',
  description:
    'La sincronización del RFC de la API key: sus ajustes, su permiso, cuándo leyó y cuándo le toca. Vacía si no se mantiene al día.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField }),
  data: z.object({ total, items: itemsOf(sincronizacionData) }).meta({ id: 'ListaSincronizaciones' }),
  errors: [],

  async handle(_, { deps, access }) {
    const vista = await deps.sincronizaciones.find(access.contribuyenteId, access.apiKey.modo);
    const items = vista === null ? [] : [datosDeSincronizacion(vista)];
    return { total: items.length, items };
  },
});
