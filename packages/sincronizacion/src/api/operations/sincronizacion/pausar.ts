import { rfcField } from '@acuse/contract';
import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import { datosDeSincronizacion, sincronizacionData } from '../../fields.ts';
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
    const { contribuyenteId, apiKey } = access;
    const found = () => deps.sincronizaciones.find(contribuyenteId, apiKey.modo);
    if ((await found()) === null) throw error('SINCRONIZACION_NO_ENCONTRADA');
    await deps.sincronizaciones.pause(contribuyenteId, autorOf(access, ip));
    const vista = await found();
    if (vista === null) throw error('SINCRONIZACION_NO_ENCONTRADA');
    return datosDeSincronizacion(vista);
  },
});
