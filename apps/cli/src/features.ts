import type { AddClientCommands } from '@acuse/roles/client';
import type { FeatureCheck } from '@acuse/roles/finding';
import type { AddCommands, RecoveryStep } from '@acuse/roles/operator';
import type { Resealing, WorkerKeys } from '@acuse/roles/reseal';
import { addListen } from '@acuse/webhooks/cli';
import type { Settings } from './operador/revisar/environment.ts';

/** Loads a hook of the operator's commands, which bring PostgreSQL: a command of an integrator starts without it. */
type Load<Hook> = () => Promise<Hook>;

/** Commands of features for integrators. */
export const CLIENT_COMMANDS: readonly AddClientCommands[] = [addListen];

/** Commands of features for the operator, each behind a command of the core in the help. */
export const OPERATOR_COMMANDS: readonly { readonly after: string; readonly load: Load<AddCommands> }[] = [
  { after: 'rfc', load: async () => (await import('@acuse/conexion/cli')).addImportar },
  { after: 'llave', load: async () => (await import('@acuse/borrado/cli')).addContribuyente },
  { after: 'traza', load: async () => (await import('@acuse/listas/cli')).addListas },
];

/** Steps of `recuperar`. */
export const RECOVERY_STEPS: readonly Load<RecoveryStep>[] = [
  async () => (await import('@acuse/borrado/cli')).RECOVERY,
];

/** Checks of `revisar`. */
export const FEATURE_CHECKS: readonly Load<FeatureCheck<Settings>>[] = [
  async () => (await import('@acuse/correo/cli')).MAIL_CHECK,
];

/** Rows that the rotation of a keyring reseals. */
export const SEALED_BY_KEYRING: readonly Load<Resealing>[] = [
  async () => (await import('@acuse/webhooks/reseal')).WEBHOOK_SECRETS,
];

/** Rows that the rotation of the workers' keys reseals. */
export const SEALED_FOR_WORKERS: readonly Load<Resealing<WorkerKeys>>[] = [
  async () => (await import('@acuse/sincronizacion/reseal')).CONSENTS,
];
