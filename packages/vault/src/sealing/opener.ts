import type { Credencial } from '@acuse/core';
import { decodeCredencial } from '../credencial-bytes.ts';
import { CredencialIlegible } from '../credencial-ilegible.ts';
import { AES_256_GCM, createHpke, type Hpke } from './hpke.ts';
import { type ContextoSolicitud, HPKE_INFO, requireName, sealedAad, splitSealed } from './sealed-credencial.ts';
import type { WorkerPrivateKey } from './worker-keys.ts';

export interface Opener {
  readonly kids: readonly string[];
  /**
   * Opens what a sealer made for this solicitud, into fresh buffers that the caller wipes. Throws {@link
   * CredencialIlegible} whatever the reason, a destroyed private key included.
   */
  open(sealed: Uint8Array, contexto: ContextoSolicitud): Credencial;
}

/**
 * The workers' half: several private keys and several pre-shared keys by name, so that both rotate while jobs are in
 * flight. Throws RangeError for an empty list, a short key or a wrong name.
 */
export function createOpener(options: {
  readonly keys: ReadonlyMap<string, WorkerPrivateKey>;
  readonly psks: ReadonlyMap<string, Buffer>;
}): Opener {
  if (options.keys.size === 0 || options.psks.size === 0) throw new RangeError('An opener needs a key and a PSK');
  const keys = new Map(options.keys);
  const suites = new Map<string, Hpke>();
  for (const kid of keys.keys()) requireName(kid);
  for (const [pskId, psk] of options.psks) {
    requireName(pskId);
    const shared = { psk, pskId: Buffer.from(pskId) };
    suites.set(pskId, createHpke({ aead: AES_256_GCM, info: HPKE_INFO, psk: shared }));
  }
  return {
    kids: [...keys.keys()],
    open(sealed, contexto) {
      const parts = splitSealed(sealed);
      const key = parts === null ? undefined : keys.get(parts.kid);
      const suite = parts === null ? undefined : suites.get(parts.pskId);
      if (parts === null || key === undefined || suite === undefined) throw new CredencialIlegible();
      const plaintext = suite.open(key, parts, sealedAad(contexto, parts), parts.ciphertext);
      if (plaintext === null) throw new CredencialIlegible();
      try {
        const credencial = decodeCredencial(plaintext, contexto.tipo, contexto.rfc);
        if (credencial === null) throw new CredencialIlegible();
        return credencial;
      } finally {
        plaintext.fill(0);
      }
    },
  };
}
