import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { startOnFreePorts } from './ports.ts';

test('chooses another port when a program takes it between the check and the bind', async () => {
  const other = createServer();
  const tried: number[] = [];
  const url = await startOnFreePorts({}, { ports: {} }, async ({ panel = 0 }) => {
    tried.push(panel);
    if (tried.length > 1) return `http://127.0.0.1:${panel}`;
    other.listen(panel, '127.0.0.1');
    await once(other, 'listening');
    throw new Error('EADDRINUSE');
  });
  other.close();
  expect(tried).toHaveLength(2);
  expect(tried[1]).not.toBe(tried[0]);
  expect(url).toBe(`http://127.0.0.1:${tried[1]}`);
});

test('passes on a failure that no port explains', async () => {
  const port = await freePort();
  const start = () => Promise.reject(new Error('no disk'));
  await expect(startOnFreePorts({ port }, { ports: {} }, start)).rejects.toThrow('no disk');
});
