import type { Sellado } from '@acuse/core';
import { canonicalBytes } from '../crypto/canonical.ts';
import type { Keyring } from './keyring.ts';

/** Seals what the processes of an installation share (sessions with the portals) under a keyring: AES-256-GCM, bound to its context. */
export function createSellado(keyring: Keyring): Sellado {
  return {
    seal: (claro, contexto) => keyring.wrap(claro, canonicalBytes(...contexto)),
    open: (sellado, contexto) => keyring.unwrap(sellado, canonicalBytes(...contexto)),
  };
}
