import { rfcField } from '@acuse/contract';
import { advertencias, advertenciasDe, itemsOf, rfcData, total } from '@acuse/operation';
import { z } from 'zod';
import { camposDeListas, camposDeRfc, listasOf, rfcOf, SIN_LISTA } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

/** RFCs of one call; with a separator each they are a quarter of what a body may have. */
const MAX_RFCS = 1_000;

const cuantos = { error: `debe tener de 1 a ${MAX_RFCS} RFC` };

export default defineOperation({
  summary: 'Listas EFOS y EDOS, hasta 1,000 RFC',
  description:
    'Lo mismo que efos/consultar de hasta 1,000 RFC en una llamada, por ejemplo de todos los proveedores. Contesta en el orden en que se preguntó, y de uno repetido cada vez. Todas las respuestas son de un mismo momento y de las mismas listas. Si algún RFC está mal escrito no se consulta ninguno: el error los nombra todos, con su lugar en la lista.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({
    rfcs: z
      .array(rfcField.meta({ example: 'EKU9003173C9' }), { error: 'debe ser una lista de RFC' })
      .min(1, cuantos)
      .max(MAX_RFCS, cuantos)
      .meta({ description: 'RFC por consultar, de 1 a 1,000.', example: ['EKU9003173C9', 'ACU200101DB1'] }),
  }),
  data: z.object({
    total: total.meta({ description: 'Cuántos RFC se consultaron.' }),
    items: itemsOf(
      z
        .object({ rfc: rfcData.meta({ example: 'EKU9003173C9' }), ...camposDeRfc, advertencias })
        .meta({ id: 'RfcEnListas', description: 'Lo que las listas dicen de un RFC.' }),
    ),
    ...camposDeListas,
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  async handle({ rfcs }, { deps, now, error }) {
    const respuesta = await deps.listas.consultar(rfcs);
    if (respuesta.fechaCorte === null) throw error('SAT_NO_DISPONIBLE', { motivo: SIN_LISTA });
    const items = respuesta.rfcs.flatMap((suyo, n) => {
      const rfc = rfcs[n];
      return rfc === undefined ? [] : [{ rfc, ...rfcOf(suyo), advertencias: advertenciasDe(rfc) }];
    });
    return { total: items.length, items, ...listasOf(respuesta, respuesta.fechaCorte, now) };
  },
});
