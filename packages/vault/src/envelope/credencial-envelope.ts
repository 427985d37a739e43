import type { Credencial, TipoCredencial } from '@acuse/core';
import { CredencialIlegible, decodeCredencial, encodeCredencial } from '../credencial-bytes.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { hkdf } from '../crypto/hkdf.ts';
import {
  AES_256_GCM,
  createHpke,
  importX25519Private,
  type X25519Private,
  type X25519Public,
} from '../sealing/hpke.ts';
import { type Binding, type Keyring, kidOf, openLayers, sealLayers } from './keyring.ts';

/**
 * The row a stored credential belongs to. Every field is bound to the ciphertext: bytes moved to another row, taxpayer
 * or account, or given a later expiry, do not open any more.
 */
export interface ContextoCredencial {
  /** Table and primary key of the row. */
  readonly tabla: string;
  readonly id: string;
  readonly cuenta: string;
  readonly rfc: string;
  readonly tipo: TipoCredencial;
  /** Id of the API key whose secret the inner layer is derived from. */
  readonly keyId: string;
  /**
   * To the millisecond, as it is stored; null when the credential does not expire. Whether it has passed is the
   * database's to say.
   */
  readonly expiraEn: Date | null;
}

/** The two things without which nothing opens. */
interface ClavesCredencial {
  readonly keyring: Keyring;
  /** The 32-byte secret of the API key (`ApiKey.secret`). */
  readonly secret: Buffer;
  /**
   * 32 random bytes that live somewhere they can be destroyed for certain. When they are gone, every copy of the
   * credential, backups included, is gone. Whether one was used is readable with {@link needsShredKey}.
   */
  readonly shredKey?: Buffer | null;
}

const VERSION = 1;
const FLAG_SHRED = 1;
/** The inner layer is HPKE to {@link llaveDeConexion}: a worker made it, without the API key. */
const FLAG_CONEXION = 2;
const HEADER_BYTES = 2;

/**
 * What never changes in front of the associated data of a layer, and of the information that the inner key is derived
 * for.
 */
const INNER = canonicalBytes('acuse/v1/credencial', 'inner');
const OUTER = canonicalBytes('acuse/v1/credencial', 'outer');
const KEY_INFO = 'acuse/v1/credencial/key';

/** The part of the associated data that both layers share: the format and the row. */
function rowBytes(flags: number, contexto: ContextoCredencial): Buffer {
  const { tabla, id, cuenta, rfc, tipo, keyId, expiraEn } = contexto;
  return canonicalBytes(Uint8Array.of(VERSION, flags), tabla, id, cuenta, rfc, tipo, keyId, expiraEn);
}

const outerData = (row: Buffer) => Buffer.concat([OUTER, row]);

const bindingOf = (row: Buffer): Binding => ({
  inner: Buffer.concat([INNER, row]),
  outer: outerData(row),
  keyInfo: KEY_INFO,
});

/** Gives what the inner key is derived from: the API key's secret, and the shred key behind it where there is one. */
function withKeyMaterial<T>({ secret, shredKey }: ClavesCredencial, use: (ikm: Buffer) => T): T {
  if (!shredKey) return use(secret);
  const ikm = Buffer.concat([secret, shredKey]);
  try {
    return use(ikm);
  } finally {
    ikm.fill(0);
  }
}

function requireLengths({ secret, shredKey }: ClavesCredencial): void {
  if (secret.length !== CLAVE_BYTES) throw new TypeError('An API key secret has 32 bytes');
  if (shredKey && shredKey.length !== CLAVE_BYTES) throw new TypeError('A shred key has 32 bytes');
}

function flagsOf(sealed: Uint8Array): number | null {
  const [version, flags] = sealed;
  return version === VERSION && [0, FLAG_SHRED, FLAG_CONEXION].includes(flags ?? -1) ? (flags ?? null) : null;
}

/**
 * Encrypts a credential for storage: version (1) ‖ flags (1) ‖ keyring wrap of [salt (32) ‖ IV (12) ‖ ciphertext ‖ tag
 * (16)]. Inner layer: AES-256-GCM under HKDF-SHA-256 of the API key's secret. Outer layer: AES-256-GCM under the
 * keyring. Does not zero the credential. Throws TypeError when it is not of the context's RFC and type,
 * KeyringExhausted.
 */
export function sealCredencial(credencial: Credencial, contexto: ContextoCredencial, claves: ClavesCredencial): Buffer {
  requireLengths(claves);
  if (credencial.rfc !== contexto.rfc || credencial.tipo !== contexto.tipo) {
    throw new TypeError('The credential is not of this context');
  }
  const flags = claves.shredKey ? FLAG_SHRED : 0;
  const plaintext = encodeCredencial(credencial);
  try {
    const binding = bindingOf(rowBytes(flags, contexto));
    const sealed = withKeyMaterial(claves, (ikm) => sealLayers(plaintext, binding, ikm, claves.keyring));
    return Buffer.concat([Uint8Array.of(VERSION, flags), sealed]);
  } finally {
    plaintext.fill(0);
  }
}

/**
 * Opens what {@link sealCredencial} returned, into fresh buffers that the caller wipes. Throws {@link
 * CredencialIlegible} whatever the reason. Does not look at the clock: read the row with `expira_en > now()` of the
 * database.
 */
export function openCredencial(sealed: Uint8Array, contexto: ContextoCredencial, claves: ClavesCredencial): Credencial {
  requireLengths(claves);
  const flags = flagsOf(sealed);
  if (flags === null) throw new CredencialIlegible();
  const binding = bindingOf(rowBytes(flags, contexto));
  const wrapped = sealed.subarray(HEADER_BYTES);
  if (flags === FLAG_CONEXION) return decodeCredencial(openConectada(wrapped, contexto, claves), contexto);
  const plaintext = withKeyMaterial(claves, (ikm) => openLayers(wrapped, binding, ikm, claves.keyring));
  return decodeCredencial(plaintext, contexto);
}

const HPKE_CONEXION = createHpke({ aead: AES_256_GCM, info: Buffer.from('acuse/v1/credencial/conexion'), psk: null });

/**
 * Key pair of an API key for one connection, whose id is that of the row: X25519 with the private half derived from the
 * secret (HKDF-SHA-256), so that only calls with the API key open what is sealed to the public half.
 */
export function llaveDeConexion(
  { keyId, secret }: { readonly keyId: string; readonly secret: Buffer },
  conexionId: string,
): X25519Private {
  const raw = hkdf(secret, Buffer.alloc(0), canonicalBytes('acuse/v1/conexion/key', keyId, conexionId), CLAVE_BYTES);
  try {
    return importX25519Private(raw);
  } finally {
    raw.fill(0);
  }
}

/** Inner layer of a stored credential, made by a worker: HPKE enc (32) ‖ ciphertext ‖ tag (16). Does not zero it. */
export function sealConectada(credencial: Credencial, contexto: ContextoCredencial, destino: X25519Public): Buffer {
  const plaintext = encodeCredencial(credencial);
  try {
    const sender = HPKE_CONEXION.sender(destino, 1);
    const { inner } = bindingOf(rowBytes(FLAG_CONEXION, contexto));
    return Buffer.concat([sender.enc, sender.seal(inner, plaintext).ciphertext]);
  } finally {
    plaintext.fill(0);
  }
}

/** Puts the outer layer around {@link sealConectada}: what {@link openCredencial} opens. Throws KeyringExhausted. */
export function wrapConectada(inner: Uint8Array, contexto: ContextoCredencial, keyring: Keyring): Buffer {
  const { outer } = bindingOf(rowBytes(FLAG_CONEXION, contexto));
  return Buffer.concat([Uint8Array.of(VERSION, FLAG_CONEXION), keyring.wrap(inner, outer)]);
}

function openConectada(wrapped: Uint8Array, contexto: ContextoCredencial, claves: ClavesCredencial): Buffer | null {
  const { inner, outer } = bindingOf(rowBytes(FLAG_CONEXION, contexto));
  const sealed = claves.keyring.unwrap(wrapped, outer);
  if (sealed === null) return null;
  const llave = llaveDeConexion({ keyId: contexto.keyId, secret: claves.secret }, contexto.id);
  const origin = { enc: sealed.subarray(0, CLAVE_BYTES), seq: 0 };
  return HPKE_CONEXION.open(llave, origin, inner, sealed.subarray(CLAVE_BYTES));
}

/**
 * Moves a stored credential to the keyring's current key. Its inner layer stays closed, since it needs the API key.
 * Returns null when the credential has the current key already. Throws {@link CredencialIlegible} when the outer layer
 * does not open.
 */
export function rewrapCredencial(sealed: Uint8Array, contexto: ContextoCredencial, keyring: Keyring): Buffer | null {
  const flags = flagsOf(sealed);
  if (flags === null) throw new CredencialIlegible();
  const wrapped = sealed.subarray(HEADER_BYTES);
  const aad = outerData(rowBytes(flags, contexto));
  const inner = keyring.unwrap(wrapped, aad);
  if (inner === null) throw new CredencialIlegible();
  if (kidOf(wrapped) === keyring.current) return null;
  return Buffer.concat([Uint8Array.of(VERSION, flags), keyring.wrap(inner, aad)]);
}

/** True when a stored credential was sealed with a shred key: this tells a lost shred key from a damaged row. */
export function needsShredKey(sealed: Uint8Array): boolean {
  return flagsOf(sealed) === FLAG_SHRED;
}
