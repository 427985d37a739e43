import { CfdiError } from '@acuse/contract';
import {
  type OpinionesPublicas,
  type Paquetes,
  ResultadoIncierto,
  type Sat,
  type Semaphore,
  type SesionesPortal,
} from '@acuse/core';
import {
  createAccessSnapshots,
  createBoveda,
  createConsultasEnCurso,
  createCuotasTomadas,
  createDocumentos,
  createIdempotencia,
  createSaldos,
  createSaludPublica,
  createSolicitudes,
  createUso,
  type Database,
} from '@acuse/db';
import type { Metrics } from '@acuse/metrics';
import {
  type CallObserver,
  EVENTOS_DEL_NUCLEO,
  type Eventos,
  type OpenPort,
  type OperationDeps,
  type PortsOf,
} from '@acuse/operation';
import type { SharedLimit } from '@acuse/queue/limit';
import { around, type Health, type Logger } from '@acuse/runtime';
import type { ApiConfig, ApiSettings } from '@acuse/settings/api';
import type { Tracing } from '@acuse/tracing';
import type { ApiKeyHasher, Keyring, LlavePublicada, Sealer, TrustBundle } from '@acuse/vault';
import { FEATURES } from './features.ts';
import type { Caminos } from './http/state.ts';

/** Openers of the ports of the core that reach the database. */
const PORTS = {
  accessSnapshots: createAccessSnapshots,
  saldos: createSaldos,
  solicitudes: createSolicitudes,
  boveda: createBoveda,
  idempotencia: createIdempotencia,
  consultasEnCurso: createConsultasEnCurso,
  cuotasTomadas: createCuotasTomadas,
  documentos: createDocumentos,
  uso: createUso,
  saludPublica: createSaludPublica,
};

/** Ports of the core that reach the database. */
export type DatabasePorts = PortsOf<typeof PORTS>;

/** Openers of all ports: of the core and of the features. */
const ALL_PORTS = Object.entries<OpenPort>(Object.assign({}, PORTS, ...FEATURES.map(({ ports }) => ports)));

const mapPorts = (make: (name: string, open: OpenPort) => object) =>
  Object.fromEntries(ALL_PORTS.map(([name, open]) => [name, make(name, open)])) as unknown as DatabasePorts;

/** Opens every port that reaches the database: of the core, and of the features under their own names. */
export const openPorts = (database: Database): DatabasePorts => mapPorts((_, open) => open(database));

/** Events of the core and of the features. */
export const EVENTOS: Eventos = Object.assign({}, EVENTOS_DEL_NUCLEO, ...FEATURES.map(({ eventos }) => eventos));

/** Opens the observers of finished calls. */
export const openObservers = (...[config, database, log]: [ApiConfig, Database, Logger]): CallObserver[] =>
  FEATURES.flatMap((feature) => feature.observe?.(config, database, log) ?? []);

/** Whom calls ask, and all that belongs to it alone. */
export interface Autoridad {
  readonly sat: Sat;
  readonly sesiones: Pick<SesionesPortal, 'forget'>;
  /** Null when the operator has configured no source. */
  readonly opinionesPublicas: OpinionesPublicas | null;
  /** Room for queries of the authority. */
  readonly turnos: Semaphore;
  /** Which credential an operation is best asked with. */
  readonly caminos: Caminos;
  /** Authorities that may issue an e.firma. */
  readonly trust: TrustBundle;
}

/**
 * Everything the API needs from outside itself. Nothing here is imported anywhere else: `main` builds it, tests fake
 * it.
 */
export interface ApiDeps extends DatabasePorts, Autoridad, Pick<OperationDeps, 'eventos'> {
  /** The simulator that test keys ask where the SAT is asked with the others; null when there is none. */
  readonly pruebas: Autoridad | null;
  readonly paquetes: Pick<Paquetes, 'presign' | 'saveDocumento'>;
  /** Aborts when the process stops. */
  readonly apagado: AbortSignal;
  readonly hasher: ApiKeyHasher;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  /** Public keys of signed packages, also retired ones. */
  readonly manifestKeys: readonly LlavePublicada[];
  /**
   * Wakes the relay for a row in the outbox that an e.firma made due. Returns at once; a lost wake-up costs a second, never a
   * solicitud.
   */
  readonly wake: () => void;
  /** Counts the calls of a key over all processes; null where the queue is not on Redis. */
  readonly sharedLimit: SharedLimit | null;
  readonly now: () => Date;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly log: Logger;
  readonly metrics: Metrics<'api'>;
  readonly observers: readonly CallObserver[];
  readonly tracing: Tracing;
  readonly health: Health;
  readonly settings: ApiSettings;
}

/**
 * Seconds after which a call that has neither an answer nor a refund lost its process: what it was charged may then be
 * given back.
 */
export function vidaDeLlamada({
  presupuestoMs,
  graciaSegundos,
}: Pick<ApiSettings, 'presupuestoMs' | 'graciaSegundos'>): number {
  return presupuestoMs / 1_000 + graciaSegundos;
}

const RETRY_SECONDS = 5;

/**
 * An acceptance waits for its turn and then runs, each within the timeout of the database. The caller waits longer than
 * both, so that it never abandons an acceptance that may still commit.
 */
const ACCEPT_TIMES = 3;

/**
 * The same port, but whatever keeps the database from answering a call of it within `timeoutMs` is 503/5041
 * `BASE_NO_DISPONIBLE`, with the reason as its cause: a {@link ResultadoIncierto} when the call may still be carried out.
 */
export const guardPort = <P extends object>(port: P, timeoutMs: number): P =>
  around(port, (run) => withinTime(run(), timeoutMs));

/** All ports of the API that reach the database, each as {@link guardPort} makes it. */
export function guardDatabase(ports: DatabasePorts, timeoutMs: number): DatabasePorts {
  const guarded = mapPorts((name) => guardPort(Reflect.get(ports, name), timeoutMs));
  const { accept } = guardPort(ports.solicitudes, ACCEPT_TIMES * timeoutMs);
  return { ...guarded, solicitudes: { ...guarded.solicitudes, accept } };
}

function withinTime<R>(answer: Promise<R>, timeoutMs: number): Promise<R> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) => {
      clearTimeout(timer);
      reject(new CfdiError('BASE_NO_DISPONIBLE', { reintentar_en: RETRY_SECONDS }, { cause }));
    };
    const timer = setTimeout(() => {
      refuse(new ResultadoIncierto({ cause: new Error(`no answer within ${timeoutMs} ms`) }));
    }, timeoutMs);
    answer.then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, refuse);
  });
}

const REINTENTAR_SEGUNDOS = 60;

/**
 * Runs what needs object storage: whatever keeps that from answering is 503/5041, given back by the pipeline, with the
 * reason as its cause.
 */
export async function conAlmacen<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new CfdiError('ALMACEN_NO_DISPONIBLE', { reintentar_en: REINTENTAR_SEGUNDOS }, { cause });
  }
}
