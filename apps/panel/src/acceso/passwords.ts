import { hkdfSync } from 'node:crypto';
import type { PasswordGuardada } from '@acuse/db';
import { hash, type Options, parseOptions, verify } from '@node-rs/argon2';

/** argon2id 1.3: memory in KiB, passes, lanes. The first minimum of the OWASP Password Storage Cheat Sheet. */
const ARGON2ID = { algorithm: 2, version: 1, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The two runs of the hash function, which tests count. */
export interface Argon2 {
  hash(password: string, options: Options): Promise<string>;
  verify(hashed: string, password: string, options: Options): Promise<boolean>;
}

/**
 * Stores and checks passwords. Every check costs one argon2 run, whether there is a user or not. With a pepper:
 * `claves` are the installation's secrets of 32 bytes, from which each pepper is derived (HKDF, RFC 5869), so that a
 * copy of the database alone gives nothing to guess against. `actual` names the one for new passwords.
 */
export async function createPasswords(
  claves: ReadonlyMap<string, Buffer>,
  actual: string,
  argon2: Argon2 = { hash, verify },
) {
  const peppers = new Map(
    [...claves].map(([kid, clave]) => [kid, Buffer.from(hkdfSync('sha256', clave, '', 'acuse/panel/password', 32))]),
  );
  const optionsOf = (kid: string): Options | null => {
    const secret = peppers.get(kid);
    // The library's enumerations are const enums, which a module compiled by itself cannot read: 2 is argon2id, 1 is
    // version 1.3.
    return secret ? ({ ...ARGON2ID, secret } as unknown as Options) : null;
  };
  const current = optionsOf(actual);
  if (!current) throw new RangeError(`there is no secret ${actual}`);
  const make = async (password: string) => ({ hash: await argon2.hash(password, current), kid: actual });
  /** Password of no user: an unknown user is verified against it. */
  const nadie = await make(
    Buffer.from(hkdfSync('sha256', secretOf(claves, actual), '', 'acuse/panel/nadie', 32)).toString('base64'),
  );

  return {
    hash: make,
    /** False without a stored one, after the same work. `debeRenovarse`: older parameters or pepper. */
    async check(password: string, guardada: PasswordGuardada | null) {
      const options = optionsOf(guardada?.kid ?? actual);
      const known = guardada !== null && options !== null;
      const against = known ? guardada : nadie;
      const matches = await argon2.verify(against.hash, password, known ? options : current);
      const coincide = known && matches;
      return { coincide, debeRenovarse: coincide && (guardada.kid !== actual || !isCurrent(guardada.hash)) };
    },
  };
}

function secretOf(claves: ReadonlyMap<string, Buffer>, kid: string): Buffer {
  const clave = claves.get(kid);
  if (!clave) throw new RangeError(`there is no secret ${kid}`);
  return clave;
}

function isCurrent(phc: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(phc);
  return memoryCost === ARGON2ID.memoryCost && timeCost === ARGON2ID.timeCost && parallelism === ARGON2ID.parallelism;
}
