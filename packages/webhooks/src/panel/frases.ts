import { type Frases, text } from '@acuse/page';

/** Changes that the audit log has of webhooks. */
export const frases: Frases = {
  'crear-webhook': ['Webhook creado', ({ url }) => `Creó un webhook a ${text(url)}.`],
  'cambiar-webhook': [
    'Webhook cambiado',
    ({ url, estado }) => `Cambió un webhook a ${text(url)}; quedó ${estado === 'APAGADO' ? 'desactivado' : 'activo'}.`,
  ],
  'borrar-webhook': ['Webhook borrado', ({ url }) => `Borró un webhook a ${text(url)}.`],
  'rotar-webhook': ['Secreto de webhook cambiado', 'Cambió el secreto de un webhook.'],
};
