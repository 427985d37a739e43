import type { Sellado } from '@acuse/core';
import { canonicalBytes } from '../crypto/canonical.ts';
import { type Keyring, kidOf } from './keyring.ts';

/**
 * Moves what {@link createSellado} sealed to the keyring's current key. Null when it is there already, or does not
 * open.
 */
export function rewrapSellado(sellado: Uint8Array, contexto: readonly string[], keyring: Keyring): Buffer | null {
  if (kidOf(sellado) === keyring.current) return null;
  const claro = keyring.unwrap(sellado, canonicalBytes(...contexto));
  if (claro === null) return null;
  try {
    return keyring.wrap(claro, canonicalBytes(...contexto));
  } finally {
    claro.fill(0);
  }
}

/**
 * Seals what the processes of an installation share (sessions with the portals) under a keyring: AES-256-GCM, bound to
 * its context.
 */
export function createSellado(keyring: Keyring): Sellado {
  return {
    seal: (claro, contexto) => keyring.wrap(claro, canonicalBytes(...contexto)),
    open: (sellado, contexto) => keyring.unwrap(sellado, canonicalBytes(...contexto)),
  };
}
