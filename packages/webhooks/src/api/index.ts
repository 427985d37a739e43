import type { Sellado } from '@acuse/core';
import {
  createTokenBucket,
  type FeatureApi,
  type OperationDeps,
  operationsWith,
  type PortsOf,
  type TokenBucket,
} from '@acuse/operation';
import { createSellado, openKeyring } from '@acuse/vault';
import { createWebhooks } from '../db/index.ts';
import type { PoliticaDestino } from '../index.ts';
import { documentOf, PRUEBA } from './mensajes.ts';

export { ejemploDe, mensajeDe } from './mensajes.ts';

const ports = { webhooks: createWebhooks };

/** Dependencies of the operations beside the ports. */
interface Opened {
  /** Deliveries that are sent again, by account. */
  readonly reenvios: TokenBucket;
  /** Seals the keys that webhooks are signed with; the workers open them. */
  readonly selladoWebhooks: Pick<Sellado, 'seal'>;
  readonly destinos: PoliticaDestino;
}

export const defineOperation = operationsWith<OperationDeps & PortsOf<typeof ports> & Opened>();

interface Config {
  readonly WEBHOOK_KEYS: string;
  readonly WEBHOOK_PERMITIR_HTTP: boolean;
  readonly WEBHOOK_REDES_PERMITIDAS: readonly string[];
}

export const webhooksApi: FeatureApi<Config> = {
  operations: new URL('./operations', import.meta.url),
  tags: { webhooks: 'Avisos firmados a una dirección suya, y lo que se envió a ella.' },
  ports,
  secretos: ['WEBHOOK_KEYS'],
  open: (config): Opened => ({
    // 60 at once, one a second in the long run.
    reenvios: createTokenBucket({ perSecond: 1, burst: 60, nowMs: () => performance.now() }),
    selladoWebhooks: createSellado(openKeyring('WEBHOOK_KEYS', config.WEBHOOK_KEYS)),
    destinos: { http: config.WEBHOOK_PERMITIR_HTTP, redes: config.WEBHOOK_REDES_PERMITIDAS },
  }),
  eventos: PRUEBA,
  document: documentOf,
};
