import type { Credencial } from '@acuse/core';
import { encodeCredencial } from '../credencial-bytes.ts';
import { AES_256_GCM, createHpke } from './hpke.ts';
import {
  type ContextoSolicitud,
  HPKE_INFO,
  joinSealed,
  requireName,
  sealedAad,
  sealedPrefix,
} from './sealed-credencial.ts';
import { createShortLived, type SenderLife } from './short-lived.ts';
import type { WorkerPublicKey } from './worker-keys.ts';

/** One ephemeral key of the API serves a second or 1,000 credentials: what its memory holds opens no older copies. */
const LIFE: SenderLife = { messages: 1_000, ms: 1_000 };

export interface Sealer {
  readonly kid: string;
  /**
   * Encrypts a credential for the workers, for one solicitud. Does not zero it. Throws TypeError when the credential is
   * not of the context's RFC and type.
   */
  seal(credencial: Credencial, contexto: ContextoSolicitud): Buffer;
}

/**
 * The API's half of handing credentials to the workers: HPKE (RFC 9180), mode psk, with DHKEM(X25519, HKDF-SHA256),
 * HKDF-SHA256 and AES-256-GCM. Who can write to the database but lacks `psk` cannot make a copy that a worker opens.
 * `publicKey` comes from the settings (pinned). Throws RangeError for an unusable public key, a short `psk` or a wrong
 * name.
 */
export function createSealer(options: {
  readonly publicKey: WorkerPublicKey;
  readonly kid: string;
  readonly psk: Buffer;
  readonly pskId: string;
}): Sealer {
  const { publicKey, kid, psk, pskId } = options;
  requireName(kid);
  requireName(pskId);
  const hpke = createHpke({ aead: AES_256_GCM, info: HPKE_INFO, psk: { psk, pskId: Buffer.from(pskId) } });
  // A public key of small order would only fail at the first request.
  hpke.sender(publicKey, 1).wipe();
  const names = { kid, pskId };
  const prefix = sealedPrefix(names);
  const senderForNext = createShortLived((limit) => hpke.sender(publicKey, limit), LIFE);
  return {
    kid,
    seal(credencial, contexto) {
      if (credencial.rfc !== contexto.rfc || credencial.tipo !== contexto.tipo) {
        throw new TypeError('The credential is not of this context');
      }
      const plaintext = encodeCredencial(credencial);
      try {
        const aad = sealedAad(contexto, names);
        const sender = senderForNext();
        return joinSealed(prefix, sender.enc, sender.seal(aad, plaintext));
      } finally {
        plaintext.fill(0);
      }
    },
  };
}
