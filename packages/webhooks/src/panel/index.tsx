import type { PageFeature } from '@acuse/page';
import { createWebhooks } from '../db/index.ts';
import type { WebhooksDeps } from './deps.ts';
import { webhookPage } from './detalle.tsx';
import { deliveryPage } from './entrega.tsx';
import { frases } from './frases.ts';
import { newWebhookPage, WebhooksApagados, webhooksPage } from './lista.tsx';

export { openParts } from '../parts.ts';

const ICON = 'M6 17a6 6 0 0 1 0-12M18 5a6 6 0 0 1 0 12M9 14a3.5 3.5 0 0 1 0-6M15 8a3.5 3.5 0 0 1 0 6M12 11v9';

export const webhooksPanel: PageFeature<WebhooksDeps> = {
  rutas: [webhooksPage, newWebhookPage, webhookPage, deliveryPage].flatMap(({ rutas }) => rutas),
  frases,
  menu: [['/webhooks', 'Webhooks', ICON, 'webhooks']],
  async inicio({ deps, usuario }) {
    const webhooks = await createWebhooks(deps.database).list({ cuentaId: usuario.cuentaId });
    return <WebhooksApagados webhooks={webhooks} />;
  },
};
