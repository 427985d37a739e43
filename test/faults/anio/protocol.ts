import type { TipoDescarga } from '@acuse/core';

/** What a worker of the simulated year asks of the world, and what it is answered. */
export interface Questions {
  /** The SAT, for the rows of a solicitud; `since`: the turn in which its credential was opened. */
  readonly sat: {
    readonly of: {
      readonly rfc: string;
      readonly tipo: TipoDescarga;
      readonly desde: string;
      readonly hasta: string;
      readonly solicitudId: string;
      readonly since: number;
    };
    readonly is:
      | { readonly resultado: 'LISTA'; readonly registros: number }
      | { readonly resultado: 'ESPERA'; readonly segundos: number }
      | { readonly resultado: 'CIEC_RECHAZADA' | 'SAT_ERROR' | 'SAT_RECHAZADA' };
  };
  /** Storage, for `metadata.csv`. */
  readonly csv: { readonly of: { readonly solicitudId: string }; readonly is: string };
  /** The moment in which a merge has sent part of its rows: what the world does to it then. */
  readonly merging: { readonly of: { readonly name: string }; readonly is: 'GO_ON' | 'DIE' };
  /** Sleeps until the world has gone on without it. */
  readonly sleep: { readonly of: object; readonly is: null };
  /** State of the queue. LOST: it takes wake-ups and is emptied before any worker gets them. */
  readonly queue: { readonly of: object; readonly is: 'THERE' | 'AWAY' | 'LOST' };
}
export type Question = keyof Questions;

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'idle'; readonly readings: number }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'question'; readonly id: number; readonly what: Question; readonly of: unknown };

export type ToWorker =
  | { readonly kind: 'turn'; readonly n: number; readonly now: number }
  | { readonly kind: 'answer'; readonly id: number; readonly is: unknown };

export interface WorkerSettings {
  readonly name: string;
  readonly databaseUrl: string;
  readonly seed: number;
  /** Calls of a thousand that fail before their effect, and as many after it. */
  readonly faults: number;
  readonly workerKeys: string;
  readonly workerPsks: string;
  readonly deadlineHours: number;
}
