import { advertencias, advertenciasDe, cualquierRfc, rfcData } from '@acuse/operation';
import { z } from 'zod';
import { camposDeListas, camposDeRfc, listasOf, rfcOf, SIN_LISTA } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Listas EFOS y EDOS',
  description:
    'Si un RFC está en la lista del artículo 69-B del Código Fiscal de la Federación (EFOS) o en la de EDOS que importó el operador, y en qué otras listas del SAT está (69, 69-B Bis, CSD sin efectos). Un RFC con varios procedimientos está en EFOS si en alguno es presunto o definitivo.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'cualquiera',
  body: cualquierRfc,
  data: z.object({ rfc: rfcData.meta({ example: 'EKU9003173C9' }), ...camposDeRfc, ...camposDeListas, advertencias }),
  errors: ['SAT_NO_DISPONIBLE'],
  async handle({ rfc }, { deps, now, error }) {
    const respuesta = await deps.listas.consultar([rfc]);
    const [suyo] = respuesta.rfcs;
    if (respuesta.fechaCorte === null || suyo === undefined) throw error('SAT_NO_DISPONIBLE', { motivo: SIN_LISTA });
    return {
      rfc,
      ...rfcOf(suyo),
      ...listasOf(respuesta, respuesta.fechaCorte, now),
      advertencias: advertenciasDe(rfc),
    };
  },
});
