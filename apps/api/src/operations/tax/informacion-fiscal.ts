import { fechaField } from '@acuse/contract';
import { camino, rfcData, soloRfc, texto } from '@acuse/operation';
import { z } from 'zod';
import { named, periodicidadDe } from '../../consultas/constancia.ts';
import { consultar } from '../../consultas/consultar.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Información fiscal detallada',
  description:
    'Regímenes y obligaciones del contribuyente, de su constancia de situación fiscal. Se usa la CIEC guardada o, si no hay o el SAT no contesta con ella, la e.firma.',
  credential: 'ciec',
  accepts: 'ciec-o-efirma',
  effect: 'asks',
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    regimenes: z.array(texto('Clave del régimen.', '601')).meta({ description: 'Claves de sus regímenes.' }),
    obligaciones: z
      .array(
        z
          .object({
            tipo: texto('Obligación.', 'Pago provisional mensual de ISR'),
            periodicidad: texto('Periodicidad.', 'Mensual'),
            vencimiento: texto(
              'Cuándo vence, en palabras del SAT.',
              'A más tardar el día 17 del mes inmediato posterior',
            ),
            desde: fechaField.meta({ example: '2020-01-01' }).nullable(),
            hasta: fechaField.nullable().meta({ example: null }),
          })
          .meta({ id: 'Obligacion', description: 'Una obligación fiscal.' }),
      )
      .meta({ description: 'Sus obligaciones fiscales.' }),
    ...camino,
  }),
  asks: ['descargar-constancia'],
  errors: ['SAT_NO_DISPONIBLE'],

  async handle({ rfc }, contexto) {
    const { respuesta, camino: por } = await consultar(contexto, { consulta: 'descargar-constancia', rfc });
    const constancia = await named(contexto, respuesta.constancia);
    return {
      rfc,
      // A regime that the catalogue does not know yet keeps its name: nothing that the SAT says is left out.
      regimenes: constancia.regimenes.map(({ clave, nombre }) => clave ?? nombre),
      obligaciones: (constancia.obligaciones ?? []).map((obligacion) => ({
        tipo: obligacion.descripcion,
        periodicidad: periodicidadDe(obligacion),
        vencimiento: obligacion.vencimiento,
        desde: obligacion.desde,
        hasta: obligacion.hasta,
      })),
      ...por,
    };
  },
});
