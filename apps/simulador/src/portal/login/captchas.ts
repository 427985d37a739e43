import { createHash, randomUUID } from 'node:crypto';
import { type Captcha, drawCaptcha } from './captcha.ts';

/** The captchas that were shown. Only the latest ones are remembered. */
export type Captchas = {
  issue(): Captcha;
  /** The answer to an image that was issued (PNG bytes), or null. */
  solve(imagen: Uint8Array): string | null;
};

const REMEMBERED = 10_000;

/** Creates a store whose captchas follow from `seed` and their order; the default seed is a fresh one. */
export function createCaptchas(seed: string = randomUUID()): Captchas {
  const answers = new Map<string, string>();
  let issued = 0;
  return {
    issue: () => {
      const captcha = drawCaptcha(`${seed}:${issued}`);
      issued += 1;
      answers.set(digest(captcha.imagen), captcha.respuesta);
      const oldest = answers.keys().next().value;
      if (answers.size > REMEMBERED && oldest !== undefined) answers.delete(oldest);
      return captcha;
    },
    solve: (imagen) => answers.get(digest(imagen)) ?? null,
  };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
