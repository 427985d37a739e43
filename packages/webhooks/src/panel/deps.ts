import { type ContextoCliente, type PageDeps, pagesWith } from '@acuse/page';
import type { WebhookParts } from '../parts.ts';

/** Ports of the pages of webhooks. */
export type WebhooksDeps = PageDeps & WebhookParts;

export const { routesFor, routesOf } = pagesWith<WebhooksDeps>();
export type Contexto = ContextoCliente<WebhooksDeps>;
