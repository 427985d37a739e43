import { once } from 'node:events';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createSimulador } from './app.ts';
import type { World, WorldOptions } from './world/world.ts';

export type StartOptions = WorldOptions & { port?: number | undefined; host?: string | undefined };

/** A simulator that listens. `url` has no slash at its end. */
export type RunningSimulador = { url: string; world: World; close(): Promise<void> };

/** Starts the simulator; port 0 (the default) takes a free one. */
export async function startSimulador(options: StartOptions = {}): Promise<RunningSimulador> {
  const { port = 0, host = '127.0.0.1' } = options;
  const { app, world } = await createSimulador(options);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  // Who calls closes what is idle: a connection that both may close ends now and then with a request on its way.
  server.keepAliveTimeout = 0;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    world,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
