import type { Checkpoint, Claims, ObserveRows } from '@acuse/core';
import type { RoleContext } from '@acuse/roles';
import type { Role, WorkerConfig } from '@acuse/settings/worker';
import type { OpenSats } from '../sats.ts';
import type { StepJob } from '../steps.ts';

/** Context of the core's roles: the claims and the SAT beside the parts that every role shares. */
export interface WorkerContext extends RoleContext<WorkerConfig> {
  readonly claims: Claims;
  readonly checkpoint: Checkpoint;
  openSats(): OpenSats;
  /** Observers of the rows of an assembled package, the same for all roles. */
  openObservers(): readonly ObserveRows[];
  /** Runs the steps of a queue, at most `concurrency` at once. */
  consume(job: StepJob, concurrency: number): void;
}

/** Starts a role, which closes its parts by `closeLater` or by a phase of `shutdown`. */
export type OpenWorkerRole = (context: WorkerContext) => void | Promise<void>;

/** An opener, and the role of the settings in which it opens. */
export interface WorkerRole {
  readonly role: Role;
  readonly open: OpenWorkerRole;
  /** One process at a time opens it, and closes it when it loses the lock of the role. */
  readonly isSingle?: true;
}
