import { magiaDe } from './magia.ts';
import type { Settings } from './settings.ts';

/** Decides about captchas that were answered rightly. */
export type CaptchaRefusals = {
  /** Whether this right answer is to be taken for a wrong one; asking counts as an attempt. */
  refuses(rfc: string): boolean;
};

/**
 * Refuses the next `captchas_rechazados` right answers of anybody, and as many as its magic says of a magic RFC before
 * each that is taken.
 */
export function createCaptchaRefusals(settings: Pick<Settings, 'captchas_rechazados'>): CaptchaRefusals {
  const refused = new Map<string, number>();
  return {
    refuses: (rfc) => {
      if (settings.captchas_rechazados > 0) {
        settings.captchas_rechazados -= 1;
        return true;
      }
      const count = refused.get(rfc) ?? 0;
      const isRefused = count < (magiaDe(rfc)?.captchasRechazados ?? 0);
      if (isRefused) refused.set(rfc, count + 1);
      else refused.delete(rfc);
      return isRefused;
    },
  };
}
