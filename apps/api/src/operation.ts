import { type ContextoBase as ContextoDe, operationsWith } from '@acuse/operation';
import type { ApiDeps } from './deps.ts';
import type { Salud } from './salud.ts';

/** Dependencies of the operations of the core. */
export interface CoreDeps extends ApiDeps {
  /** What this process remembers of the SAT's health. */
  readonly salud: Salud;
}

export type ContextoBase = ContextoDe<CoreDeps>;

export const defineOperation = operationsWith<CoreDeps>();
