import { hostname } from 'node:os';
import type { SatMetrics } from '@acuse/core';
import {
  assertWritable,
  createClaims,
  createHeartbeats,
  createSatMetrics,
  openDatabase,
  requireSecretos,
} from '@acuse/db';
import { observeSat, openMeasured, openMetrics } from '@acuse/metrics';
import { createWakes } from '@acuse/roles';
import { createHealth, type Health, type HealthCheck, type Logger, modoOf, type Shutdown } from '@acuse/runtime';
import { secretosDe, type WorkerConfig } from '@acuse/settings/worker';
import { openPaquetesS3 } from '@acuse/storage';
import { openTracing } from '@acuse/tracing';
import { idsOf } from '@acuse/vault';
import { createAsked } from './asked.ts';
import { createConsumers } from './consume.ts';
import { CLAIM_PARTS, CLAIMS_DECORATORS, FINISH_NOTES } from './features.ts';
import { meterClaims, meterPaquetes } from './metering.ts';
import type { WorkerContext } from './roles/role.ts';
import { type OpenSats, openSats } from './sats.ts';
import { createFailpoint } from './steps.ts';
import { tracePaquetes } from './tracing.ts';

/** Opens the parts that the roles of a process share, and its health. */
export async function openContext(
  config: WorkerConfig,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ readonly context: WorkerContext; readonly health: Health }> {
  const checks: Record<string, HealthCheck> = {};
  const notes: (() => Record<string, string>)[] = [];
  const closeLater = <T extends { close(): unknown }>(name: string, opened: T): T => {
    shutdown.phase(name, () => opened.close());
    return opened;
  };

  const { metrics } = await openMetrics('worker', config, { log, shutdown });
  const tracing = await openTracing('worker', config, { log, shutdown });
  const database = openMeasured(
    openDatabase,
    {
      url: config.DATABASE_URL,
      poolSize: config.DATABASE_POOL,
      timeoutMs: config.DATABASE_TIMEOUT_MS,
      applicationName: 'acuse-worker',
    },
    { metrics, shutdown },
  );
  checks['database'] = () => assertWritable(database);
  const ids = Object.fromEntries(secretosDe(config.WORKER_ROLES).map(({ name }) => [name, idsOf(name, config[name])]));
  await requireSecretos(database, ids, { siFaltan: config.SECRETOS_FALTANTES, log });

  const storage = { createBucket: config.S3_CREATE_BUCKET, compressionLevel: config.ZIP_LEVEL };
  const stored = meterPaquetes(closeLater('storage', openPaquetesS3(config, storage)), metrics);
  // A simulator in the SAT's place makes every key a test key, which costs as one before the SAT would.
  const isCharged: WorkerContext['isCharged'] = (modo) => modoOf(config) === 'test' || modo === 'live';
  const asked = createAsked();
  const proceso = `${hostname()}:${process.pid}`;
  const pasoEnCurso = () => ({ proceso, consultas: asked.soFar() });
  const own = createClaims(database, { pasoEnCurso, claimParts: CLAIM_PARTS, finishNotes: FINISH_NOTES });
  const decorated = CLAIMS_DECORATORS.reduce((claims, add) => add(claims, { database, log, metrics }), own);

  /** Receivers of every request to the SAT, and to a simulator beside it. */
  const requests: SatMetrics = {
    record(measurement) {
      asked.record(measurement);
      tracing.sat.record(measurement);
    },
  };
  const satMetrics = observeSat(metrics, closeLater('medidor-sat', createSatMetrics(database)), requests);
  let sats: OpenSats | null = null;

  const shared = {
    ...{ config, log, shutdown, database, metrics, tracing, proceso, satMetrics, isCharged, closeLater },
    queueSettings: { url: config.QUEUE_URL ?? config.DATABASE_URL, namespace: config.QUEUE_NAMESPACE },
    paquetes: tracePaquetes(stored, tracing),
    claims: meterClaims(decorated, { metrics, log, isCharged }),
    heartbeats: createHeartbeats(database),
    checkpoint: createFailpoint(config.FAILPOINT, config.NODE_ENV),
    wakes: createWakes(),
    check: (name: string, check: HealthCheck) => void Object.assign(checks, { [name]: check }),
    note: (note: () => Record<string, string>) => void notes.push(note),
    openSats() {
      sats ??= closeLater('sat', openSats(database, config, { satMetrics, requests }));
      return sats;
    },
  };
  return {
    context: { ...shared, consume: createConsumers(shared, asked) },
    health: createHealth({ checks, notes: () => Object.assign({}, ...notes.map((note) => note())) }),
  };
}
