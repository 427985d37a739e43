import { conexionApi } from '@acuse/conexion/api';
import { listasApi } from '@acuse/listas/api';
import { llamadasApi } from '@acuse/llamadas/api';
import { type FeatureApi, loadOperations } from '@acuse/operation';
import { riesgoApi } from '@acuse/riesgo/api';
import type { ApiConfig } from '@acuse/settings/api';
import { sincronizacionApi } from '@acuse/sincronizacion/api';
import { webhooksApi } from '@acuse/webhooks/api';

/** Optional features of the API; the OpenAPI document names their events in this order. */
export const FEATURES: readonly FeatureApi<ApiConfig>[] = [
  listasApi,
  sincronizacionApi,
  riesgoApi,
  conexionApi,
  webhooksApi,
  llamadasApi,
];

/** Loads the operations of the core and of the features. */
export const loadAll = () =>
  loadOperations([new URL('./operations', import.meta.url), ...FEATURES.map(({ operations }) => operations)]);
