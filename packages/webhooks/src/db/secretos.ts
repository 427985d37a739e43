import { type Database, sealedColumn } from '@acuse/db';

/** Keys that webhooks are signed with, for the rotation of their secret. */
export const createSecretosResellables = ({ pool }: Pick<Database, 'pool'>) => ({
  secretosWebhook: sealedColumn<{ readonly webhookId: string; readonly id: string }>({
    pool,
    tabla: 'webhook_secreto',
    columna: 'sobre',
    cursor: 'id::text',
    clave: `jsonb_build_object('webhookId', webhook_id, 'id', id)`,
  }),
});
