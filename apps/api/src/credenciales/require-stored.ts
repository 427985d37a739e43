import { CfdiError } from '@acuse/contract';

/**
 * What a store of the vault answers when the caller's key died before its credential was written: nothing was stored.
 */
export function requireStored<T>(stored: T | null | false): T {
  if (stored === null || stored === false) throw new CfdiError('API_KEY_REVOCADA');
  return stored;
}
