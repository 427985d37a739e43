import { contextoDeWebhook } from '@acuse/core';
import { resealing } from '@acuse/roles/reseal';
import { rewrapSellado } from '@acuse/vault';
import { createSecretosResellables } from './db/secretos.ts';

/** Keys that webhooks are signed with. */
export const WEBHOOK_SECRETS = resealing(
  ['WEBHOOK_KEYS'],
  'secretos de webhooks',
  (database) => createSecretosResellables(database).secretosWebhook,
  ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDeWebhook(clave.webhookId, clave.id), keyring),
);
