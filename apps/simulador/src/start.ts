import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createAdaptorServer } from '@hono/node-server';
import { createSimulador, type Simulador } from './app.ts';
import type { World, WorldOptions } from './world/world.ts';

export type StartOptions = WorldOptions & {
  port?: number | undefined;
  host?: string | undefined;
  /** Serves HTTPS, with a certificate of the simulator's authority for this machine and `host`. */
  https?: boolean | undefined;
};

/** A simulator that listens. `url` has no slash at its end. */
export type RunningSimulador = Simulador & { url: string; close(): Promise<void> };

/** Starts the simulator; port 0 (the default) takes a free one. Rejects when it may not listen there. */
export async function startSimulador(options: StartOptions = {}): Promise<RunningSimulador> {
  const { port = 0, host = '127.0.0.1', https = false } = options;
  const { app, world } = await createSimulador(options);
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(https ? { createServer: createTlsServer, serverOptions: await tlsOf(world, host) } : { createServer }),
  }) as Server;
  // The client closes idle connections: when both sides may, a request is lost now and then.
  server.keepAliveTimeout = 0;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    app,
    world,
    url: `${https ? 'https' : 'http'}://${reachable(host)}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The host of an address to call: the loopback for a server on all interfaces. */
function reachable(host: string): string {
  const name = ANY[host] ?? host;
  return name.includes(':') ? `[${name}]` : name;
}

function tlsOf(world: World, host: string): Promise<{ cert: string; key: string }> {
  const names = ['localhost', '127.0.0.1', '::1'];
  return world.pki.issueServer(host in ANY || names.includes(host) ? names : [...names, host]);
}
