import { once } from 'node:events';
import { connect } from 'node:net';
import { ExplainedError, explain, parseQueueUrl } from '@acuse/runtime';
import pg from 'pg';

/** Where a server of each kind listens when its address does not say (IANA's registry of services). */
const PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'http:': 80,
  'https:': 443,
};
const TIMEOUT_MS = 10_000;

/**
 * Looks whether the servers that settings name answer, before anything is started. @throws an ExplainedError that names
 * the setting of one that does not.
 */
export async function requireServers(urls: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const [server, url] of Object.entries(urls)) {
    if (url === undefined) continue;
    try {
      const servers = url.startsWith('redis') ? parseQueueUrl(url).servers : [new URL(url)];
      await Promise.any(servers.map(requireListener));
      if (url.startsWith('postgres')) await requireLogin(url);
    } catch (error) {
      throw new ExplainedError(explain(error, { server }), { cause: error });
    }
  }
}

async function requireListener({ protocol, hostname, port }: URL): Promise<void> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORTS[protocol]),
    timeout: TIMEOUT_MS,
  });
  socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

async function requireLogin(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
  } finally {
    await client.end().catch(() => {});
  }
}
