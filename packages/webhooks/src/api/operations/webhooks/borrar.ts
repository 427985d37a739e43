import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import { alcanceOf, soloWebhook, webhookData } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Borrar un webhook',
  description:
    'Con su bitácora. Lo que estaba pendiente ya no se envía; para conservarlo, apáguelo con webhooks/actualizar.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'ninguno',
  body: soloWebhook,
  data: z.object({ webhook_id: webhookData.shape.webhook_id }),
  errors: ['WEBHOOK_NO_ENCONTRADO'],

  async handle({ webhook_id }, { deps, access, ip, error }) {
    const isGone = await deps.webhooks.remove(alcanceOf(access), webhook_id, autorOf(access, ip));
    if (!isGone) throw error('WEBHOOK_NO_ENCONTRADO');
    return { webhook_id: webhook_id.toLowerCase() };
  },
});
