import { rfcField } from '@acuse/contract';
import { itemsOf } from '@acuse/operation';
import { z } from 'zod';
import { alcanceOf, estadoField, webhookData, webhookOf } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Listar los webhooks',
  description: 'Los que avisan solo del RFC de la API key. Los secretos no se muestran.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: z.object({ rfc: rfcField, estado: estadoField.optional() }),
  data: z
    .object({
      total: z.int().min(0).meta({ description: 'Número de elementos.', example: 1 }),
      items: itemsOf(webhookData.meta({ id: 'Webhook', description: 'Un webhook y cómo le va.' })),
    })
    .meta({ id: 'Webhooks', description: 'Webhooks de una API key.' }),
  errors: [],

  async handle({ estado }, { deps, access }) {
    const all = await deps.webhooks.list(alcanceOf(access));
    const items = all.filter((each) => estado === undefined || each.estado === estado).map(webhookOf);
    return { total: items.length, items };
  },
});
