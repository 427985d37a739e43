import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { closeServer, type Logger, listen, type Shutdown, urlOf } from '@acuse/runtime';
import { createApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import { createDeps } from './deps.ts';
import { loadOperations } from './http/load-operations.ts';
import { createServerFor } from './server.ts';

/**
 * Builds and starts the API. Registers how to stop it: `/readyz` refuses first, then running requests end, then what is
 * noted in memory is written, then the connections close.
 */
export async function startApi(
  config: ApiConfig,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ readonly url: string; readonly server: Server }> {
  const operations = await loadOperations(fileURLToPath(new URL('./operations', import.meta.url)));
  const deps = await createDeps(config, log, shutdown);
  const api = createApp(operations, deps);
  shutdown.phase('notes', () => api.close());
  const limits = {
    headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: config.KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderBytes: config.MAX_HEADER_BYTES,
    maxConnections: config.MAX_CONNECTIONS,
  };
  const server = createServerFor(api, limits, deps.newId);
  const port = await listen(server, config.API_PORT, config.API_HOST);
  shutdown.phase('server', () => closeServer(server), { timeoutMs: config.SHUTDOWN_SECONDS * 1_000 });
  shutdown.signal.addEventListener('abort', () => deps.health.drain(), { once: true });
  return { url: urlOf(config.API_HOST, port), server };
}
