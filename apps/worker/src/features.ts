import { capsulaDeSolicitud } from '@acuse/capsula/db';
import { capsulaSource, openCapsulas } from '@acuse/capsula/worker';
import { openConexiones, openUpkeep, TOPIC } from '@acuse/conexion/worker';
import { openCorreo } from '@acuse/correo/worker';
import type { ClaimPart, FinishNote } from '@acuse/db';
import { observeListados, openListas } from '@acuse/listas/worker';
import { cruceDePaquete } from '@acuse/riesgo/db';
import { meterCruces, observeContrapartes, openCruces } from '@acuse/riesgo/worker';
import type { DecorateClaims, ObserveInstallation, OpenObserver, OpenSource } from '@acuse/roles';
import { consentimientoDeOrigen } from '@acuse/sincronizacion/db';
import { openSincronizacion } from '@acuse/sincronizacion/worker';
import { openWebhooks } from '@acuse/webhooks/worker';
import { noteEsperas } from './features/esperas.ts';
import type { WorkerRole } from './roles/role.ts';

/** Roles of the optional features, in the order in which they open. */
export const FEATURE_ROLES: readonly WorkerRole[] = [
  { role: 'webhooks', open: openWebhooks },
  { role: 'correo', open: openCorreo },
  { role: 'descargas', open: openConexiones },
  { role: 'reaper', open: openUpkeep, isSingle: true },
  { role: 'listas', open: openListas, isSingle: true },
  { role: 'sincronizacion', open: openSincronizacion, isSingle: true },
  { role: 'sincronizacion', open: openCruces, isSingle: true },
];

/** Topics that the relay announces to the workers with the role `descargas`. */
export const TOPICS: readonly string[] = [TOPIC];

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

/** Gauges of features about the whole installation. */
export const FEATURE_GAUGES: readonly ObserveInstallation[] = [observeListados];
