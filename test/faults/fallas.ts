import type { AppProcess } from '@acuse/embedded';
import { LOOPS, STEPS } from '../integration/fixtures/procesos.ts';
import type { Servicio } from '../integration/fixtures/servicio.ts';
import type { OwnPostgres, OwnRedis } from '../integration/fixtures/servidores.ts';
import type { Random } from './random.ts';

const GROUPS = { pasos: STEPS, rondas: LOOPS } as const;
type Grupo = keyof typeof GROUPS;

/** The workers of a service and its servers, and what may happen to them. Whoever dies is replaced. */
export async function createFallas(deps: {
  servicio: Servicio;
  postgres: OwnPostgres;
  redis: OwnRedis | null;
  azar: Random;
  workers: Record<Grupo, number>;
}) {
  const { servicio, postgres, redis, azar } = deps;
  const alive: Record<Grupo, AppProcess[]> = { pasos: [], rondas: [] };
  const frozen: { worker: AppProcess; grupo: Grupo }[] = [];

  const startOne = async (grupo: Grupo) => void alive[grupo].push(await servicio.startWorker(GROUPS[grupo]));
  for (const grupo of ['rondas', 'pasos'] as const)
    for (let n = 0; n < deps.workers[grupo]; n += 1) await startOne(grupo);

  const take = (grupo: Grupo): AppProcess => {
    const worker = azar.pick(alive[grupo]);
    alive[grupo] = alive[grupo].filter((other) => other !== worker);
    return worker;
  };
  const kill = async (grupo: Grupo) => {
    take(grupo).kill('SIGKILL');
    await startOne(grupo);
  };
  const thaw = () => {
    for (const { worker, grupo } of frozen.splice(0)) {
      worker.kill('SIGCONT');
      alive[grupo].push(worker);
    }
  };

  const faults: Record<string, () => Promise<void>> = {
    'kill a worker': () => kill('pasos'),
    'kill two workers': async () => {
      take('pasos').kill('SIGKILL');
      await kill('pasos');
      await startOne('pasos');
    },
    'kill the loops': () => kill('rondas'),
    'freeze a worker': async () => {
      const worker = take('pasos');
      worker.kill('SIGSTOP');
      frozen.push({ worker, grupo: 'pasos' });
      await startOne('pasos');
    },
    'SIGTERM to a worker': async () => {
      const worker = take('pasos');
      const [isClean] = await Promise.all([worker.stop(), startOne('pasos')]);
      if (!isClean) throw new Error(`${worker.name} did not end with 0 after SIGTERM`);
    },
    'restart PostgreSQL': async () => {
      await postgres.end('stop');
      await postgres.start();
    },
    'kill PostgreSQL': async () => {
      await postgres.end('kill');
      await postgres.start();
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
    }),
  };

  return {
    names: Object.keys(faults),
    async strike(name: string): Promise<void> {
      thaw();
      await faults[name]?.();
    },
    thaw,
    /** Workers that ended although nobody told them to. */
    fallen: () => [...alive.pasos, ...alive.rondas].filter((worker) => !worker.isRunning()).length,
    async stop(): Promise<boolean> {
      thaw();
      const ended = await Promise.all([...alive.pasos, ...alive.rondas].map((worker) => worker.stop()));
      return ended.every(Boolean);
    },
  };
}
