import { randomBytes } from 'node:crypto';
import type { Secreto } from '@acuse/db';
import {
  decodeClave32,
  generateWorkerKeyPair,
  idsOf,
  importWorkerPrivateKey,
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

const write = (secreto: Secreto, entries: Iterable<readonly [string, string]>): Valores => ({
  [secreto]: [...entries].map(([id, content]) => `${id}:${content}`).join(','),
});

/**
 * Puts a new id behind the others, which every process can then read. With one that is not in force yet there already,
 * it stays as it is.
 */
export function agregar(secreto: Secreto, valores: Valores): Valores {
  const entries = entriesOf(secreto, valores);
  const newest = newestOf(entries);
  if (newest !== vigenteDe(secreto, valores)) return write(secreto, entries);
  const id = `${newest.replace(/\d+$/, '')}${numberOf(newest) + 1}`;
  const content = secreto === 'WORKER_KEYS' ? generateWorkerKeyPair().privateKey : newClave();
  return write(secreto, [...entries, [id, content]]);
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
