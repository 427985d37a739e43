import type {
  AccesoMetrics,
  Claims,
  CredentialSource,
  Modo,
  ObserveRows,
  Paquetes,
  Sat,
  SatMetrics,
} from '@acuse/core';
import type { Database, Heartbeats } from '@acuse/db';
import type { QueueSettings } from '@acuse/queue';
import type { Logger } from '@acuse/runtime';
import type { Opener, Sealer } from '@acuse/vault';
import type { ProcessParts } from './process.ts';
import type { Wakes } from './wakes.ts';

/** Settings of every worker process. */
export interface BaseSettings {
  /** Seconds that a shutdown may take. */
  readonly SHUTDOWN_SECONDS: number;
}

/** Shared parts of the process, open until its roles have closed. `Settings`: those that the role reads. */
export interface RoleContext<Settings = unknown> extends ProcessParts<'worker'> {
  readonly config: BaseSettings & Settings;
  readonly queueSettings: QueueSettings;
  readonly paquetes: Paquetes;
  readonly heartbeats: Heartbeats;
  /** Sums of the requests to the SAT, for the health of its channels. */
  readonly satMetrics: SatMetrics & AccesoMetrics;
  /** Name of the process in heartbeats and steps: host and process id. */
  readonly proceso: string;
  readonly wakes: Wakes;
  /** The authority by mode, opened by the first role that asks. */
  openSats(): { of(modo: Modo): Sat };
  /** True where a solicitud of the mode costs credits. */
  isCharged(modo: Modo): boolean;
}

/** Starts a role, which closes its parts by `closeLater` or by a phase of `shutdown`. */
export type OpenRole<Settings = unknown> = (context: RoleContext<Settings>) => void | Promise<void>;

/** Opens a feature's observer of assembled packages in a process that assembles. */
export type OpenObserver = (context: RoleContext) => ObserveRows;

/** Opens a feature's source of credentials in a process that has the keys of the workers. */
export type OpenSource = (deps: {
  readonly database: Database;
  readonly opener: Opener;
  readonly sealer: Sealer;
  readonly log: Logger;
}) => CredentialSource;

/** Wraps the claims with the work of a feature beside each step. */
export type DecorateClaims = (
  claims: Claims,
  context: Pick<RoleContext, 'database' | 'log' | 'metrics' | 'closeLater'>,
) => Claims;

/** Sets gauges of a feature about the whole installation, in the process that exports them. */
export type ObserveInstallation = (context: Pick<RoleContext, 'database' | 'metrics'>) => void;
