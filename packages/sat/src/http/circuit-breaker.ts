import { createHash } from 'node:crypto';
import { type BreakerState, ESTADO_INICIAL, type EstadoHost, SatError } from '@acuse/core';

/** Breakers of this process alone. */
export function createMemoryBreakerState(): BreakerState {
  const hosts = new Map<string, EstadoHost>();
  return {
    update(host, change) {
      hosts.set(host, change(hosts.get(host) ?? ESTADO_INICIAL));
      return Promise.resolve();
    },
  };
}

/**
 * How a request that was let through ended. `fallo`: the host could not be reached or did not finish. `error`: it
 * answered, with an error or with something worthless. `neutral`: it says nothing about the host (the caller gave up).
 */
export type Outcome = 'exito' | 'fallo' | 'error' | 'neutral';

/** So many taxpayers whose requests a host answers with errors are not single accounts in trouble any more. */
const TITULARES = 3;

const listOf = (titulares: string) => (titulares === '' ? [] : titulares.split(' '));

/** Both together, each once, no more than decide anything. */
const union = (...titulares: readonly string[]) =>
  [...new Set(titulares.flatMap(listOf))].slice(0, TITULARES).join(' ');

/** The memory holds no RFC. */
const shortHash = (titular: string) => createHash('sha256').update(titular).digest('base64url').slice(0, 8);

/**
 * Circuit breaker of the hosts. Opens for `openMs` after `failures` failures in a row, or after error answers for three
 * taxpayers; then one request probes the host and closes or opens it again. Errors for the account of one taxpayer,
 * however many, block no other taxpayer. A probe without a report is forgotten after `openMs`. Without its shared state
 * the breaker lets requests pass: it spares the SAT, it does not protect us. `titular`: taxpayer of a request; absent
 * without one.
 */
export function createCircuitBreaker(
  options: { failures: number; openMs: number; now: () => number },
  estado: BreakerState,
) {
  const { failures, openMs, now } = options;
  const attempt = (host: string, change: (e: EstadoHost) => EstadoHost) => estado.update(host, change).catch(() => {});
  const isWorn = ({ fallos, titulares }: Pick<EstadoHost, 'fallos' | 'titulares'>) =>
    fallos >= failures || listOf(titulares).length >= Math.min(TITULARES, failures);
  /** Counts one more failure: the host's own, or an error for one taxpayer, of whom the second says nothing new. */
  const afterFailure = (fallos: number, titulares: string, titular: string | undefined): EstadoHost => {
    const counted =
      titular === undefined
        ? { fallos: fallos + 1, titulares }
        : { fallos, titulares: union(titulares, shortHash(titular)) };
    const abiertoHasta = isWorn(counted) ? now() + openMs : 0;
    return { ...counted, fallosAntes: 0, titularesAntes: '', abiertoHasta, sondaHasta: 0 };
  };
  return {
    /**
     * Resolves when a request to the host may be sent; rejects with CORTACIRCUITOS_ABIERTO while it is to be left alone.
     */
    async admit(host: string): Promise<void> {
      let admitted = true;
      await attempt(host, (e) => {
        const ahora = now();
        if (!isWorn(e)) {
          admitted = true;
          return e;
        }
        admitted = ahora >= e.abiertoHasta && ahora >= e.sondaHasta;
        return admitted ? { ...e, sondaHasta: ahora + openMs } : e;
      });
      if (!admitted) throw new SatError('CORTACIRCUITOS_ABIERTO', { detalle: host });
    },
    report(host: string, outcome: Outcome, titular?: string): Promise<void> {
      return attempt(host, (e) => {
        if (outcome === 'exito') return { ...ESTADO_INICIAL, fallosAntes: e.fallos, titularesAntes: e.titulares };
        if (outcome === 'neutral') return { ...e, fallosAntes: 0, titularesAntes: '', sondaHasta: 0 };
        return afterFailure(e.fallos, e.titulares, outcome === 'error' ? titular : undefined);
      });
    },
    /** Turns the success reported last into an error: the answer arrived and proved worthless when read. */
    withdraw(host: string, titular?: string): Promise<void> {
      return attempt(host, (e) =>
        afterFailure(Math.max(e.fallos, e.fallosAntes), union(e.titulares, e.titularesAntes), titular),
      );
    },
  };
}
