import { rfcField } from '@acuse/contract';
import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import { datosDeSincronizacion, needSincronizacion, sincronizacionData } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Poner en pausa lo que se mantiene al día',
  description:
    'No se pide nada más hasta sincronizacion/reanudar. Lo que el SAT ya prepara se guarda cuando llega; lo leído y sus cambios se conservan.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField }),
  data: sincronizacionData,
  errors: ['SINCRONIZACION_NO_ENCONTRADA'],

  async handle(_, { deps, access, ip, error }) {
    await needSincronizacion({ deps, access }, error);
    await deps.sincronizaciones.pause(access.contribuyenteId, autorOf(access, ip));
    return datosDeSincronizacion(await needSincronizacion({ deps, access }, error));
  },
});
