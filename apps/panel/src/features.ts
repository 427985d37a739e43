import { conexionPanel } from '@acuse/conexion/panel';
import { correoPanel } from '@acuse/correo/panel';
import type { Secreto } from '@acuse/db';
import { listasPanel } from '@acuse/listas/panel';
import { llamadasPanel } from '@acuse/llamadas/panel';
import type { PageFeature } from '@acuse/page';
import { riesgoPanel } from '@acuse/riesgo/panel';
import type { PanelConfig } from '@acuse/settings/panel';
import { sincronizacionPanel } from '@acuse/sincronizacion/panel';
import { openParts, webhooksPanel } from '@acuse/webhooks/panel';
import { WEBHOOKS_SECRET } from '@acuse/webhooks/settings';
import type { PanelDeps } from './deps.ts';

/** Optional features, in the order of their entries and sections on the pages of the core. */
export const FEATURES: readonly PageFeature<PanelDeps>[] = [
  webhooksPanel,
  sincronizacionPanel,
  riesgoPanel,
  listasPanel,
  correoPanel,
  llamadasPanel,
  conexionPanel,
];

/** Parts that features open with the settings. */
export const openFeatures = (config: PanelConfig) => ({ ...openParts(config) });

/** Secrets of the rows of features. */
export const FEATURE_SECRETS: readonly Secreto[] = [WEBHOOKS_SECRET.name];
