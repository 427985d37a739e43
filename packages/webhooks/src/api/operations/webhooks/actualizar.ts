import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import {
  alcanceOf,
  descripcionField,
  estadoField,
  eventosField,
  urlField,
  urlOrReparo,
  webhookData,
  webhookIdField,
  webhookOf,
} from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Cambiar, apagar o encender un webhook',
  description:
    'Cambia lo que se envía y deja lo demás. Al encenderlo se olvidan sus fallas, y lo que estaba pendiente se envía.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({
    webhook_id: webhookIdField,
    url: urlField.optional(),
    eventos: eventosField.optional(),
    descripcion: descripcionField.optional(),
    estado: estadoField.optional(),
  }),
  data: webhookData,
  errors: ['WEBHOOK_NO_ENCONTRADO', 'CAMPO_INVALIDO', 'WEBHOOK_REPETIDO'],

  async handle({ webhook_id, url: text, eventos, descripcion, estado }, { deps, access, ip, error }) {
    const destino = text === undefined ? null : urlOrReparo(text, deps.destinos);
    if (destino !== null && 'motivo' in destino)
      throw error('CAMPO_INVALIDO', { campo: 'url', motivo: destino.motivo });
    const alcance = alcanceOf(access);
    const cambios = {
      ...(destino ?? {}),
      ...(eventos === undefined ? {} : { eventos }),
      ...(descripcion === undefined ? {} : { descripcion }),
      ...(estado === undefined ? {} : { estado }),
    };
    const cambio = await deps.webhooks.update(alcance, webhook_id, { ...cambios, ...autorOf(access, ip) });
    if (cambio !== null && typeof cambio === 'object') throw error('WEBHOOK_REPETIDO', { webhook_id: cambio.igual });
    const webhook = cambio !== null ? await deps.webhooks.find(alcance, webhook_id) : null;
    if (webhook === null) throw error('WEBHOOK_NO_ENCONTRADO');
    return webhookOf(webhook);
  },
});
