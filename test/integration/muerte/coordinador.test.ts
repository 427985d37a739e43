import { inspectDatabase } from '@acuse/db';
import { type AppProcess, freePort } from '@acuse/embedded';
import { describe, expect, it } from 'vitest';
import { reviewCoordinator } from '../../../apps/cli/src/operador/revisar/database.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS } from '../fixtures/procesos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { useServicio } from '../fixtures/servicio.ts';

const STANDBY = { relay: 'standby', reconciler: 'standby', reaper: 'standby' };

describe('processes with the roles of which one at a time is active', { shuffle: false }, () => {
  const servicio = useServicio({}, STEPS);

  async function start(): Promise<AppProcess & { notes(): Promise<object>; ready(): Promise<number> }> {
    const port = await freePort();
    const app = await servicio.startWorker({ ...LOOPS, HEALTH_PORT: String(port) });
    const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    return {
      ...app,
      notes: async () => ((await (await at('/healthz')).json()) as { checks: object }).checks,
      ready: async () => (await at('/readyz')).status,
    };
  }
  /** Asks for downloads until one has begun and ended. */
  async function expectWork(): Promise<void> {
    const caller = await newEfirmaCaller(servicio);
    await expectWhole(servicio, caller, await askFor(caller, MES));
  }
  const sessions = () =>
    servicio.sql<{
      pid: number;
    }>`SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory'
      WHERE a.datname = current_database() AND a.application_name = 'acuse-worker-roles' GROUP BY a.pid`;

  /** Mark of `acuse operador revisar`. */
  const coordinator = async () =>
    reviewCoordinator(await inspectDatabase(servicio.databaseUrl, { timeoutMs: 10_000, now: Date.now })).mark;

  it('work in the first; another stands by, ready, and goes on when the first is killed', async () => {
    const [first, second] = [await start(), await start()];
    expect([await first.notes(), await second.notes()]).toEqual([{}, STANDBY]);
    expect([await first.ready(), await second.ready()]).toEqual([200, 200]);
    await expectWork();
    first.kill('SIGKILL');
    await expectWork();
    expect(await second.notes()).toEqual({});

    const third = await start();
    expect(await third.notes()).toEqual(STANDBY);
    expect(await second.stop()).toBe(true);
    await expectWork();
    expect([await third.notes(), await coordinator()]).toEqual([{}, 'bien']);
    expect(await third.stop()).toBe(true);
    expect(await coordinator()).toBe('falla');
  });

  it('are active once when the server ended the connection of the active one', async () => {
    const both = [await start(), await start()];
    const [session] = await sessions();
    await servicio.sql`SELECT pg_terminate_backend(${session?.pid})`;
    await expectWork();
    await expect.poll(sessions).toHaveLength(1);
    await expect
      .poll(async () =>
        (await Promise.all(both.map((each) => each.notes()))).map((notes) => Object.keys(notes).length).sort(),
      )
      .toEqual([0, 3]);
    for (const each of both) expect(await each.stop()).toBe(true);
  });

  it('take over from one that stands still', { tags: ['slow'] }, async () => {
    const [frozen, other] = [await start(), await start()];
    frozen.kill('SIGSTOP');
    await expectWork();
    expect(await other.notes()).toEqual({});
    frozen.kill('SIGCONT');
    await expect.poll(() => frozen.notes()).toEqual(STANDBY);
    for (const each of [frozen, other]) expect(await each.stop()).toBe(true);
  });
});
