import type { Role } from './config.ts';
import { openCorreo } from './features/correo.ts';
import { openListas } from './features/listas.ts';
import { openSincronizacion } from './features/sincronizacion.ts';
import { openWebhooks } from './features/webhooks.ts';
import type { OpenRole } from './roles/role.ts';

/** Roles of the optional features, in the order in which they open. */
export const FEATURE_ROLES = [
  ['webhooks', openWebhooks],
  ['correo', openCorreo],
  ['listas', openListas],
  ['sincronizacion', openSincronizacion],
] as const satisfies readonly (readonly [Role, OpenRole])[];
