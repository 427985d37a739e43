import { type ApiKey, lastFourOfApiKey, type ModoApiKey } from './api-key.ts';
import type { ApiKeyHasher } from './api-key-hasher.ts';

/** What is stored of an API key: nothing that gives the key back. */
export interface RegistroApiKey {
  /** The public id within the key. */
  readonly id: string;
  readonly modo: ModoApiKey;
  /** 32 bytes, under the pepper of `pepperVersion`. */
  readonly hash: Buffer;
  readonly pepperVersion: number;
  /** What the panel shows of it. */
  readonly ultimos4: string;
}

/** The record of a new key. Its secret is needed here and may be wiped afterwards. */
export function registroOf(
  hasher: Pick<ApiKeyHasher, 'hashApiKey'>,
  key: ApiKey & { readonly text: string },
): RegistroApiKey {
  const { hash, pepperVersion } = hasher.hashApiKey(key);
  return {
    id: key.keyId,
    modo: key.modo,
    hash: Buffer.from(hash),
    pepperVersion,
    ultimos4: lastFourOfApiKey(key.text),
  };
}
