import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

/** Listens where it is told, 0 being anywhere, and stops at once. Gives where that was. */
async function listenAt(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return own;
}

// Of some 7,000 ports Linux gives 5,000 listeners a hundred that were only looked at, unless it keeps them back.
test.runIf(process.platform === 'linux')(
  'a port is for whoever names it, and for nobody who takes any',
  { timeout: 120_000 },
  async () => {
    const ports = new Set<number>();
    for (let n = 0; n < 150; n += 1) ports.add(await freePort());
    expect(ports.size).toBe(150);
    const given: number[] = [];
    for (let n = 0; n < 5_000; n += 1) given.push(await listenAt(0));
    expect(given.filter((port) => ports.has(port))).toEqual([]);
    for (const port of ports) expect(await listenAt(port)).toBe(port);
  },
);

test('returns the preferred port unless it is taken', async () => {
  const wanted = await freePort();
  expect(await freePort(wanted)).toBe(wanted);
  const holder = createServer().listen(wanted, '127.0.0.1');
  await once(holder, 'listening');
  const other = await freePort(wanted);
  expect(other).not.toBe(wanted);
  expect(await listenAt(other)).toBe(other);
  holder.close();
});
