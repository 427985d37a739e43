import { hostname } from 'node:os';
import type { ObserveRows, SatMetrics } from '@acuse/core';
import {
  createBreakerState,
  createClaims,
  createHeartbeats,
  createSatMetrics,
  directUrl,
  openDatabase,
} from '@acuse/db';
import { observeSat } from '@acuse/metrics';
import { createWakes } from '@acuse/roles';
import { openProcess } from '@acuse/roles/process';
import { type Logger, modoOf, type Shutdown } from '@acuse/runtime';
import { secretosDe, type WorkerConfig } from '@acuse/settings/worker';
import { openPaquetesS3 } from '@acuse/storage';
import { openManifestSigner } from '@acuse/vault';
import { createAsked } from './asked.ts';
import { createConsumers } from './consume.ts';
import { CLAIM_PARTS, CLAIMS_DECORATORS, FEATURE_OBSERVERS, FINISH_NOTES } from './features.ts';
import { meterClaims, meterPaquetes } from './metering.ts';
import type { WorkerContext } from './roles/role.ts';
import { type OpenSats, openSats } from './sats.ts';
import { createFailpoint } from './steps.ts';
import { tracePaquetes } from './tracing.ts';

/** Opens the parts that the roles of a process share. */
export async function openContext(config: WorkerConfig, log: Logger, shutdown: Shutdown): Promise<WorkerContext> {
  const parts = await openProcess('worker', config, {
    log,
    shutdown,
    tracing: config,
    open: openDatabase,
    timeoutMs: config.DATABASE_TIMEOUT_MS,
    secretos: secretosDe(config.WORKER_ROLES).map(({ name }) => name),
  });
  const { metrics, tracing, database, closeLater } = parts;
  const storage = {
    createBucket: config.S3_CREATE_BUCKET,
    compressionLevel: config.ZIP_LEVEL,
    holdsPackages: config.WORKER_ROLES.includes('ensambles'),
    ...(config.MANIFEST_KEYS === '' ? {} : { signer: openManifestSigner(config.MANIFEST_KEYS) }),
  };
  const stored = meterPaquetes(closeLater('storage', openPaquetesS3(config, storage)), metrics);
  // A simulator in the SAT's place makes every key a test key, which costs as one before the SAT would.
  const isCharged: WorkerContext['isCharged'] = (modo) => modoOf(config) === 'test' || modo === 'live';
  const asked = createAsked();
  const proceso = `${hostname()}:${process.pid}`;
  const pasoEnCurso = () => ({ proceso, consultas: asked.soFar() });
  const estado = createBreakerState(database);
  const own = createClaims(database, {
    pasoEnCurso,
    claimParts: CLAIM_PARTS,
    finishNotes: FINISH_NOTES,
    learnHosts: estado.learn,
  });
  const decorated = CLAIMS_DECORATORS.reduce((claims, add) => add(claims, parts), own);

  /** Receivers of every request to the SAT, and to a simulator beside it. */
  const requests: SatMetrics = {
    record(measurement) {
      asked.record(measurement);
      tracing.sat.record(measurement);
    },
  };
  const satMetrics = observeSat(metrics, closeLater('medidor-sat', createSatMetrics(database)), requests);
  let sats: OpenSats | null = null;
  shutdown.phase('sat', () => sats?.close());

  const shared = {
    ...parts,
    config,
    proceso,
    satMetrics,
    isCharged,
    queueSettings: { url: config.QUEUE_URL ?? directUrl(config.DATABASE_URL), namespace: config.QUEUE_NAMESPACE },
    paquetes: tracePaquetes(stored, tracing),
    claims: meterClaims(decorated, { metrics, log, isCharged }),
    heartbeats: createHeartbeats(database),
    checkpoint: createFailpoint(config.FAILPOINT, config.NODE_ENV),
    wakes: createWakes(),
    openSats() {
      sats ??= openSats(database, config, { estado, satMetrics, requests });
      return sats;
    },
  };
  let observers: readonly ObserveRows[] | null = null;
  const openObservers = () => (observers ??= FEATURE_OBSERVERS.map((open) => open(shared)));
  return { ...shared, openObservers, consume: createConsumers(shared, asked) };
}
