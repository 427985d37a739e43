import { ESTADO_INICIAL, type EstadoCortacircuitos, type EstadoHost, SatError } from '@acuse/core';

/** Breakers of this process alone. */
export function createEstadoCortacircuitosMemoria(): EstadoCortacircuitos {
  const hosts = new Map<string, EstadoHost>();
  return {
    update(host, change) {
      hosts.set(host, change(hosts.get(host) ?? ESTADO_INICIAL));
      return Promise.resolve();
    },
  };
}

/** How a request that was let through ended. `neutral`: it says nothing about the host (the caller gave up). */
export type Desenlace = 'exito' | 'fallo' | 'neutral';

export interface Cortacircuitos {
  /** Resolves when a request to the host may be sent; rejects with CORTACIRCUITOS_ABIERTO while it is to be left alone. */
  admit(host: string): Promise<void>;
  report(host: string, desenlace: Desenlace): Promise<void>;
  /** Turns the success reported last into a failure: the answer arrived and proved worthless when read. */
  withdraw(host: string): Promise<void>;
}

/**
 * Leaves a host alone for `openMs` after `failures` failures in a row, then lets one request through as a probe:
 * its success closes the breaker, its failure opens it again. A probe that never reports is forgotten after `openMs`.
 * A memory that cannot be reached stops nothing: the breaker spares the authority, it does not guard us.
 */
export function createCortacircuitos(
  options: { failures: number; openMs: number; now: () => number },
  estado: EstadoCortacircuitos,
): Cortacircuitos {
  const { failures, openMs, now } = options;
  const attempt = (host: string, change: (e: EstadoHost) => EstadoHost) =>
    estado.update(host, change).catch(() => {});
  const afterFailure = (fallos: number): EstadoHost => ({
    fallos,
    fallosAntes: 0,
    abiertoHasta: fallos >= failures ? now() + openMs : 0,
    sondaHasta: 0,
  });
  return {
    async admit(host) {
      let admitted = true;
      await attempt(host, (e) => {
        const ahora = now();
        if (e.fallos < failures) {
          admitted = true;
          return e;
        }
        admitted = ahora >= e.abiertoHasta && ahora >= e.sondaHasta;
        return admitted ? { ...e, sondaHasta: ahora + openMs } : e;
      });
      if (!admitted) throw new SatError('CORTACIRCUITOS_ABIERTO', { detalle: host });
    },
    report(host, desenlace) {
      return attempt(host, (e) => {
        if (desenlace === 'exito') return { ...ESTADO_INICIAL, fallosAntes: e.fallos };
        if (desenlace === 'neutral') return { ...e, fallosAntes: 0, sondaHasta: 0 };
        return afterFailure(e.fallos + 1);
      });
    },
    withdraw(host) {
      return attempt(host, (e) => afterFailure(Math.max(e.fallos, e.fallosAntes) + 1));
    },
  };
}
