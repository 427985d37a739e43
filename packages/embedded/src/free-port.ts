import { type AddressInfo, createServer } from 'node:net';

/** A TCP port of the loopback interface that was free a moment ago: `preferred` unless somebody has it. */
export async function freePort(preferred = 0): Promise<number> {
  try {
    return await tryPort(preferred);
  } catch (error) {
    if (preferred === 0) throw error;
    return tryPort(0);
  }
}

async function tryPort(wanted: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
