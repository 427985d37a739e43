import { createServer } from 'node:http';
import { closeServer, type Logger, listen, type Shutdown, urlOf } from '@acuse/runtime';
import type { MetricProcess } from './catalogue.ts';
import { createMetrics, type Exposition } from './prometheus.ts';

/** Limits of a listener that only a scraper uses. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const MAX_CONNECTIONS = 20;

/**
 * Listens for scrapes: `GET /metrics`, and nothing else. Scrapes that come together share one reading. Port 0 lets the
 * system choose; `url` is where it listens.
 */
export async function serveMetrics(
  { text, contentType }: Pick<Exposition<MetricProcess>, 'text' | 'contentType'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  let reading: Promise<string> | undefined;
  const read = () => {
    reading ??= text().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const server = createServer(LIMITS, async (request, response) => {
    const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404, plain).end();
    if (request.method !== 'GET') return void response.writeHead(405, { ...plain, allow: 'GET' }).end();
    try {
      const body = await read();
      response.writeHead(200, { ...plain, 'content-type': contentType }).end(body);
    } catch {
      response.writeHead(500, plain).end();
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  return { url: urlOf(host, await listen(server, port, host)), close: () => closeServer(server) };
}

/**
 * The metrics of a process. With `METRICS_PORT` they are served there, with those of the process itself, until
 * everything that is opened later is closed; without it nothing listens, and they are only counted.
 */
export async function openMetrics<P extends MetricProcess>(
  process: P,
  config: { readonly METRICS_HOST: string; readonly METRICS_PORT?: number | undefined },
  { log, shutdown }: { readonly log: Logger; readonly shutdown: Shutdown },
): Promise<{ readonly metrics: Exposition<P>['metrics']; readonly url: string | null }> {
  const exposition = createMetrics(process);
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === undefined) return { metrics: exposition.metrics, url: null };
  exposition.watchProcess();
  const server = await serveMetrics(exposition, { host, port });
  shutdown.phase('metrics', () => server.close());
  log.info({ url: server.url }, 'metrics_served');
  return { metrics: exposition.metrics, url: server.url };
}
