import { expect, it } from 'vitest';
import { onEachDriver } from '../fixtures/drivers.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { askFor, UN_DIA } from '../fixtures/pedidos.ts';
import { startPipe } from '../fixtures/pipe.ts';
import { LOOPS, logOf, STEPS } from '../fixtures/procesos.ts';
import { urlAs } from '../fixtures/roles.ts';
import { useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const DOWNLOADS = 40;

onEachDriver('a worker that reaches the queue but not the database', (queueUrl) => {
  // A wake-up that was consumed in vain is woken again after this grace: no test waits that long.
  const servicio = useServicio(
    { ...(queueUrl ? { queueUrl } : {}), workerEnv: { RECONCILER_GRACE_SECONDS: '3600' } },
    LOOPS,
  );
  const pipe = duringTests(() => startPipe(() => servicio.databaseUrl));

  /** A worker whose database is behind the pipe. */
  const startCut = (env: Record<string, string> = {}) => {
    const url = new URL(urlAs(servicio.databaseUrl, 'worker'));
    url.host = new URL(pipe.url).host;
    return servicio.startWorker({ ...STEPS, DATABASE_URL: url.href, ...env });
  };
  const healthOf = async (name: string): Promise<{ checks: Record<string, string> }> => {
    const [, url] = /"healthUrl":"([^"]+)"/.exec(await logOf(servicio, name)) ?? [];
    return (await (await fetch(`${url}/healthz`)).json()) as { checks: Record<string, string> };
  };
  const workers = (count: number) =>
    waitFor(async () => {
      const seen = await servicio.sql`SELECT FROM latido WHERE rol = 'descargas' AND slots > 0`;
      return seen.length === count || null;
    });

  it('leaves its wake-ups to another one, and goes on when the database answers', async () => {
    const cut = await startCut();
    await workers(1);
    pipe.shut();
    const callers = await Promise.all(Array.from({ length: 4 }, () => servicio.newCiecCaller({ saldo: 11 })));
    const asked = await Promise.all(
      callers.flatMap((caller) =>
        Array.from({ length: DOWNLOADS / 4 }, (_, day) => `2025-04-${day + 10}`).map(async (dia) => ({
          caller,
          id: await askFor(caller, { ...UN_DIA, desde: dia, hasta: dia }),
        })),
      ),
    );
    // It may have paused assemblies too.
    const paused = { status: 'ok', checks: { 'consume-descargas': 'DATABASE_AWAY' } };
    await waitFor(async () =>
      (await healthOf(cut.name)).checks['consume-descargas'] === 'DATABASE_AWAY' ? true : null,
    );

    const other = await servicio.startWorker(STEPS);
    for (const { caller, id } of asked) expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(await healthOf(cut.name)).toMatchObject(paused);

    await other.stop();
    pipe.open();
    const [caller] = callers;
    if (!caller) throw new Error('no caller');
    await waitForEnd(caller, await askFor(caller, UN_DIA));
    expect(await logOf(servicio, cut.name)).toContain('queue_resumed');
    expect(await healthOf(cut.name)).toEqual({ status: 'ok', checks: {} });
    expect(await cut.stop()).toBe(true);
  });

  it('ends with an error when the database stays away', async () => {
    const cut = await startCut({ DATABASE_AWAY_SECONDS: '1', DATABASE_TIMEOUT_MS: '500' });
    await workers(1);
    pipe.shut();
    // Each part of the shutdown may wait for the database for its time.
    await waitFor(async () => !cut.isRunning() || null, 200);
    expect(await logOf(servicio, cut.name)).toContain('database_away_exiting');
    expect(await cut.stop(), 'ended with 0').toBe(false);
  });
});
