import { AsyncLocalStorage } from 'node:async_hooks';
import type { SatMeasurement, SatMetrics } from '@acuse/core';
import type { ConsultaDePaso } from '@acuse/db';

/** Kinds of answers that one step tells apart: hosts × results are few, and what a step notes stays small. */
const MOST = 8;

/** What the SAT is asked while a step is worked on, wherever in the calls below it. */
export interface Asked extends SatMetrics {
  /** Runs a step. Whatever it begins and does not wait for, such as a log-in, is counted until the step is over. */
  during<T>(step: () => Promise<T>): Promise<T>;
  /** Of the step that asks, so far. */
  soFar(): readonly ConsultaDePaso[];
}

export function createAsked(): Asked {
  const current = new AsyncLocalStorage<Map<string, ConsultaDePaso>>();

  function record({ host, resultado, codigo, ms }: SatMeasurement): void {
    const asked = current.getStore();
    if (asked === undefined) return;
    const key = `${host} ${resultado} ${codigo ?? ''}`;
    const known = asked.get(key);
    if (known === undefined && asked.size >= MOST) return;
    asked.set(key, {
      host,
      resultado,
      ...(codigo === undefined ? {} : { codigo }),
      veces: (known?.veces ?? 0) + 1,
      ms: Math.round((known?.ms ?? 0) + ms),
    });
  }

  return {
    record,
    during: (step) => current.run(new Map(), step),
    soFar: () => [...(current.getStore()?.values() ?? [])],
  };
}
