import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { alcanceOf, entregaId, soloWebhook } from '../../webhooks.ts';

export default defineOperation({
  summary: 'Enviar un aviso de prueba',
  description: 'Uno del tipo prueba, firmado como los demás. Cómo le fue se ve en webhooks/entregas.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: soloWebhook,
  data: z.object({ entrega_id: entregaId }),
  errors: ['WEBHOOK_NO_ENCONTRADO', 'WEBHOOK_APAGADO'],

  async handle({ webhook_id }, { deps, access, error }) {
    const alcance = alcanceOf(access);
    const entrega = await deps.webhooks.ping(alcance, webhook_id);
    if (entrega !== null) return { entrega_id: entrega };
    throw error((await deps.webhooks.find(alcance, webhook_id)) === null ? 'WEBHOOK_NO_ENCONTRADO' : 'WEBHOOK_APAGADO');
  },
});
