import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { type ApiKey, lastFourOfApiKey } from './api-key.ts';

/** The database keeps it in an integer. */
const MAX_VERSION = 2 ** 31 - 1;

/** What the database stores of an API key. `hash` has 32 bytes. */
export interface ApiKeyHash {
  readonly hash: Uint8Array;
  readonly pepperVersion: number;
}

export interface ApiKeyHasher {
  /** HMAC-SHA-256 under the current pepper over mode, id and secret. */
  hashApiKey(apiKey: ApiKey): ApiKeyHash;
  /**
   * Whether `apiKey` is the one behind `stored`, in time that does not depend on where they differ. Give null for an id
   * that the database does not know: the same work is done and the answer is false. A pepper version that was retired
   * is false too.
   */
  verifyApiKey(apiKey: ApiKey, stored: ApiKeyHash | null): boolean;
  /**
   * Whether a verified key should be hashed again: its pepper is older than the current one. Versions only grow, so
   * that of two processes in the middle of a rotation neither undoes what the other did.
   */
  isStale(stored: ApiKeyHash): boolean;
}

/**
 * Hashes and verifies API keys. `peppers` maps version to 32 bytes; several live at once while they rotate. A slow hash
 * is not needed: the secret has 256 random bits (RFC 5869, 4). Throws RangeError for a missing current pepper, a wrong
 * length or a version that is no positive integer.
 */
export function createApiKeyHasher(options: {
  readonly peppers: ReadonlyMap<number, Buffer>;
  readonly current: number;
}): ApiKeyHasher {
  const peppers = new Map(options.peppers);
  for (const [version, pepper] of peppers) {
    if (!Number.isInteger(version) || version < 1 || version > MAX_VERSION)
      throw new RangeError('the version of a pepper is a positive integer');
    if (pepper.length !== CLAVE_BYTES) throw new RangeError(`Pepper ${version} does not have 32 bytes`);
  }
  const currentPepper = peppers.get(options.current);
  if (currentPepper === undefined) throw new RangeError(`Pepper ${options.current} is not in the list`);
  const unmatchable: ApiKeyHash = { hash: randomBytes(CLAVE_BYTES), pepperVersion: options.current };

  // The pepper is the HMAC key and the secret its message, never the reverse: HMAC hashes keys longer than a block, and
  // such a key and its hash are then interchangeable (RFC 2104, 2).
  function digest(pepper: Buffer, apiKey: ApiKey): Buffer {
    const message = canonicalBytes('acuse/v1/api-key', apiKey.modo, apiKey.keyId, apiKey.secret);
    try {
      return createHmac('sha256', pepper).update(message).digest();
    } finally {
      message.fill(0);
    }
  }

  return {
    hashApiKey: (apiKey) => ({ hash: digest(currentPepper, apiKey), pepperVersion: options.current }),
    verifyApiKey(apiKey, stored) {
      const { hash, pepperVersion } = stored ?? unmatchable;
      const pepper = peppers.get(pepperVersion);
      const isKnown = pepper !== undefined && hash.length === CLAVE_BYTES;
      const actual = digest(pepper ?? currentPepper, apiKey);
      return timingSafeEqual(actual, isKnown ? hash : unmatchable.hash) && isKnown && stored !== null;
    },
    isStale: (stored) => stored.pepperVersion < options.current,
  };
}

/** Record stored for a new key. The key cannot be derived from it. The caller may wipe the key's secret afterwards. */
export function registroOf(hasher: Pick<ApiKeyHasher, 'hashApiKey'>, key: ApiKey & { readonly text: string }) {
  const { hash, pepperVersion } = hasher.hashApiKey(key);
  const { keyId: id, modo, text } = key;
  return { id, modo, hash: Buffer.from(hash), pepperVersion, ultimos4: lastFourOfApiKey(text) };
}
