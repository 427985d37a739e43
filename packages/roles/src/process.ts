import {
  assertWritable,
  type Database,
  type DatabaseSettings,
  requireSecretos,
  type Secreto,
  type SI_FALTAN,
} from '@acuse/db';
import { type MetricProcess, type Metrics, observePool, openMetrics } from '@acuse/metrics';
import { createHealth, type Health, type HealthCheck, type Logger, type Shutdown } from '@acuse/runtime';
import { openTracing, type Tracing, type TracingConfig } from '@acuse/tracing';
import { idsOf } from '@acuse/vault';

/** Parts of every process, open until everything that opens later has closed. */
export interface ProcessParts<P extends MetricProcess, D extends Database = Database> {
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly metrics: Metrics<P>;
  /** Address of /metrics; null where nothing serves it. */
  readonly metricsUrl: string | null;
  readonly tracing: Tracing;
  readonly database: D;
  readonly health: Health;
  /** Closes `opened` at shutdown, in the reverse order of opening; returns it. */
  closeLater<T extends { close(): unknown }>(name: string, opened: T): T;
  /** Adds a check of `/readyz`. */
  check(name: string, check: HealthCheck): void;
  /** Adds a note to the answer of `/healthz`. */
  note(note: () => Record<string, string>): void;
}

type ProcessConfig = Partial<Readonly<Record<Secreto, string>>> & {
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL: number;
  readonly METRICS_HOST: string;
  readonly METRICS_PORT?: number | undefined;
  readonly SECRETOS_FALTANTES: (typeof SI_FALTAN)[number];
};

/**
 * Opens the parts of a process: metrics, tracing, database. Rejects with `SecretoFaltante` when rows hang on an id that
 * is gone from one of its `secretos`. `timeoutMs`: milliseconds for a statement. `tracing`: null for a process without.
 */
export async function openProcess<P extends MetricProcess, D extends Database>(
  process: P,
  config: ProcessConfig,
  options: {
    readonly log: Logger;
    readonly shutdown: Shutdown;
    readonly tracing: TracingConfig | null;
    readonly open: (settings: DatabaseSettings) => D;
    readonly timeoutMs: number;
    readonly secretos: readonly Secreto[];
  },
): Promise<ProcessParts<P, D>> {
  const { log, shutdown, open, timeoutMs, secretos } = options;
  const closeLater = <T extends { close(): unknown }>(name: string, opened: T): T => {
    shutdown.phase(name, () => opened.close());
    return opened;
  };
  const { metrics, url: metricsUrl } = await openMetrics(process, config, { log, shutdown });
  const tracing = await openTracing(process, options.tracing, { log, shutdown });
  const { DATABASE_URL: url, DATABASE_POOL: poolSize } = config;
  const wait = metrics.poolWait.with({});
  const onWait = (seconds: number) => wait.observe(seconds);
  const database = open({ url, poolSize, timeoutMs, applicationName: `acuse-${process}`, onWait });
  closeLater('database', database);
  observePool(metrics, database.pool, poolSize);
  const ids = Object.fromEntries(secretos.map((name) => [name, idsOf(name, config[name] ?? '')]));
  await requireSecretos(database, ids, { siFaltan: config.SECRETOS_FALTANTES, log });

  const checks: Record<string, HealthCheck> = { database: () => assertWritable(database) };
  const notes: (() => Record<string, string>)[] = [];
  return {
    log,
    shutdown,
    metrics,
    metricsUrl,
    tracing,
    database,
    closeLater,
    health: createHealth({ checks, notes: () => Object.assign({}, ...notes.map((note) => note())) }),
    check: (name, check) => void Object.assign(checks, { [name]: check }),
    note: (note) => void notes.push(note),
  };
}
