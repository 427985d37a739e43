import {
  createTokenBucket,
  type FeatureApi,
  type OperationDeps,
  operationsWith,
  type PortsOf,
  type TokenBucket,
} from '@acuse/operation';
import { createWebhooks } from '../db/index.ts';
import { openParts, type WebhookConfig, type WebhookParts } from '../parts.ts';
import { documentOf, PRUEBA } from './mensajes.ts';

export { ejemploDe, mensajeDe } from './mensajes.ts';

const ports = { webhooks: createWebhooks };

/** Dependencies of the operations beside the ports. */
interface Opened extends WebhookParts {
  /** Deliveries that are sent again, by account. */
  readonly reenvios: TokenBucket;
}

export const defineOperation = operationsWith<OperationDeps & PortsOf<typeof ports> & Opened>();

export const webhooksApi: FeatureApi<WebhookConfig> = {
  operations: new URL('./operations', import.meta.url),
  tags: { webhooks: ['Webhooks', 'Avisos firmados a una dirección suya, y lo que se envió a ella.'] },
  ports,
  secretos: ['WEBHOOK_KEYS'],
  open: (config): Opened => ({
    // 60 at once, one a second in the long run.
    reenvios: createTokenBucket({ perSecond: 1, burst: 60, nowMs: () => performance.now() }),
    ...openParts(config),
  }),
  eventos: PRUEBA,
  document: documentOf,
};
