import { type ContextoCliente, type PageDeps, type PageSettings, pagesWith } from '@acuse/page';
import type { createSellado } from '@acuse/vault';
import type { PoliticaDestino } from '../destino.ts';

/** Ports of the pages of webhooks. */
export interface WebhooksDeps extends PageDeps {
  readonly settings: PageSettings & { readonly destinos: PoliticaDestino };
  /** Seals the secrets that sign deliveries. */
  readonly selladoWebhooks: ReturnType<typeof createSellado>;
}

export const { routesFor, routesOf } = pagesWith<WebhooksDeps>();
export type Contexto = ContextoCliente<WebhooksDeps>;
