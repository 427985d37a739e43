import { type Credencial, type Presigned, type TipoCredencial, wipeCredencial } from '@acuse/core';
import { CredencialIlegible, decodeCredencial, encodeCredencial } from '../credencial-bytes.ts';
import { GCM_TAG_BYTES } from '../crypto/aes-gcm.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { CLAVE_BYTES } from '../crypto/clave-32.ts';
import { decodePresigned, encodePresigned } from '../presigned-bytes.ts';
import {
  AES_256_GCM,
  createHpke,
  type Hpke,
  type HpkeMessage,
  type HpkeOrigin,
  type HpkeSender,
  importX25519Public,
  twoBytes,
  type X25519Private,
  type X25519Public,
} from './hpke.ts';

/** The solicitud a sealed copy of a credential belongs to. Every field is bound to the ciphertext. */
export interface ContextoSolicitud {
  readonly solicitudId: string;
  readonly cuenta: string;
  readonly rfc: string;
  readonly tipo: TipoCredencial;
  /**
   * When the copy may no longer be used, to the millisecond as it is stored: the deadline of the solicitud, or the end
   * of the e.firma's hour if that is earlier. Whether it has passed is the database's to say.
   */
  readonly expiraEn: Date;
}

/** The solicitud that sealed signatures belong to. The kind that is bound with them tells them from a credential. */
export type ContextoPresigned = Omit<ContextoSolicitud, 'tipo'>;

/** `info` of RFC 9180: ties the keys to this purpose. */
const HPKE_INFO = Buffer.from('acuse/v1/credencial-solicitud');
const VERSION = 1;
const SEQ_BYTES = 2;
const NAME = /^[A-Za-z0-9._-]{1,32}$/;

/** Names in front of the ciphertext: which private key and which pre-shared key open it. */
interface SealedNames {
  readonly kid: string;
  readonly pskId: string;
}

/** Throws RangeError unless both names are 1 to 32 letters, digits, dots, hyphens or underscores. */
function requireName(name: string): void {
  if (!NAME.test(name))
    throw new RangeError('A kid or PSK id is 1 to 32 letters, digits, dots, hyphens or underscores');
}

/** The kind that is bound with signatures made beforehand; part of the bytes that are stored. */
const PRESIGNED = 'capsula';

/** The kind that is bound with the recipient of a connection's credential. */
const DESTINO = 'conexion';

type ContextoSellado = ContextoPresigned & { readonly tipo: TipoCredencial | typeof PRESIGNED | typeof DESTINO };

function sealedAad(contexto: ContextoSellado, { kid, pskId }: SealedNames): Buffer {
  const { solicitudId, cuenta, rfc, tipo, expiraEn } = contexto;
  return canonicalBytes(Uint8Array.of(VERSION), solicitudId, cuenta, rfc, tipo, expiraEn, kid, pskId);
}

/** What stands in sealed bytes: names, where the message comes from, and ciphertext ‖ tag. */
interface SealedParts extends SealedNames, HpkeOrigin {
  readonly ciphertext: Buffer;
}

/**
 * What stands in front of every sealed copy under these names: version (1) ‖ kid length (1) ‖ kid ‖ PSK id length (1) ‖
 * PSK id.
 */
function sealedPrefix({ kid, pskId }: SealedNames): Buffer {
  const names = [kid, pskId].flatMap((name) => [Uint8Array.of(name.length), Buffer.from(name, 'latin1')]);
  return Buffer.concat([Uint8Array.of(VERSION), ...names]);
}

/** {@link sealedPrefix} ‖ HPKE enc (32) ‖ sequence number (2) ‖ ciphertext ‖ tag (16). */
function joinSealed(prefix: Buffer, enc: Buffer, { seq, ciphertext }: HpkeMessage): Buffer {
  return Buffer.concat([prefix, enc, twoBytes(seq), ciphertext]);
}

/** Takes apart what {@link joinSealed} put together, or returns null. */
export function splitSealed(bytes: Uint8Array): SealedParts | null {
  const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (sealed[0] !== VERSION) return null;
  const kidEnd = 2 + (sealed[1] ?? 0);
  const pskEnd = kidEnd + 1 + (sealed[kidEnd] ?? 0);
  const encEnd = pskEnd + CLAVE_BYTES;
  if (sealed.length < encEnd + SEQ_BYTES + GCM_TAG_BYTES) return null;
  const kid = sealed.toString('latin1', 2, kidEnd);
  const pskId = sealed.toString('latin1', kidEnd + 1, pskEnd);
  if (!NAME.test(kid) || !NAME.test(pskId)) return null;
  const enc = sealed.subarray(pskEnd, encEnd);
  return { kid, pskId, enc, seq: sealed.readUInt16BE(encEnd), ciphertext: sealed.subarray(encEnd + SEQ_BYTES) };
}

/** How long one context is used, whichever comes first. */
interface SenderLife {
  readonly messages: number;
  /** Milliseconds from its first message. */
  readonly ms: number;
}

/**
 * Gives the context for the next message: one is shared by everything sealed within `life`, since a fresh one costs
 * more than all the rest of an acceptance. A timer wipes the key even when nothing else is sealed; it does not keep the
 * process alive.
 */
export function createShortLived(makeSender: (limit: number) => HpkeSender, life: SenderLife): () => HpkeSender {
  let current: HpkeSender | null = null;

  return () => {
    if (current !== null && !current.isSpent) return current;
    const sender = makeSender(life.messages);
    setTimeout(() => sender.wipe(), life.ms).unref();
    current = sender;
    return sender;
  };
}

/** One ephemeral key of the API serves a second or 1,000 credentials: what its memory holds opens no older copies. */
const LIFE: SenderLife = { messages: 1_000, ms: 1_000 };

/**
 * The API's half of handing credentials to the workers: HPKE (RFC 9180), mode psk, with DHKEM(X25519, HKDF-SHA256),
 * HKDF-SHA256 and AES-256-GCM. Who can write to the database but lacks `psk` cannot make a copy that a worker opens.
 * `publicKey` comes from the settings (pinned). Throws RangeError for an unusable public key, a short `psk` or a wrong
 * name.
 */
export function createSealer(options: {
  readonly publicKey: X25519Public;
  readonly kid: string;
  readonly psk: Buffer;
  readonly pskId: string;
}) {
  const { publicKey, kid, psk, pskId } = options;
  requireName(kid);
  requireName(pskId);
  const hpke = createHpke({ aead: AES_256_GCM, info: HPKE_INFO, psk: { psk, pskId: Buffer.from(pskId) } });
  // A public key of small order would only fail at the first request.
  hpke.sender(publicKey, 1).wipe();
  const names = { kid, pskId };
  const prefix = sealedPrefix(names);
  const senderForNext = createShortLived((limit) => hpke.sender(publicKey, limit), LIFE);

  function sealBytes(plaintext: Buffer, contexto: ContextoSellado): Buffer {
    try {
      const aad = sealedAad(contexto, names);
      const sender = senderForNext();
      return joinSealed(prefix, sender.enc, sender.seal(aad, plaintext));
    } finally {
      plaintext.fill(0);
    }
  }

  return {
    kid,
    pskId,
    /** Public key of the workers, 32 bytes (RFC 7748). */
    publicKey: publicKey.raw,
    /**
     * Encrypts the public key (32 bytes) of an API key for the workers, for one connection (`solicitudId`): a key that a
     * writer of the database planted does not open.
     */
    sealDestino: (destino: Uint8Array, contexto: ContextoPresigned): Buffer =>
      sealBytes(Buffer.from(destino), { ...contexto, tipo: DESTINO }),
    /**
     * Encrypts a credential for the workers, for one solicitud. Does not zero it. Throws TypeError when the credential
     * is not of the context's RFC and type.
     */
    seal(credencial: Credencial, contexto: ContextoSolicitud): Buffer {
      if (credencial.rfc !== contexto.rfc || credencial.tipo !== contexto.tipo) {
        throw new TypeError('The credential is not of this context');
      }
      return sealBytes(encodeCredencial(credencial), contexto);
    },
    /** Encrypts signatures made beforehand, as `seal` does a credential. */
    sealPresigned(presigned: Presigned, contexto: ContextoPresigned): Buffer {
      if (presigned.rfc !== contexto.rfc) throw new TypeError('The signatures are not of this context');
      return sealBytes(encodePresigned(presigned), { ...contexto, tipo: PRESIGNED });
    },
  };
}

export type Sealer = ReturnType<typeof createSealer>;

/**
 * The workers' half: several private keys and several pre-shared keys by name, so that both rotate while jobs are in
 * flight. Throws RangeError for an empty list, a short key or a wrong name.
 */
export function createOpener(options: {
  readonly keys: ReadonlyMap<string, X25519Private>;
  readonly psks: ReadonlyMap<string, Buffer>;
}) {
  if (options.keys.size === 0 || options.psks.size === 0) throw new RangeError('An opener needs a key and a PSK');
  const { keys } = options;
  const suites = new Map<string, Hpke>();
  for (const kid of keys.keys()) requireName(kid);
  for (const [pskId, psk] of options.psks) {
    requireName(pskId);
    const shared = { psk, pskId: Buffer.from(pskId) };
    suites.set(pskId, createHpke({ aead: AES_256_GCM, info: HPKE_INFO, psk: shared }));
  }

  function openBytes(sealed: Uint8Array, contexto: ContextoSellado): Buffer | null {
    const parts = splitSealed(sealed);
    const key = parts === null ? undefined : keys.get(parts.kid);
    const suite = parts === null ? undefined : suites.get(parts.pskId);
    if (parts === null || key === undefined || suite === undefined) return null;
    return suite.open(key, parts, sealedAad(contexto, parts), parts.ciphertext);
  }

  return {
    /**
     * Opens what a sealer made for this solicitud, into fresh buffers that the caller wipes. Throws {@link CredencialIlegible} whatever the reason, a destroyed private key included.
     */
    open: (sealed: Uint8Array, contexto: ContextoSolicitud): Credencial =>
      decodeCredencial(openBytes(sealed, contexto), contexto),
    /** Whether a sealed copy names a key or a PSK that this opener does not have: only then another may open it. */
    lacksKey(sealed: Uint8Array): boolean {
      const parts = splitSealed(sealed);
      return parts !== null && !(keys.has(parts.kid) && suites.has(parts.pskId));
    },
    /** The private key of this name, which opens what a browser sealed; null without it. */
    keyOf: (kid: string): X25519Private | null => keys.get(kid) ?? null,
    /** Opens the recipient of a connection's credential. Throws {@link CredencialIlegible}. */
    openDestino(sealed: Uint8Array, contexto: ContextoPresigned): X25519Public {
      const raw = openBytes(sealed, { ...contexto, tipo: DESTINO });
      if (raw?.length !== CLAVE_BYTES) throw new CredencialIlegible();
      return importX25519Public(raw);
    },
    /** Opens signatures made beforehand, as `open` does a credential. */
    openPresigned: (sealed: Uint8Array, contexto: ContextoPresigned): Presigned =>
      decodePresigned(openBytes(sealed, { ...contexto, tipo: PRESIGNED }), contexto.rfc),
  };
}

export type Opener = ReturnType<typeof createOpener>;

/**
 * Seals a copy again under the current names, for the same context. Throws {@link CredencialIlegible} when it does not
 * open, and RangeError when the opener could not open the new copy, which would then be lost.
 */
export function resealSellada(
  sealed: Uint8Array,
  contexto: ContextoSolicitud,
  { opener, sealer }: { readonly opener: Opener; readonly sealer: Sealer },
): Buffer {
  const credencial = opener.open(sealed, contexto);
  try {
    const anew = sealer.seal(credencial, contexto);
    wipeCredencial(openedAnew(opener, anew, contexto));
    return anew;
  } finally {
    wipeCredencial(credencial);
  }
}

function openedAnew(opener: Opener, anew: Uint8Array, contexto: ContextoSolicitud): Credencial {
  try {
    return opener.open(anew, contexto);
  } catch (error) {
    if (!(error instanceof CredencialIlegible)) throw error;
    throw new RangeError('WORKER_PUBLIC_KEY y WORKER_PSK no son pareja de WORKER_KEYS y WORKER_PSKS: no se selló nada');
  }
}
