import { correoPanel } from '@acuse/correo/panel';
import { listasPanel } from '@acuse/listas/panel';
import type { PageFeature } from '@acuse/page';
import { riesgoPanel } from '@acuse/riesgo/panel';
import { sincronizacionPanel } from '@acuse/sincronizacion/panel';
import { webhooksPanel } from '@acuse/webhooks/panel';
import type { PanelDeps } from './deps.ts';

/** Optional features, in the order of their entries and sections on the pages of the core. */
export const FEATURES: readonly PageFeature<PanelDeps>[] = [
  webhooksPanel,
  sincronizacionPanel,
  riesgoPanel,
  listasPanel,
  correoPanel,
];
