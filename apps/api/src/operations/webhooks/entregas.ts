import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { alcanceOf, entregaData, entregaOf, webhookIdField } from '../../webhooks.ts';

const MOST = 100;
const NORMAL = 25;

const entero = (max: number) =>
  z
    .int({ error: 'debe ser un número entero' })
    .min(1, { error: 'debe ser un número desde 1' })
    .max(max, { error: `debe ser un número hasta ${max}` });

export default defineOperation({
  summary: 'Entregas de un webhook',
  description:
    'Los avisos de un webhook, del más nuevo al más antiguo, con el último intento de cada uno. La página siguiente se pide con antes_de y la secuencia del último.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({
    webhook_id: webhookIdField,
    estado: z
      .enum(['PENDIENTE', 'ENTREGADA', 'FALLIDA'], {
        error: 'debe ser uno de estos textos: PENDIENTE, ENTREGADA o FALLIDA',
      })
      .meta({ description: 'Solo las que estén así.', example: 'FALLIDA' })
      .optional(),
    limite: entero(MOST)
      .meta({ description: `Cuántas, hasta ${MOST}; ${NORMAL} si no se dice.`, example: NORMAL })
      .optional(),
    antes_de: entero(Number.MAX_SAFE_INTEGER)
      .meta({ description: 'Secuencia de la última de la página anterior.', example: 17 })
      .optional(),
  }),
  data: z.object({
    total: z.int().min(0).meta({ description: 'Número de elementos de esta página.', example: 1 }),
    items: z.array(entregaData),
    hay_mas: z.boolean().meta({ description: 'Si hay más antiguas.', example: false }),
  }),
  errors: ['WEBHOOK_NO_ENCONTRADO'],

  async handle({ webhook_id, estado, limite = NORMAL, antes_de }, { deps, access, error }) {
    const alcance = alcanceOf(access);
    if ((await deps.webhooks.find(alcance, webhook_id)) === null) throw error('WEBHOOK_NO_ENCONTRADO');
    const found = await deps.webhooks.entregas(alcance, webhook_id, {
      limite: limite + 1,
      ...(estado === undefined ? {} : { estado }),
      ...(antes_de === undefined ? {} : { antesDe: antes_de }),
    });
    const items = found.slice(0, limite).map(entregaOf);
    return { total: items.length, items, hay_mas: found.length > limite };
  },
});
