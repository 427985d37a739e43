import { type Logger, type Shutdown, serveHealth } from '@acuse/runtime';
import type { WorkerConfig } from '@acuse/settings/worker';
import { openContext } from './context.ts';
import { coordinate } from './coordinate.ts';
import { FEATURE_ROLES } from './features.ts';
import { openDescargas } from './roles/descargas.ts';
import { openEnsambles } from './roles/ensambles.ts';
import { openReaper } from './roles/reaper.ts';
import { observeInstallation, openReconciler } from './roles/reconciler.ts';
import { openRelay } from './roles/relay.ts';
import type { WorkerRole } from './roles/role.ts';

/**
 * All roles in the order in which they open, the single ones before the others. They close in the reverse order, so that
 * steps end before what they use.
 */
export const ROLES: readonly WorkerRole[] = [
  { role: 'relay', open: openRelay, isSingle: true },
  { role: 'reconciler', open: observeInstallation },
  { role: 'reconciler', open: openReconciler, isSingle: true },
  { role: 'reaper', open: openReaper, isSingle: true },
  ...FEATURE_ROLES,
  { role: 'descargas', open: openDescargas },
  { role: 'ensambles', open: openEnsambles },
];

/** Starts the roles that the settings name; everything opened is closed by `shutdown` in the reverse order. */
export async function startWorker(
  config: WorkerConfig,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ healthUrl: string }> {
  const context = await openContext(config, log, shutdown);
  const played = ROLES.filter(({ role }) => config.WORKER_ROLES.includes(role));
  await coordinate(
    context,
    played.filter(({ isSingle }) => isSingle),
  );
  for (const { open, isSingle } of played) if (!isSingle) await open(context);
  const server = context.closeLater(
    'health',
    await serveHealth(context.health, config.HEALTH_PORT, config.HEALTH_HOST),
  );
  return { healthUrl: server.url };
}
