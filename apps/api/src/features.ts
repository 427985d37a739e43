import { createListas } from '@acuse/listas/db';
import { createRiesgo } from '@acuse/riesgo/db';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { createWebhooks } from '@acuse/webhooks/db';

/** Ports of the optional features. */
export const FEATURE_PORTS = {
  listas: createListas,
  riesgo: createRiesgo,
  sincronizaciones: createSincronizaciones,
  almacenes: createAlmacenes,
  webhooks: createWebhooks,
};
