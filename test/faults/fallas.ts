import type { AppProcess } from '@acuse/embedded';
import { Redis } from 'ioredis';
import type { Pipe } from '../integration/fixtures/pipe.ts';
import { LOOPS, logOf, STEPS } from '../integration/fixtures/procesos.ts';
import { type Servicio, waitFor } from '../integration/fixtures/servicio.ts';
import type { OwnPostgres, OwnRedis } from '../integration/fixtures/servidores.ts';
import type { Random } from './random.ts';
import type { Size } from './sizes.ts';

/** Longer than a claim of these workers lasts. */
const FROZEN_MS = 6_000;
/** Processes of each kind; a dead one is replaced. */
const HOW_MANY = { pasos: 3, rounds: 2, apis: 2, panel: 1 } as const;
type Grupo = keyof typeof HOW_MANY;
type Process = AppProcess & { readonly url?: string };

/** The processes of a service and its servers, and what may happen to them. */
export async function createFallas(deps: {
  servicio: Servicio;
  postgres: OwnPostgres;
  redis: OwnRedis | null;
  storage: Pipe;
  azar: Random;
  startPanel: () => Promise<AppProcess>;
}) {
  const { servicio, postgres, redis, storage, azar, startPanel } = deps;
  const brief = { SAT_PRESUPUESTO_MS: '10000', SAT_GRACIA_SECONDS: '2' };
  const start: Record<Grupo, () => Promise<Process>> = {
    pasos: () => servicio.startWorker(STEPS),
    rounds: () => servicio.startWorker({ ...LOOPS, RELAY_INTERVAL_MS: '50' }),
    apis: () => servicio.startApiProcess(brief),
    panel: startPanel,
  };
  const alive: Record<Grupo, Process[]> = { pasos: [], rounds: [], apis: [], panel: [] };
  const frozen: { worker: Process; at: number }[] = [];

  const startOne = async (grupo: Grupo) => void alive[grupo].push(await start[grupo]());
  for (const grupo of Object.keys(HOW_MANY) as Grupo[])
    for (let n = 0; n < HOW_MANY[grupo]; n += 1) await startOne(grupo);

  const take = (grupo: Grupo): Process => {
    const one = azar.pick(alive[grupo]);
    alive[grupo] = alive[grupo].filter((other) => other !== one);
    return one;
  };
  const kill = (grupo: Grupo) => async () => {
    const one = take(grupo);
    one.kill('SIGKILL');
    await waitFor(async () => !one.isRunning() || null);
    await startOne(grupo);
  };
  const thaw = (olderThan = 0) => {
    for (const one of frozen.filter(({ at }) => Date.now() - at >= olderThan)) {
      frozen.splice(frozen.indexOf(one), 1);
      one.worker.kill('SIGCONT');
      alive.pasos.push(one.worker);
    }
  };

  const faults: Partial<Record<Size, () => Promise<void>>> = {
    'kill a worker': kill('pasos'),
    'kill the loops': kill('rounds'),
    'kill an API': kill('apis'),
    'kill the panel': kill('panel'),
    'freeze a worker': async () => {
      const worker = take('pasos');
      worker.kill('SIGSTOP');
      frozen.push({ worker, at: Date.now() });
      if (alive.pasos.length === 0) await startOne('pasos');
    },
    'SIGTERM to a worker': async () => {
      const worker = take('pasos');
      const [isClean] = await Promise.all([worker.stop(), startOne('pasos')]);
      if (isClean) return;
      const said = (await logOf(servicio, worker.name))
        .split('\n')
        .filter((line) => /"level":"fatal"|"(?:shutdown|phase)_/.test(line));
      throw new Error(`${worker.name} did not end with 0 after SIGTERM\n${said.join('\n')}`);
    },
    'restart PostgreSQL': async () => {
      await postgres.end('stop');
      await postgres.start();
    },
    'kill PostgreSQL': async () => {
      await postgres.end('kill');
      await postgres.start();
    },
    'cut off storage': async () => {
      const before = storage.refused();
      storage.shut();
      await waitFor(async () => storage.refused() - before >= 3 || null).finally(() => storage.open());
    },
    ...(redis && {
      'kill Redis': async () => {
        await redis.end('kill');
        await redis.start();
      },
      'kill and empty Redis': async () => {
        await redis.end('kill');
        await redis.wipe();
        await redis.start();
      },
      'flush Redis': async () => {
        const client = new Redis(redis.url);
        await client.flushall();
        client.disconnect();
      },
    }),
  };

  return {
    names: Object.keys(faults) as Size[],
    async strike(name: Size): Promise<void> {
      thaw(FROZEN_MS);
      await faults[name]?.();
    },
    thaw,
    /** The APIs that may be asked now. */
    apis: () => alive.apis,
    /** Every process of ours that runs, by its name. */
    processes: () => Object.values(alive).flat(),
    /** Processes that ended without being stopped by the test. */
    fallen: () =>
      Object.values(alive)
        .flat()
        .filter((one) => !one.isRunning())
        .map(({ name }) => name),
    async stop(): Promise<boolean> {
      thaw();
      const ended = await Promise.all(
        Object.values(alive)
          .flat()
          .map((one) => one.stop()),
      );
      return ended.every(Boolean);
    },
  };
}
