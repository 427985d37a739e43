import { performance } from 'node:perf_hooks';
import type { ResultadoMedido, SatMetrics } from '@acuse/core';
import { canalDeHost } from './hosts.ts';

/** How a request that was sent can end. */
export type Final = Exclude<ResultadoMedido, 'evitada' | 'desmentida'>;

/** The measuring of one request. Only the first call of `end` counts. */
export interface Measurement {
  /** What follows is the body of a stream, which takes as long as its reader likes. */
  stopClock(): void;
  end(resultado: Final): void;
  /** What ended as a success was none. A request that has not ended yet will end as a failure. */
  withdraw(): void;
}

export interface Mediciones {
  start(host: string): Measurement;
  /** A request that the breaker held back. */
  avoided(host: string): void;
}

const NOBODY: Measurement = { stopClock() {}, end() {}, withdraw() {} };

/** Tells a `metrics` of every request. An observer that throws disturbs nobody. */
export function createMediciones(metrics: SatMetrics | undefined): Mediciones {
  if (metrics === undefined) return { start: () => NOBODY, avoided() {} };

  function record(host: string, ms: number, resultado: ResultadoMedido): void {
    try {
      metrics?.record({ host, canal: canalDeHost(host), ms, resultado });
    } catch {
      // Whoever only watches must not break what is watched.
    }
  }

  return {
    avoided: (host) => record(host, 0, 'evitada'),
    start(host) {
      const startedAt = performance.now();
      let ms: number | null = null;
      let ended: ResultadoMedido | null = null;
      let isWithdrawn = false;
      const stopClock = () => {
        ms ??= performance.now() - startedAt;
      };
      return {
        stopClock,
        end(resultado) {
          if (ended !== null) return;
          stopClock();
          ended = isWithdrawn ? 'fallo' : resultado;
          record(host, ms ?? 0, ended);
        },
        withdraw() {
          if (ended === 'exito' && !isWithdrawn) record(host, ms ?? 0, 'desmentida');
          isWithdrawn = true;
        },
      };
    },
  };
}
