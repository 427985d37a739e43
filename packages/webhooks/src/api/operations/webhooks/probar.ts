import { CfdiError } from '@acuse/contract';
import { z } from 'zod';
import { alcanceOf, entregaId, tipoEvento, webhookIdField } from '../../fields.ts';
import { defineOperation } from '../../index.ts';
import { ejemploDe } from '../../mensajes.ts';

/** After so long at most another one is sent. */
const ESPERA_SEGUNDOS = 60;

export default defineOperation({
  summary: 'Enviar un aviso de prueba',
  description:
    'Uno del tipo prueba o, con tipo, un ejemplo de ese evento con data.ejemplo en true: nada de lo que dice pasó. Firmado como los demás, y aunque el webhook no esté suscrito a él; hasta diez por minuto. Cómo le fue se ve en webhooks/entregas.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({
    webhook_id: webhookIdField,
    tipo: tipoEvento
      .meta({ description: 'De qué evento se envía un ejemplo; sin él, uno del tipo prueba, sin datos.' })
      .optional(),
  }),
  data: z.object({ entrega_id: entregaId }),
  errors: ['WEBHOOK_NO_ENCONTRADO', 'WEBHOOK_APAGADO'],

  async handle({ webhook_id, tipo }, { deps, access, error }) {
    const alcance = alcanceOf(access);
    const evento = tipo && deps.eventos[tipo];
    if (tipo !== undefined && evento === undefined)
      throw new CfdiError('CAMPO_INVALIDO', { campo: 'tipo', motivo: 'es de un evento que esta instalación no envía' });
    const ejemplo = tipo && evento && { tipo, datos: ejemploDe(evento, access.rfc) };
    const prueba = await deps.webhooks.ping(alcance, webhook_id, ejemplo);
    if (prueba === 'PRUEBAS_DEMASIADAS')
      throw new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: ESPERA_SEGUNDOS });
    if (prueba !== null) return { entrega_id: prueba.entrega };
    throw error((await deps.webhooks.find(alcance, webhook_id)) === null ? 'WEBHOOK_NO_ENCONTRADO' : 'WEBHOOK_APAGADO');
  },
});
