import type { Server } from 'node:http';
import { createLlavesRecordadas } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { openProcess } from '@acuse/roles/process';
import { closeServer, type Logger, listen, type Shutdown, urlOf } from '@acuse/runtime';
import type { PanelConfig } from '@acuse/settings/panel';
import { createApp, type PanelApp } from './app.ts';
import { createDeps, type PanelDeps } from './deps.ts';
import { FEATURE_SECRETS } from './features.ts';
import { createServerFor } from './http/server.ts';

const PURGE_EVERY_MS = 600_000;

interface PanelEnMarcha {
  /** Where it is reached: `PANEL_PUBLIC_URL`, or the address on which it listens. */
  readonly url: string;
  readonly server: Server;
  readonly deps: PanelDeps;
  /** Where /metrics is; null when it is not served. */
  readonly metricsUrl: string | null;
}

/** Builds and starts the panel, and registers how to stop it. `override` replaces single deps, for tests. */
export async function startPanel(
  config: PanelConfig,
  log: Logger,
  shutdown: Shutdown,
  override: Partial<PanelDeps> = {},
): Promise<PanelEnMarcha> {
  const parts = await openProcess('panel', config, {
    log,
    shutdown,
    tracing: null,
    open: openRecords,
    timeoutMs: config.DATABASE_TIMEOUT_MS,
    secretos: ['API_KEY_PEPPERS', 'KEYRING', 'PANEL_SECRETS', ...FEATURE_SECRETS],
  });
  let app: PanelApp | null = null;
  const server = createServerFor(() => {
    if (app === null) throw new Error('the panel is starting');
    return app;
  });
  // The address is part of what the panel checks and prints, and with port 0 it is only known once it listens.
  const port = await listen(server, config.PANEL_PORT, config.PANEL_HOST, shutdown.announced);
  const url = config.PANEL_PUBLIC_URL ?? urlOf(config.PANEL_HOST, port);
  const deps = await createDeps(config, url, parts).then(
    (made) => ({ ...made, ...override }),
    async (error: unknown) => {
      await closeServer(server);
      throw error;
    },
  );
  app = createApp(deps);
  shutdown.phase('server', () => closeServer(server), { timeoutMs: config.SHUTDOWN_SECONDS * 1_000 });
  shutdown.announced.addEventListener('abort', () => deps.health.drain(), { once: true });
  const purging = setInterval(() => void purge(deps), PURGE_EVERY_MS);
  shutdown.phase('purge', () => clearInterval(purging));
  return { url: deps.settings.publicUrl, server, deps, metricsUrl: parts.metricsUrl };
}

async function purge({ database, sesiones, intentos, invitaciones, accountMail, log }: PanelDeps): Promise<void> {
  try {
    await sesiones.purge();
    await intentos.purge();
    await invitaciones.purge();
    for (const mail of accountMail) await mail.purge();
    await createLlavesRecordadas(database).purge();
  } catch (err) {
    log.warn({ err }, 'old_sessions_not_deleted');
  }
}
