import { rfcField } from '@acuse/contract';
import { z } from 'zod';
import { rfcData } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { autorOf } from '../../webhooks.ts';

export default defineOperation({
  summary: 'Dejar de mantener al día el RFC',
  description:
    'Retira el permiso, cancela y devuelve las lecturas en curso, y borra lo que se sabía de los CFDI y sus cambios. No se puede deshacer. Los paquetes de las lecturas se conservan los días de siempre.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField }),
  data: z.object({ rfc: rfcData }).meta({ id: 'SincronizacionBorrada' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA'],

  async handle({ rfc }, { deps, access, ip, error }) {
    const isGone = await deps.sincronizaciones.remove(access.contribuyenteId, autorOf(access, ip));
    if (!isGone) throw error('SINCRONIZACION_NO_ENCONTRADA');
    return { rfc };
  },
});
