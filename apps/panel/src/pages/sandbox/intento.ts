import { createHash } from 'node:crypto';
import type { Cuerpo } from './cuerpo.ts';

/**
 * The Idempotency-Key of a form: the same form with the same content is one call, however often a browser sends it
 * again; another content in the same form, after going back, is another call. Operations that take such a key have no
 * secret in their body.
 */
export function idempotencyKeyOf(intento: string | undefined, cuerpo: Cuerpo): string | null {
  if (intento === undefined || !/^[0-9a-f-]{36}$/.test(intento)) return null;
  const digest = createHash('sha256').update(JSON.stringify(cuerpo)).digest('base64url');
  return `panel-${intento}-${digest.slice(0, 22)}`;
}
