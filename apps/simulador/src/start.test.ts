import { expect, it, onTestFinished } from 'vitest';
import { startSimulador } from './start.ts';

it('leaves it to its callers to close a connection that is idle', async () => {
  const simulador = await startSimulador();
  onTestFinished(() => simulador.close());
  const { status, headers } = await fetch(`${simulador.url}/salud`);
  expect([status, headers.get('keep-alive')]).toEqual([200, null]);
});
