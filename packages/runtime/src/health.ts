import { createServer } from 'node:http';
import { deadline } from './abort.ts';
import { closeServer, listen, urlOf } from './http-server.ts';

/** Looks at one thing the process needs; rejects when it is not there. */
export type HealthCheck = (signal: AbortSignal) => Promise<unknown>;

export interface HealthOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /** The limit of each check in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number;
  /** How long a finished report is answered again, in milliseconds; 1,000 by default. */
  readonly cacheMs?: number;
  readonly now?: () => number;
}

/** What a probe is told. `checks` says `ok` or the code of the failure; never a message, since anyone may ask. */
interface HealthReport {
  readonly status: 'ok' | 'unavailable' | 'closing';
  readonly checks: Readonly<Record<string, string>>;
}

export interface Health {
  /** The process runs: always `ok`. */
  live(): HealthReport;
  /** The process can serve: every check passes and it is not closing. */
  ready(): Promise<HealthReport>;
  /** From now on `ready` says `closing`, so that a balancer stops sending before the listener closes. */
  drain(): void;
}

/** Makes the answers of `/healthz` and `/readyz`. Probes that come at once share one round of checks. */
export function createHealth(options: HealthOptions): Health {
  const { checks, timeoutMs = 2_000, cacheMs = 1_000, now = performance.now.bind(performance) } = options;
  let draining = false;
  let running: Promise<HealthReport> | undefined;
  let last: { readonly report: HealthReport; readonly at: number } | undefined;

  async function look(): Promise<HealthReport> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check, timeoutMs)] as const),
    );
    const healthy = results.every(([, outcome]) => outcome === 'ok');
    const report: HealthReport = {
      status: healthy ? 'ok' : 'unavailable',
      checks: Object.fromEntries(results),
    };
    last = { report, at: now() };
    running = undefined;
    return report;
  }

  return {
    live: () => ({ status: 'ok', checks: {} }),
    async ready() {
      if (draining) return { status: 'closing', checks: {} };
      if (last && now() - last.at < cacheMs) return last.report;
      running ??= look();
      return running;
    },
    drain() {
      draining = true;
    },
  };
}

/**
 * A server for a process that has no other: `GET /healthz` and `GET /readyz`, 200 or 503, JSON. It is already listening
 * when the promise resolves; port 0 lets the system choose. `url` is where it listens.
 */
export async function serveHealth(
  health: Health,
  port: number,
  host = '127.0.0.1',
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void respond(health, request.url ?? '').then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body);
    });
  });
  return { url: urlOf(host, await listen(server, port, host)), close: () => closeServer(server) };
}

async function respond(health: Health, url: string): Promise<{ status: number; body: string }> {
  const path = url.split('?')[0];
  if (path !== '/healthz' && path !== '/readyz') return { status: 404, body: '{"status":"not found"}' };
  const report = path === '/healthz' ? health.live() : await health.ready();
  return { status: report.status === 'ok' ? 200 : 503, body: JSON.stringify(report) };
}

async function outcomeOf(check: HealthCheck, timeoutMs: number): Promise<string> {
  try {
    await deadline(timeoutMs, async (signal) => check(signal));
    return 'ok';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : 'FAILED';
  }
}
