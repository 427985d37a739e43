import { readFile } from 'node:fs/promises';
import { type ApiKeyHasher, createApiKeyHasher } from '../api-key/api-key-hasher.ts';
import { decodeClave32 } from '../crypto/clave-32.ts';
import { createTrustBundle, EMPTY_TRUST } from '../efirma/certificado.ts';
import { createKeyring, type Keyring } from '../envelope/keyring.ts';
import { createOpener, createSealer, type Opener, type Sealer } from '../sealing/sealed-credencial.ts';
import { importWorkerPrivateKey, importWorkerPublicKey, publicHalfOf } from '../sealing/worker-keys.ts';

/**
 * Reads `id:base64,id:base64` into a map, in order. Throws RangeError, without quoting any value, when an entry has no
 * id or no content, or an id comes twice; what `read` throws goes through.
 */
export function parseKeys<Key>(name: string, list: string, read: (base64: string) => Key): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  for (const entry of list.split(',')) {
    const at = entry.indexOf(':');
    const id = entry.slice(0, Math.max(at, 0)).trim();
    const content = entry.slice(at + 1).trim();
    if (id === '' || content === '' || keys.has(id)) {
      throw new RangeError(`${name}: se espera id:base64, sin ids repetidos`);
    }
    keys.set(id, read(content));
  }
  return keys;
}

/** The ids of such a list, in order: the first is in force. */
export const idsOf = (name: string, list: string): string[] => [...parseKeys(name, list, () => true).keys()];

/** The first key: the one in force. */
export function firstKey<Key>(keys: ReadonlyMap<string, Key>): { readonly id: string; readonly key: Key } {
  for (const [id, key] of keys) return { id, key };
  throw new RangeError('there is no key');
}

/**
 * The settings of a process that stores credentials: lists of `id:base64`, the first entry in force, and the paths of
 * PEM files.
 */
interface AjustesClaves {
  readonly API_KEY_PEPPERS: string;
  readonly KEYRING: string;
  readonly WORKER_PUBLIC_KEY: string;
  readonly WORKER_PSK: string;
  readonly EFIRMA_AUTORIDADES: readonly string[];
  readonly EFIRMA_AUTORIDADES_PRUEBAS: readonly string[];
}

/**
 * A hasher of API keys from `version:base64,…`. Throws RangeError, without quoting any value, for a list that is none.
 */
export function openHasher(peppers: string): ApiKeyHasher {
  const versions = parseKeys('API_KEY_PEPPERS', peppers, decodeClave32);
  return createApiKeyHasher({
    peppers: new Map([...versions].map(([version, pepper]) => [Number(version), pepper])),
    current: Number(firstKey(versions).id),
  });
}

/**
 * A keyring from the setting `name`, `kid:base64,…`. Throws RangeError, without quoting any value, for a list that is
 * none.
 */
export function openKeyring(name: string, list: string): Keyring {
  const keys = parseKeys(name, list, decodeClave32);
  return createKeyring({ keys, current: firstKey(keys).id });
}

/** What seals credentials for the workers, from `kid:base64` of their public key and of the PSK. Throws RangeError. */
export function openSealer(publicKey: string, psk: string): Sealer {
  const worker = firstKey(parseKeys('WORKER_PUBLIC_KEY', publicKey, importWorkerPublicKey));
  const shared = firstKey(parseKeys('WORKER_PSK', psk, decodeClave32));
  return createSealer({ publicKey: worker.key, kid: worker.id, psk: shared.key, pskId: shared.id });
}

/** What seals for the workers in a worker: to the public half of the key in force. Throws RangeError. */
export function openOwnSealer(privateKeys: string, psks: string): Sealer {
  const worker = firstKey(parseKeys('WORKER_KEYS', privateKeys, importWorkerPrivateKey));
  const shared = firstKey(parseKeys('WORKER_PSKS', psks, decodeClave32));
  return createSealer({ publicKey: publicHalfOf(worker.key), kid: worker.id, psk: shared.key, pskId: shared.id });
}

/** What opens them, from the lists of the workers' private keys and of the PSKs. Throws RangeError. */
export function openOpener(privateKeys: string, psks: string): Opener {
  return createOpener({
    keys: parseKeys('WORKER_KEYS', privateKeys, importWorkerPrivateKey),
    psks: parseKeys('WORKER_PSKS', psks, decodeClave32),
  });
}

/**
 * Reads the keys and the files of authorities that the settings name. Throws RangeError for a key that is none, and
 * what reading throws.
 */
export async function openClaves(ajustes: AjustesClaves) {
  const bundleOf = async (files: readonly string[]) =>
    createTrustBundle(await Promise.all(files.map((file) => readFile(file, 'latin1'))));
  const { EFIRMA_AUTORIDADES: autoridades, EFIRMA_AUTORIDADES_PRUEBAS: pruebas } = ajustes;
  return {
    hasher: openHasher(ajustes.API_KEY_PEPPERS),
    keyring: openKeyring('KEYRING', ajustes.KEYRING),
    sealer: openSealer(ajustes.WORKER_PUBLIC_KEY, ajustes.WORKER_PSK),
    /** Authorities that may issue an e.firma. */
    trust: await bundleOf(autoridades),
    /** Those that may issue one for a test key where the SAT is asked with the others. */
    trustPruebas: pruebas.length === 0 ? EMPTY_TRUST : await bundleOf(pruebas),
  };
}
