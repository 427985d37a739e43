import { randomFillSync, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { secretBytes } from '../crypto/secret-bytes.ts';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/**
 * CRC-32 in base62, padded to 6 characters: GitHub gives its tokens the same form. It finds typos and lets secret
 * scanners confirm a key without the database. It is no protection, since it needs no secret.
 */
export function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

/**
 * `test` keys belong to an installation that asks a simulator. The mode is part of the hash: a test key cannot be
 * rewritten into a live one.
 */
export type ModoApiKey = 'test' | 'live';

const KEY_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const API_KEY_LENGTH = 'acuse_live_'.length + KEY_ID_LENGTH + 1 + 43 + CHECKSUM_LENGTH;
// 43 base64url characters carry 258 bits: the last one has only 16 canonical values.
const GRAMMAR = /^acuse_(test|live)_([0-9A-Za-z]{12})_([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])([0-9A-Za-z]{6})$/;

/** An API key taken apart. `secret` (32 bytes) is plaintext: zero it with {@link wipeApiKey} when the request ends. */
export interface ApiKey {
  readonly modo: ModoApiKey;
  /** Public, unique, 12 base62 characters: what the database is asked for and what logs may show. */
  readonly keyId: string;
  readonly secret: Buffer;
}

/**
 * Makes a new API key: `acuse_<test|live>_<keyId 12>_<secret 43 base64url = 256 bits><checksum 6>`, 73 characters.
 * `text` is shown once to its owner and stored nowhere.
 */
export function generateApiKey(modo: ModoApiKey): ApiKey & { readonly text: string } {
  const keyId = Array.from({ length: KEY_ID_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  const secret = randomFillSync(secretBytes(SECRET_BYTES));
  const body = `acuse_${modo}_${keyId}_${secret.toString('base64url')}`;
  return { modo, keyId, secret, text: body + checksum(body) };
}

/** Reads an API key strictly. Returns null for anything else, a typo included, without asking the database. */
export function parseApiKey(text: string): ApiKey | null {
  if (text.length !== API_KEY_LENGTH) return null;
  const [, modo, keyId, secretText, sum] = GRAMMAR.exec(text) ?? [];
  if (modo === undefined || keyId === undefined || secretText === undefined) return null;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== sum) return null;
  const secret = secretBytes(SECRET_BYTES);
  secret.write(secretText, 'base64url');
  return { modo: modo === 'live' ? 'live' : 'test', keyId, secret };
}

/** Overwrites the secret of an API key with zeros. */
export function wipeApiKey(apiKey: ApiKey): void {
  apiKey.secret.fill(0);
}

/**
 * The last four characters of a key, to recognise it in the panel. They are of the checksum: they tell nothing of the
 * secret.
 */
export function lastFourOfApiKey(text: string): string {
  return text.slice(-4);
}
