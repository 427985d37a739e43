import { rfcField } from '@acuse/contract';
import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import { datosDeSincronizacion, needSincronizacion, sincronizacionData } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Seguir manteniendo al día el RFC',
  description:
    'Termina la pausa. Lo que tocaba mientras tanto se lee una vez, desde ahora. Sin costo por sí misma; cada lectura cuesta un crédito.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField }),
  data: sincronizacionData,
  errors: ['SINCRONIZACION_NO_ENCONTRADA', 'SINCRONIZACION_SIN_PERMISO'],

  async handle(_, { deps, access, ip, error }) {
    await needSincronizacion({ deps, access }, error);
    await deps.sincronizaciones.resume(access.contribuyenteId, autorOf(access, ip));
    const vista = await needSincronizacion({ deps, access }, error);
    if (vista.estado === 'PAUSADA') throw error('SINCRONIZACION_SIN_PERMISO');
    return datosDeSincronizacion(vista);
  },
});
