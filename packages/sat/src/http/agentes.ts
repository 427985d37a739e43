import { rootCertificates } from 'node:tls';
import { Pool } from 'undici';
import { HOSTS_SAT } from './hosts.ts';
import { SAT_HTTP_DEFAULTS, type SatHttpSettings } from './settings.ts';

export interface Agentes {
  /** The connections of one host; opened at the first use. */
  of(host: string, origin: string): Pool;
  /** Requests to a host that are sent or wait for a connection. */
  underWay(host: string): number;
  close(): Promise<void>;
}

/**
 * One pool of connections per host of the SAT, even where several hosts share an address, so that each has its own
 * cap and its own TLS. Certificates are always verified.
 */
export function createAgentes(settings: SatHttpSettings): Agentes {
  const pools = new Map<string, Pool>();
  const s = { ...SAT_HTTP_DEFAULTS, ...settings };

  function open(host: string, origin: string): Pool {
    const sinDhe = HOSTS_SAT[host]?.sinDhe || settings.tlsSinDhe?.includes(host);
    return new Pool(origin, {
      connections: s.maxConcurrentPerHost,
      pipelining: 1,
      headersTimeout: s.headersTimeoutMs,
      bodyTimeout: s.bodyTimeoutMs,
      connect: {
        timeout: s.connectTimeoutMs,
        rejectUnauthorized: true,
        ...(sinDhe ? { ciphers: s.tlsSinDheCiphers } : {}),
        ...(settings.tlsCa === undefined ? {} : { ca: [...rootCertificates, settings.tlsCa] }),
      },
    });
  }

  return {
    of(host, origin) {
      const pool = pools.get(host) ?? open(host, origin);
      pools.set(host, pool);
      return pool;
    },
    underWay: (host) => pools.get(host)?.stats.size ?? 0,
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}
