import { autorOf, instante } from '@acuse/operation';
import { z } from 'zod';
import { newSecreto } from '../../../index.ts';
import { alcanceOf, secretoData, webhookData, webhookIdField } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const HORAS = { min: 0, max: 720, normal: 24 };

const vigenciaField = z
  .int({ error: 'debe ser un número entero de horas' })
  .min(HORAS.min, { error: 'debe ser un número de horas de 0 a 720' })
  .max(HORAS.max, { error: 'debe ser un número de horas de 0 a 720' })
  .meta({
    description: `Horas durante las que se firma también con el secreto anterior; ${HORAS.normal} si no se dice. Con 0 dejan de servir en el acto él y los de antes.`,
    example: HORAS.normal,
  });

export default defineOperation({
  summary: 'Cambiar el secreto de un webhook',
  description:
    'Da un secreto nuevo, que se muestra esta sola vez. Mientras el anterior esté vigente, cada aviso lleva las dos firmas: cámbielo en su receptor sin perder ninguno.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({ webhook_id: webhookIdField, vigencia_horas: vigenciaField.optional() }),
  data: z.object({
    webhook_id: webhookData.shape.webhook_id,
    secreto: secretoData,
    anterior_hasta: instante('Hasta cuándo se firma también con el anterior.'),
  }),
  errors: ['WEBHOOK_NO_ENCONTRADO', 'SECRETOS_DEMASIADOS'],

  async handle({ webhook_id, vigencia_horas = HORAS.normal }, { deps, access, ip, error }) {
    const alcance = alcanceOf(access);
    const id = (await deps.webhooks.find(alcance, webhook_id))?.id;
    if (id === undefined) throw error('WEBHOOK_NO_ENCONTRADO');
    const { secreto, sellado } = newSecreto(id, { newId: deps.newId, sellado: deps.selladoWebhooks });
    const anteriorHasta = await deps.webhooks.rotate(alcance, id, {
      secreto: sellado,
      vigenciaSegundos: vigencia_horas * 3_600,
      ...autorOf(access, ip),
    });
    if (anteriorHasta === 'SECRETOS_DEMASIADOS') throw error('SECRETOS_DEMASIADOS');
    if (anteriorHasta === null) throw error('WEBHOOK_NO_ENCONTRADO');
    return { webhook_id: id, secreto, anterior_hasta: anteriorHasta.toISOString() };
  },
});
