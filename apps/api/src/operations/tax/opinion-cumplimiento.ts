import { camino, instante, opinion, rfcData, soloRfc } from '@acuse/operation';
import { z } from 'zod';
import { consultar } from '../../consultas/consultar.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento, con CIEC',
  description:
    'Opinión de cumplimiento de obligaciones fiscales. Cuando no es positiva, motivo dice por qué. Se consulta con la CIEC guardada; si el SAT no contesta con ella, con la e.firma si está guardada.',
  credential: 'ciec',
  effect: 'asks',
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    opinion,
    fecha_consulta: instante('Cuándo se consultó al SAT.'),
    motivo: z.string().nullable().meta({ description: 'Detalle cuando no es positiva.', example: null }),
    saldo: z.number().meta({ description: 'Créditos restantes.', example: 99 }),
    ...camino,
  }),
  asks: ['consultar-opinion'],
  errors: ['SAT_NO_DISPONIBLE'],

  async handle({ rfc }, contexto) {
    const { respuesta, camino: por } = await consultar(contexto, { consulta: 'consultar-opinion', rfc });
    return {
      rfc,
      opinion: respuesta.sentido,
      fecha_consulta: contexto.deps.now().toISOString(),
      motivo: respuesta.motivo,
      saldo: contexto.saldo,
      ...por,
    };
  },
});
