import { conexionFields } from '@acuse/conexion/settings';
import { CORREO_ROLE, CORREO_RULE, correoRoleFields } from '@acuse/correo/settings';
import { LISTAS_ROLE, listasFields } from '@acuse/listas/settings';
import { llamadasFields } from '@acuse/llamadas/settings';
import type { ConfigRule } from '@acuse/runtime';
import { SINCRONIZACION_ROLE, sincronizacionFields } from '@acuse/sincronizacion/settings';
import { WEBHOOKS_ROLE, WEBHOOKS_SECRET, webhookFields, webhooksRoleFields } from '@acuse/webhooks/settings';

/** Settings of features for the API. */
export const API_FIELDS = { ...webhookFields, ...llamadasFields, ...conexionFields };

/** Settings of features for the panel. */
export const PANEL_FIELDS = { ...webhookFields };

/** Settings of features for the workers. */
export const WORKER_FIELDS = { ...listasFields, ...webhooksRoleFields, ...sincronizacionFields, ...correoRoleFields };

/** Roles of features, behind those of the core. */
export const FEATURE_ROLES = [LISTAS_ROLE, WEBHOOKS_ROLE, SINCRONIZACION_ROLE, CORREO_ROLE] as const;

/** Secrets of the workers that a role of a feature needs. */
export const FEATURE_SECRETS = [WEBHOOKS_SECRET] as const;

/** Rules between the settings of a feature. */
export const WORKER_RULES: readonly ConfigRule[] = [CORREO_RULE];
