import { itemsOf, limiteDePagina, siguiente, total } from '@acuse/operation';
import { z } from 'zod';
import { alcanceOf, entregaData, entregaOf, estadoEntrega, webhookIdField } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const MOST = 100;
const NORMAL = 25;

export default defineOperation({
  summary: 'Entregas de un webhook',
  description:
    'Los avisos de un webhook, del más nuevo al más antiguo, con el último intento de cada uno. Una página a la vez: mande siguiente como cursor para la que sigue.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({
    webhook_id: webhookIdField,
    estado: estadoEntrega.meta({ description: 'Solo las que estén así.', example: 'FALLIDA' }).optional(),
    limite: limiteDePagina(MOST, NORMAL),
    cursor: z
      .string({ error: 'debe ser un texto' })
      .regex(/^\d{1,15}$/, { error: 'debe ser el texto siguiente de otra página' })
      .meta({ description: 'El siguiente de la página anterior.', example: '17' })
      .optional(),
  }),
  data: z.object({ total, items: itemsOf(entregaData), siguiente }),
  errors: ['WEBHOOK_NO_ENCONTRADO'],

  async handle({ webhook_id, estado, limite = NORMAL, cursor }, { deps, access, error }) {
    const alcance = alcanceOf(access);
    if ((await deps.webhooks.find(alcance, webhook_id)) === null) throw error('WEBHOOK_NO_ENCONTRADO');
    const found = await deps.webhooks.entregas(alcance, webhook_id, {
      limite: limite + 1,
      ...(estado === undefined ? {} : { estado }),
      ...(cursor === undefined ? {} : { antesDe: Number(cursor) }),
    });
    const items = found.slice(0, limite).map(entregaOf);
    const last = found.length > limite ? items.at(-1) : undefined;
    return { total: items.length, items, siguiente: last === undefined ? null : String(last.secuencia) };
  },
});
