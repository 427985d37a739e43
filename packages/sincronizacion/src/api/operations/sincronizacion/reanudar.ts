import { rfcField } from '@acuse/contract';
import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import { datosDeSincronizacion, sincronizacionData } from '../../fields.ts';
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
    const { contribuyenteId, apiKey } = access;
    const found = () => deps.sincronizaciones.find(contribuyenteId, apiKey.modo);
    if ((await found()) === null) throw error('SINCRONIZACION_NO_ENCONTRADA');
    await deps.sincronizaciones.resume(contribuyenteId, autorOf(access, ip));
    const vista = await found();
    if (vista === null) throw error('SINCRONIZACION_NO_ENCONTRADA');
    if (vista.estado === 'PAUSADA') throw error('SINCRONIZACION_SIN_PERMISO');
    return datosDeSincronizacion(vista);
  },
});
