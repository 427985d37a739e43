import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/**
 * A free TCP port of the loopback interface: `preferred` unless it is taken. For the next minute the system gives it to
 * no process that asks for any port; a process that asks for this port gets it.
 */
export async function freePort(preferred = 0): Promise<number> {
  try {
    return await takePort(preferred);
  } catch (error) {
    if (preferred === 0) throw error;
    return takePort(0);
  }
}

/** The same, of this very port. @throws what listening on it throws. */
export async function takePort(wanted: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  await leaveInTimeWait(server, port);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/**
 * A connection that the listening side ends first keeps its port in TIME-WAIT (RFC 9293, section 3.6), which only
 * hinders those who want any port.
 */
async function leaveInTimeWait(server: Server, port: number): Promise<void> {
  server.once('connection', (theirs) => theirs.end());
  const ours = connect(port, '127.0.0.1').resume();
  await once(ours, 'close');
}
