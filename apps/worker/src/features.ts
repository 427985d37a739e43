import { type ClaimPart, capsulaDeSolicitud, type FinishNote } from '@acuse/db';
import { cruceDePaquete } from '@acuse/riesgo/db';
import { consentimientoDeOrigen } from '@acuse/sincronizacion/db';
import type { Role } from './config.ts';
import { capsulaSource, openCapsulas } from './features/capsula.ts';
import { openCorreo } from './features/correo.ts';
import { noteEsperas } from './features/esperas.ts';
import { openListas } from './features/listas.ts';
import { meterCruces, observeContrapartes } from './features/riesgo.ts';
import { openSincronizacion } from './features/sincronizacion.ts';
import { openWebhooks } from './features/webhooks.ts';
import type { DecorateClaims, OpenObserver, OpenRole, OpenSource } from './roles/role.ts';

/** Roles of the optional features, in the order in which they open. */
export const FEATURE_ROLES = {
  webhooks: openWebhooks,
  correo: openCorreo,
  listas: openListas,
  sincronizacion: openSincronizacion,
} as const satisfies Partial<Record<Role, OpenRole>>;

/** Observers of the rows of each assembled package. */
export const FEATURE_OBSERVERS: readonly OpenObserver[] = [observeContrapartes];

/** Sources of credentials beside the copies that are sealed for a solicitud. */
export const FEATURE_SOURCES: readonly OpenSource[] = [(deps) => capsulaSource(openCapsulas(deps))];

/** Rows of features that a claim reads with its solicitud. */
export const CLAIM_PARTS: readonly ClaimPart[] = [consentimientoDeOrigen, capsulaDeSolicitud];

/** Notes in the transaction that ends a solicitud with its package. */
export const FINISH_NOTES: readonly FinishNote[] = [cruceDePaquete];

/** Work of features beside the steps of a solicitud. */
export const CLAIMS_DECORATORS: readonly DecorateClaims[] = [noteEsperas, meterCruces];
