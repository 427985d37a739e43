import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { deadline } from './abort.ts';

/** The open connections of each server, with the number of requests that each has running. */
const connections = new WeakMap<Server, Map<Socket, number>>();

/**
 * Listens; resolves with the port. Port 0 lets the system choose. Once `leaving` is aborted every answer is the last of
 * its connection, so that a balancer opens none of its idle ones to a listener that is gone.
 */
export function listen(server: Server, port: number, host: string, leaving?: AbortSignal): Promise<number> {
  const running = new Map<Socket, number>();
  connections.set(server, running);
  server.on('connection', (socket: Socket) => {
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    if (leaving?.aborted) response.shouldKeepAlive = false;
    response.once('close', () => {
      const left = (running.get(socket) ?? 1) - 1;
      if (running.has(socket)) running.set(socket, left);
      if (left === 0 && !server.listening) socket.destroySoon();
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Stops taking connections, lets running requests end, then resolves. A connection is closed as soon as it has no
 * request: at once when it is idle, has never asked for anything (browsers open some ahead of time) or has not ended
 * its headers, and otherwise once the whole answer is with the operating system. The server must have been started with
 * {@link listen}.
 */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Not http.Server's own close: that cuts an answer whose last part is written but not yet sent.
    NetServer.prototype.close.call(server, (error) => (error ? reject(error) : resolve()));
    for (const [socket, requests] of connections.get(server) ?? []) if (requests === 0) socket.destroy();
  });
  // Nothing is left to close but the timer with which node watches the time of requests; until here it was needed.
  server.close();
}

/**
 * Where a server that listens on `host` and `port` is reached: an IPv6 address goes in brackets (RFC 3986 section
 * 3.2.2).
 */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Looks at one thing the process needs; rejects when it is not there. */
export type HealthCheck = (signal: AbortSignal) => Promise<unknown>;

/** Each check with `ok` or the code of its failure. */
type Results = readonly (readonly [name: string, outcome: string])[];

interface HealthOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /** What a process that runs tells of itself, by the names of its checks; nothing by default. */
  readonly notes?: () => Readonly<Record<string, string>>;
  /** The limit of each check in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number;
  /** How long a finished report is answered again, in milliseconds; 1,000 by default. */
  readonly cacheMs?: number;
  readonly now?: () => number;
}

/** Answer to a probe. `checks` holds `ok` or the code of the failure; never a message, since probes need no key. */
interface HealthReport {
  readonly status: 'ok' | 'unavailable' | 'closing';
  readonly checks: Readonly<Record<string, string>>;
}

export interface Health {
  /** The process runs: always `ok`, with its notes. */
  live(): HealthReport;
  /** The process can serve: every check but those of `exclude` passes, and it is not closing. */
  ready(exclude?: readonly string[]): Promise<HealthReport>;
  /** From now on `ready` says `closing`, so that a balancer stops sending before the listener closes. */
  drain(): void;
}

/**
 * Makes the answers of `/healthz` and `/readyz`. Probes that come at once share one round of checks; `?exclude=NAME`
 * leaves a check out, as the API of Kubernetes does.
 */
export function createHealth(options: HealthOptions): Health {
  const {
    checks,
    notes = () => ({}),
    timeoutMs = 2_000,
    cacheMs = 1_000,
    now = performance.now.bind(performance),
  } = options;
  let draining = false;
  let running: Promise<Results> | undefined;
  let last: { readonly results: Results; readonly at: number } | undefined;

  async function look(): Promise<Results> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check, timeoutMs)] as const),
    );
    last = { results, at: now() };
    running = undefined;
    return results;
  }

  return {
    live: () => ({ status: 'ok', checks: notes() }),
    async ready(exclude = []) {
      if (draining) return { status: 'closing', checks: {} };
      const isFresh = last !== undefined && now() - last.at < cacheMs;
      if (!isFresh) running ??= look();
      const results = (isFresh ? last?.results : await running) ?? [];
      const left = results.filter(([name]) => !exclude.includes(name));
      const isHealthy = left.every(([, outcome]) => outcome === 'ok');
      return { status: isHealthy ? 'ok' : 'unavailable', checks: Object.fromEntries(left) };
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
  const [path, query] = url.split('?');
  if (path !== '/healthz' && path !== '/readyz') return { status: 404, body: '{"status":"not found"}' };
  const report = path === '/healthz' ? health.live() : await health.ready(new URLSearchParams(query).getAll('exclude'));
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
