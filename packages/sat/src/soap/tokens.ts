import { SatError } from '@acuse/core';
import { untilCancelled } from '../http/plazo.ts';
import type { Token } from './autenticar.ts';
import type { Firmante } from './efirma.ts';

export interface Tokens {
  /**
   * A token that is good for at least the margin; one authentication at a time per certificate, shared by all who wait.
   */
  get(firmante: Firmante, signal: AbortSignal): Promise<string>;
  /** Forgets a token that the SAT refused, unless it has been replaced meanwhile. */
  discard(firmante: Firmante, token: string): void;
}

interface EnCurso {
  readonly promise: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Keeps tokens in memory, under the certificate they were made with, and never longer than they live. Handing a token
 * to another query with the same certificate gives nothing away: `openEfirma` demands the private key first, and every
 * message is signed with it.
 */
export function createTokens(deps: {
  authenticate: (firmante: Firmante, signal: AbortSignal) => Promise<Token>;
  now: () => number;
  marginMs: number;
}): Tokens {
  const vigentes = new Map<string, { valor: string; renovarEn: number }>();
  const enCurso = new Map<string, EnCurso>();

  function start(firmante: Firmante): EnCurso {
    const controller = new AbortController();
    const sentAt = deps.now();
    const promise = deps
      .authenticate(firmante, controller.signal)
      .then(({ valor, vidaMs }) => {
        for (const [huella, { renovarEn }] of vigentes) if (renovarEn <= deps.now()) vigentes.delete(huella);
        vigentes.set(firmante.huella, { valor, renovarEn: sentAt + vidaMs - deps.marginMs });
        return valor;
      })
      .finally(() => {
        if (enCurso.get(firmante.huella)?.promise === promise) enCurso.delete(firmante.huella);
      });
    const flight = { promise, controller, waiting: 0 };
    enCurso.set(firmante.huella, flight);
    return flight;
  }

  return {
    async get(firmante, signal) {
      if (signal.aborted) throw new SatError('CANCELADA');
      const vigente = vigentes.get(firmante.huella);
      if (vigente !== undefined && deps.now() < vigente.renovarEn) return vigente.valor;
      const flight = enCurso.get(firmante.huella) ?? start(firmante);
      flight.waiting += 1;
      try {
        return await untilCancelled(() => flight.promise, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (enCurso.get(firmante.huella) === flight) enCurso.delete(firmante.huella);
          flight.controller.abort();
        }
      }
    },
    discard(firmante, token) {
      if (vigentes.get(firmante.huella)?.valor === token) vigentes.delete(firmante.huella);
    },
  };
}
