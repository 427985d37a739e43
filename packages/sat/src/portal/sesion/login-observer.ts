import { performance } from 'node:perf_hooks';
import { type AccesoMetrics, type Credencial, type ResultadoAcceso, SatError } from '@acuse/core';
import type { ResolvedorCaptcha } from '../captcha.ts';

/** Reports log-ins and captchas to `metrics`. Ignores an observer that throws. */
export function createLoginObserver(metrics: AccesoMetrics | undefined) {
  function tell(what: (observer: AccesoMetrics) => void): void {
    try {
      if (metrics !== undefined) what(metrics);
    } catch {
      // An observer must not fail the log-in.
    }
  }

  return {
    /** The same resolver, watched. */
    watchCaptcha: (resolvedor: ResolvedorCaptcha): ResolvedorCaptcha => ({
      async resolve(imagen, signal) {
        const startedAt = performance.now();
        const end = (resultado: 'leido' | 'sin_respuesta') =>
          tell((observer) => observer.captcha({ resultado, ms: performance.now() - startedAt }));
        try {
          const respuesta = await resolvedor.resolve(imagen, signal);
          end('leido');
          return respuesta;
        } catch (error) {
          end('sin_respuesta');
          throw error;
        }
      },
    }),

    /** Runs one log-in, watched. */
    async watchLogin(portal: string, { tipo: credencial }: Credencial, enter: () => Promise<void>): Promise<void> {
      const startedAt = performance.now();
      const end = (resultado: ResultadoAcceso) =>
        tell((observer) => observer.login({ portal, credencial, resultado, ms: performance.now() - startedAt }));
      try {
        await enter();
        end('exito');
      } catch (error) {
        end(resultadoOf(error));
        throw error;
      }
    },
  };
}

function resultadoOf(error: unknown): Exclude<ResultadoAcceso, 'exito'> {
  if (!(error instanceof SatError)) return 'fallo';
  if (error.clase === 'credencial') return 'credencial';
  if (error.motivo === 'CAPTCHA_RECHAZADO' || error.motivo === 'SIN_RESOLVEDOR_DE_CAPTCHA') return 'captcha';
  return error.motivo === 'CANCELADA' ? 'cancelada' : 'fallo';
}
