import { createSellado, openKeyring } from '@acuse/vault';
import type { PoliticaDestino } from './destino.ts';

/** Settings of {@link openParts}. */
export interface WebhookConfig {
  readonly WEBHOOK_KEYS: string;
  readonly WEBHOOK_PERMITIR_HTTP: boolean;
  readonly WEBHOOK_REDES_PERMITIDAS: readonly string[];
}

/** Parts of a process that takes addresses of webhooks. Throws for a malformed `WEBHOOK_KEYS`. */
export const openParts = (config: WebhookConfig) => ({
  /** Seals the keys that webhooks are signed with; the workers open them. */
  selladoWebhooks: createSellado(openKeyring('WEBHOOK_KEYS', config.WEBHOOK_KEYS)),
  destinos: { http: config.WEBHOOK_PERMITIR_HTTP, redes: config.WEBHOOK_REDES_PERMITIDAS } satisfies PoliticaDestino,
});

export type WebhookParts = ReturnType<typeof openParts>;
