import { setTimeout as sleep } from 'node:timers/promises';
import type { Captchas } from '@acuse/core';
import type { ResolvedorCaptcha } from './resolvedor-captcha.ts';

export interface ResolvedorPersonasDeps {
  readonly captchas: Captchas;
  /** How long a captcha is shown to people, milliseconds. */
  readonly plazoMs: number;
  /** Milliseconds between two looks for the answer. Default: 500. */
  readonly cadaMs?: number;
}

/** Puts the captcha up for people (`acuse captchas`, the panel), waits for one to answer and takes it down. */
export function createResolvedorPersonas({
  captchas,
  plazoMs,
  cadaMs = 500,
}: ResolvedorPersonasDeps): ResolvedorCaptcha {
  return {
    async resolve(imagen, signal) {
      signal.throwIfAborted();
      const id = await captchas.ask(imagen, plazoMs);
      try {
        for (;;) {
          const respuesta = await captchas.respuesta(id);
          if (respuesta !== null) return respuesta;
          await sleep(cadaMs, null, { signal });
        }
      } finally {
        await captchas.drop(id);
      }
    },
  };
}
