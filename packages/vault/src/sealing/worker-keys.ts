import { generateKeyPairSync } from 'node:crypto';
import { CLAVE_BYTES, decodeClave32 } from '../crypto/clave-32.ts';
import { importX25519Private, importX25519Public, type X25519Private, type X25519Public } from './hpke.ts';

/** A key pair of the workers as settings hold it: 32 raw bytes each (RFC 7748) in base64, 44 characters. */
interface WorkerKeyPair {
  /** For the API, pinned in its settings: never read from the database. */
  readonly publicKey: string;
  /** For the workers alone. */
  readonly privateKey: string;
}

/** Makes an X25519 pair for one epoch of the workers. */
export function generateWorkerKeyPair(): WorkerKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519', {
    publicKeyEncoding: { format: 'der', type: 'spki' },
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
  });
  return {
    publicKey: publicKey.subarray(-CLAVE_BYTES).toString('base64'),
    privateKey: privateKey.subarray(-CLAVE_BYTES).toString('base64'),
  };
}

/** Reads a public key from a setting. Throws RangeError when it is not 32 bytes in base64. */
export function importWorkerPublicKey(base64: string): X25519Public {
  return importX25519Public(decodeClave32(base64));
}

/** Reads a private key from a setting. Throws RangeError when it is not 32 bytes in base64. */
export function importWorkerPrivateKey(base64: string): X25519Private {
  const raw = decodeClave32(base64);
  try {
    return importX25519Private(raw);
  } finally {
    raw.fill(0);
  }
}

/** The public half of a private key, for a worker that seals to the workers. */
export const publicHalfOf = ({ publicRaw }: X25519Private): X25519Public => importX25519Public(publicRaw);

/** The public half of a private key, to check that the settings of API and workers belong together. */
export function publicKeyOf(privateKey: X25519Private): string {
  return privateKey.publicRaw.toString('base64');
}
