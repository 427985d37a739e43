import { randomBytes } from 'node:crypto';
import type { Secreto } from '@acuse/db';
import {
  decodeClave32,
  generateWorkerKeyPair,
  idsOf,
  importWorkerPrivateKey,
  manifestPublicKeyOf,
  parseKeys,
  publicKeyOf,
  type Valores,
} from '@acuse/vault';

const newClave = () => randomBytes(32).toString('base64');

/** The setting that takes only the entry in force of a secret, and how it says that entry. */
const UNICA: Partial<Record<Secreto, readonly [name: string, of: (content: string) => string]>> = {
  WORKER_KEYS: ['WORKER_PUBLIC_KEY', (privada) => publicKeyOf(importWorkerPrivateKey(privada))],
  WORKER_PSKS: ['WORKER_PSK', (psk) => psk],
};

const numberOf = (id: string) => Number(/\d+$/.exec(id)?.[0] ?? 0);

/**
 * The entries of a secret, `id → content`, in order. Throws RangeError for a list that is none, and for one that is not
 * there.
 */
export function entriesOf(secreto: Secreto, valores: Valores): ReadonlyMap<string, string> {
  const list = valores[secreto];
  if (list === undefined) throw new RangeError(`${secreto}: falta; sin su valor no se puede rotar`);
  return parseKeys(secreto, list, (content) => {
    decodeClave32(content).fill(0);
    return content;
  });
}

/**
 * The id in force: the one that the processes write with. Of the workers' keys and their PSK, the one that the API has.
 */
export function vigenteDe(secreto: Secreto, valores: Valores): string | undefined {
  const unica = valores[UNICA[secreto]?.[0] ?? secreto];
  return unica === undefined ? undefined : idsOf(secreto, unica)[0];
}

const newestOf = (entries: ReadonlyMap<string, string>) =>
  [...entries.keys()].reduce((newest, id) => (numberOf(id) > numberOf(newest) ? id : newest));

const listOf = (entries: Iterable<readonly [string, string]>) =>
  [...entries].map(([id, content]) => `${id}:${content}`).join(',');

const write = (secreto: Secreto, entries: Iterable<readonly [string, string]>): Valores => ({
  [secreto]: listOf(entries),
});

/** Public keys of manifests: published ones stay for old packages, and those of `entries` join them. */
function published(secreto: Secreto, valores: Valores, entries: ReadonlyMap<string, string>): Valores {
  if (secreto !== 'MANIFEST_KEYS') return {};
  const { MANIFEST_PUBLIC_KEYS: list } = valores;
  const before = list === undefined ? [] : parseKeys('MANIFEST_PUBLIC_KEYS', list, (key) => key);
  const own = [...entries].map(([id, seed]) => [id, manifestPublicKeyOf(seed)] as const);
  return { MANIFEST_PUBLIC_KEYS: listOf(new Map([...before, ...own])) };
}

/**
 * Puts a new id behind the others, which every process can then read. With one that is not in force yet there already,
 * it stays as it is. A new key of manifests is published at once: API processes know it before workers sign with it.
 */
export function agregar(secreto: Secreto, valores: Valores): Valores {
  const entries = entriesOf(secreto, valores);
  const newest = newestOf(entries);
  if (newest !== vigenteDe(secreto, valores))
    return { ...write(secreto, entries), ...published(secreto, valores, entries) };
  const id = `${newest.replace(/\d+$/, '')}${numberOf(newest) + 1}`;
  const content = secreto === 'WORKER_KEYS' ? generateWorkerKeyPair().privateKey : newClave();
  const all = new Map([...entries, [id, content]]);
  return { ...write(secreto, all), ...published(secreto, valores, all) };
}

/** Puts the newest id in force. */
export function usar(secreto: Secreto, valores: Valores): Valores {
  const entries = entriesOf(secreto, valores);
  const newest = newestOf(entries);
  const content = entries.get(newest) ?? '';
  const others = [...entries].filter(([id]) => id !== newest);
  const unica = UNICA[secreto];
  return {
    ...write(secreto, [[newest, content], ...others]),
    ...(unica ? { [unica[0]]: `${newest}:${unica[1](content)}` } : {}),
  };
}

/** Takes every id away but the one in force. */
export function retirar(secreto: Secreto, valores: Valores): Valores {
  const vigente = vigenteDe(secreto, valores);
  return write(
    secreto,
    [...entriesOf(secreto, valores)].filter(([id]) => id === vigente),
  );
}
