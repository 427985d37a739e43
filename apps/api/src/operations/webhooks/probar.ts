import { CfdiError } from '@acuse/contract';
import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { alcanceOf, entregaId, soloWebhook } from '../../webhooks.ts';

/** After so long at most another one is sent. */
const ESPERA_SEGUNDOS = 60;

export default defineOperation({
  summary: 'Enviar un aviso de prueba',
  description:
    'Uno del tipo prueba, firmado como los demás; hasta diez por minuto. Cómo le fue se ve en webhooks/entregas.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: soloWebhook,
  data: z.object({ entrega_id: entregaId }),
  errors: ['WEBHOOK_NO_ENCONTRADO', 'WEBHOOK_APAGADO'],

  async handle({ webhook_id }, { deps, access, error }) {
    const alcance = alcanceOf(access);
    const prueba = await deps.webhooks.ping(alcance, webhook_id);
    if (prueba === 'PRUEBAS_DEMASIADAS')
      throw new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: ESPERA_SEGUNDOS });
    if (prueba !== null) return { entrega_id: prueba.entrega };
    throw error((await deps.webhooks.find(alcance, webhook_id)) === null ? 'WEBHOOK_NO_ENCONTRADO' : 'WEBHOOK_APAGADO');
  },
});
