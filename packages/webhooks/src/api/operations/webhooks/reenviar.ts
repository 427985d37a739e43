import { CfdiError } from '@acuse/contract';
import { z } from 'zod';
import { alcanceOf, entregaId, soloEntrega } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Enviar otra vez un aviso',
  description:
    'Con el mismo webhook-id y el mismo contenido, haya llegado antes o no, y con todos sus intentos por delante. Hasta 60 seguidos por cuenta; después, uno por segundo.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'ninguno',
  body: soloEntrega,
  data: z.object({
    entrega_id: entregaId,
    estado: z.literal('PENDIENTE').meta({ description: 'Se envía enseguida.', example: 'PENDIENTE' }),
  }),
  errors: ['ENTREGA_NO_ENCONTRADA', 'WEBHOOK_APAGADO'],

  async handle({ entrega_id }, { deps, access, error }) {
    const { allowed, retryAfterSeconds } = deps.reenvios.take(access.cuentaId);
    if (!allowed) throw new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: retryAfterSeconds });
    const alcance = alcanceOf(access);
    if (await deps.webhooks.resend(alcance, entrega_id))
      return { entrega_id: entrega_id.toLowerCase(), estado: 'PENDIENTE' as const };
    throw error(
      (await deps.webhooks.entrega(alcance, entrega_id)) === null ? 'ENTREGA_NO_ENCONTRADA' : 'WEBHOOK_APAGADO',
    );
  },
});
