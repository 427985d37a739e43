import { performance } from 'node:perf_hooks';
import { TLSSocket } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { connectionOf } from './connection-of.ts';
import { createDirecciones, HOSTS_SAT, type SatHttpSettings } from './direcciones.ts';

/** A host of the authority as it answered one request. */
export interface HostFacts {
  readonly status: number;
  /** From the call to the headers of the answer, the connection included. */
  readonly latencyMs: number;
  /** Null over http, as before a simulator. */
  readonly tls: { readonly protocol: string; readonly validTo: Date } | null;
  /** Milliseconds by which our clock is ahead of the host's, within a second; null when it told no time. */
  readonly skewMs: number | null;
}

/** The `Date` of an answer has no milliseconds. */
const HALF_A_SECOND_MS = 500;

/** The hosts that are spoken to while these channels (`portal`) are switched off. */
export function hostsInUse(desactivados: readonly string[]): readonly string[] {
  return Object.entries(HOSTS_SAT).flatMap(([host, { canal }]) => (desactivados.includes(canal) ? [] : [host]));
}

/**
 * Asks a host for its front page, once, over a connection like those of all other requests; whatever it answers says
 * that it can be reached. The breaker hears nothing of it. Rejects with what the network or TLS says.
 */
export async function inspectHost(
  host: string,
  settings: SatHttpSettings,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<HostFacts> {
  const { origin, path } = createDirecciones(settings).locate({ host, path: '/' });
  const connect = buildConnector(connectionOf(host, settings));
  let tls: HostFacts['tls'] = null;
  const client = new Client(origin, {
    connect(options, done) {
      connect(options, (...[error, socket]) => {
        if (socket instanceof TLSSocket)
          tls = { protocol: socket.getProtocol() ?? '', validTo: new Date(socket.getPeerCertificate().valid_to) };
        if (error) done(error, null);
        else done(null, socket);
      });
    },
  });
  try {
    const [asked, startedAt] = [now(), performance.now()];
    const answer = await client.request({ method: 'GET', path, headers: { 'user-agent': 'acuse' }, signal });
    const latencyMs = Math.round(performance.now() - startedAt);
    answer.body.on('error', () => {}).destroy();
    const told = Date.parse(String(answer.headers['date']));
    return {
      status: answer.statusCode,
      latencyMs,
      tls,
      skewMs: Number.isNaN(told) ? null : (asked + now()) / 2 - told - HALF_A_SECOND_MS,
    };
  } finally {
    await client.destroy();
  }
}
