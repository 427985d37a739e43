import type { AccesoMetrics, Cancelacion, SatMetrics } from '@acuse/core';
import type { Metrics } from './catalogue.ts';

/** Counts the answers of one route and their time, with as little work as there can be: it is called for every request. */
export function createRouteObserver(
  { httpRequests, httpDuration }: Pick<Metrics<'api'>, 'httpRequests' | 'httpDuration'>,
  route: string,
): (status: number, seconds: number) => void {
  const duration = httpDuration.with({ route });
  const counters = new Map<number, ReturnType<typeof httpRequests.with>>();
  return (status, seconds) => {
    let counter = counters.get(status);
    if (counter === undefined) {
      counter = httpRequests.with({ route, status: String(status) });
      counters.set(status, counter);
    }
    counter.add();
    duration.observe(seconds);
  };
}

/** Counts requests to the SAT, its log-ins and captchas, and passes each request on to `others`. */
export function observeSat(
  metrics: Pick<
    Metrics<'api' | 'worker'>,
    'satRequests' | 'satDuration' | 'logins' | 'loginDuration' | 'captchas' | 'captchaDuration'
  >,
  ...others: readonly SatMetrics[]
): SatMetrics & AccesoMetrics {
  return {
    record(measurement) {
      const { canal, host, resultado, ms } = measurement;
      metrics.satRequests.with({ canal, host, resultado }).add();
      const isAnswered = resultado === 'exito' || resultado === 'rechazo' || resultado === 'fallo';
      if (isAnswered) metrics.satDuration.with({ canal }).observe(ms / 1_000);
      for (const other of others) other.record(measurement);
    },
    login({ portal, credencial, resultado, ms }) {
      metrics.logins.with({ portal, credencial, resultado }).add();
      metrics.loginDuration.with({ credencial }).observe(ms / 1_000);
    },
    captcha({ resultado, ms }) {
      metrics.captchas.with({ resultado }).add();
      if (resultado === 'leido') metrics.captchaDuration.with({}).observe(ms / 1_000);
    },
  };
}

/** Counts a solicitud that its owner has ended, with its refund; one that had ended before counts nothing. */
export function countCancelacion(
  { solicitudesEnded, refunds }: Pick<Metrics<'api' | 'panel'>, 'solicitudesEnded' | 'refunds'>,
  cancelacion: Cancelacion | null,
): void {
  if (cancelacion?.resultado !== 'CANCELADA' || cancelacion.isRepetida) return;
  solicitudesEnded.with({ estado: 'CANCELADA' }).add();
  refunds.with({ causa: 'cancelada' }).add();
}

/** Connections to a database, as `pg.Pool` tells of them. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Shows at each scrape how many connections of a pool are used, and how many callers wait for one. */
export function observePool(
  metrics: Pick<Metrics, 'poolConnections' | 'poolSize' | 'poolWaiting' | 'collect'>,
  pool: Pool,
  max: number,
): void {
  const [inUse, idle] = (['in_use', 'idle'] as const).map((state) => metrics.poolConnections.with({ state }));
  metrics.collect({
    name: 'pool',
    sets: ['poolConnections', 'poolSize', 'poolWaiting'],
    cacheMs: 0,
    read: () => pool,
    apply({ totalCount, idleCount, waitingCount }) {
      inUse?.set(totalCount - idleCount);
      idle?.set(idleCount);
      metrics.poolSize.with({}).set(max);
      metrics.poolWaiting.with({}).set(waitingCount);
    },
  });
}
