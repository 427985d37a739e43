import { rfcField } from '@acuse/contract';
import { autorOf } from '@acuse/operation';
import { z } from 'zod';
import { newSecreto } from '../../../index.ts';
import {
  alcanceOf,
  descripcionField,
  eventosField,
  secretoData,
  urlField,
  urlOrReparo,
  webhookData,
  webhookOf,
} from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Crear un webhook',
  description:
    'Desde ahora se avisa a esa dirección de lo que pase con el RFC de la API key. Los avisos siguen Standard Webhooks 1.0: firmados con el secreto, que se muestra esta sola vez. Un webhook para varios RFC, o para todos, se crea en el panel.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: z.object({ rfc: rfcField, url: urlField, eventos: eventosField, descripcion: descripcionField.optional() }),
  data: webhookData
    .extend({ secreto: secretoData })
    .meta({ id: 'WebhookCreado', description: 'El webhook y su secreto.' }),
  errors: ['CAMPO_INVALIDO', 'WEBHOOKS_DEMASIADOS', 'WEBHOOK_REPETIDO'],

  async handle({ rfc, url: text, eventos, descripcion = '' }, { deps, access, ip, error }) {
    const destino = urlOrReparo(text, deps.destinos);
    if ('motivo' in destino) throw error('CAMPO_INVALIDO', { campo: 'url', motivo: destino.motivo });
    const id = deps.newId();
    const { secreto, sellado } = newSecreto(id, { newId: deps.newId, sellado: deps.selladoWebhooks });
    const { cuentaId } = access;
    const campos = { url: destino.url, descripcion, eventos, rfcs: [rfc] };
    const resultado = await deps.webhooks.create({ id, cuentaId, secreto: sellado, ...campos, ...autorOf(access, ip) });
    if (typeof resultado === 'object') throw error('WEBHOOK_REPETIDO', { webhook_id: resultado.igual });
    if (resultado === 'WEBHOOKS_DEMASIADOS') throw error('WEBHOOKS_DEMASIADOS');
    const creado = await deps.webhooks.find(alcanceOf(access), id);
    if (creado === null) throw new Error('the new webhook is gone');
    return { ...webhookOf(creado), secreto };
  },
});
