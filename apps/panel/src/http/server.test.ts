import { once } from 'node:events';
import { connect } from 'node:net';
import { closeServer, listen } from '@acuse/runtime';
import { expect, test } from 'vitest';
import { createServerFor } from './server.ts';

test('closing does not wait for a connection that has never asked for anything', async () => {
  const server = createServerFor(() => {
    throw new Error('nothing is asked');
  });
  const port = await listen(server, 0, '127.0.0.1');
  const taken = once(server, 'connection');
  const early = connect(port, '127.0.0.1');
  const over = once(early, 'close');
  await taken;
  await closeServer(server);
  await over;
  expect(server.listening).toBe(false);
});
