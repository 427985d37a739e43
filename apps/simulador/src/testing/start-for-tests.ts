import { afterAll, afterEach } from 'vitest';
import { type RunningSimulador, type StartOptions, startSimulador } from '../start.ts';

/**
 * Starts a simulator for the tests of a file, its clock at `now` if one is given. After each test no fault is left and
 * the clock stands there again; after the last one it is closed.
 */
export async function startForTests(options: StartOptions = {}, now: Date | null = null): Promise<RunningSimulador> {
  const simulador = await startSimulador(options);
  simulador.world.clock.set(now);
  afterEach(() => {
    simulador.world.faults.remove();
    simulador.world.clock.set(now);
  });
  afterAll(() => simulador.close());
  return simulador;
}
