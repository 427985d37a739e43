import { rfcField } from '@acuse/contract';
import { autorOf, rfcData } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Dejar de mantener al día el RFC',
  description:
    'Retira el permiso, cancela y devuelve las lecturas en curso, y borra lo que se sabía de los CFDI y sus cambios. No se puede deshacer. Una llave de prueba no borra lo de una llave real. Los paquetes de las lecturas se conservan los días de siempre.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField }),
  data: z.object({ rfc: rfcData }).meta({ id: 'SincronizacionBorrada' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA'],

  async handle({ rfc }, { deps, access, ip, error }) {
    const { contribuyenteId, apiKey } = access;
    // A live key also deletes what a test key left behind, which its own subscription cannot go on with.
    const vista = await deps.sincronizaciones.find(contribuyenteId, apiKey.modo === 'test' ? 'test' : null);
    if (vista === null || !(await deps.sincronizaciones.remove(contribuyenteId, autorOf(access, ip))))
      throw error('SINCRONIZACION_NO_ENCONTRADA');
    return { rfc };
  },
});
