import { contextoDePrueba, contextoDeSegundoFactor, contextoDeSesion } from '@acuse/core';
import { createResellables, type Database, type Secreto } from '@acuse/db';
import { type Resealing, type ResealOptions, resealing, unlessIllegible, type WorkerKeys } from '@acuse/roles/reseal';
import {
  contextoDe,
  type Keyring,
  openKeyring,
  openOpener,
  openSealer,
  rewrapCredencial,
  rewrapSellado,
  type Valores,
} from '@acuse/vault';
import { SEALED_BY_KEYRING, SEALED_FOR_WORKERS } from '../../features.ts';

const SEALED: readonly Resealing[] = [
  resealing(
    ['KEYRING'],
    'credenciales guardadas',
    (database) => createResellables(database).credenciales,
    (fila, keyring) => {
      const contexto = contextoDe(fila, fila, fila.tipo === 'ciec' ? 'ciec' : 'efirma');
      return unlessIllegible(() => rewrapCredencial(fila.sobre, contexto, keyring));
    },
  ),
  resealing(
    ['SESSION_KEYS'],
    'sesiones con portales del SAT',
    (database) => createResellables(database).cookies,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDeSesion(clave, clave.id), keyring),
  ),
  resealing(
    ['SESSION_KEYS'],
    'pruebas de sesiones con portales del SAT',
    (database) => createResellables(database).pruebas,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDePrueba(clave, clave.sal), keyring),
  ),
  resealing(
    ['SESSION_KEYS'],
    'rechazos del SAT recordados',
    (database) => createResellables(database).rechazos,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDePrueba(clave, clave.sal), keyring),
  ),
  resealing(
    ['PANEL_SECRETS'],
    'segundos factores',
    (database) => createResellables(database).segundosFactores,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDeSegundoFactor(clave.usuarioId), keyring),
  ),
];

function workerKeysOf(valores: Valores): WorkerKeys {
  const sealer = openSealer(valores['WORKER_PUBLIC_KEY'] ?? '', valores['WORKER_PSK'] ?? '');
  const opener = openOpener(valores['WORKER_KEYS'] ?? '', valores['WORKER_PSKS'] ?? '');
  return { opener, sealer, current: `${sealer.kid} ${sealer.pskId}` };
}

/** Rows under a secret: those of the core, then those of features. */
async function sealedBy<Keys>(
  secreto: Secreto,
  own: readonly Resealing<Keys>[],
  ofFeatures: readonly (() => Promise<Resealing<Keys>>)[],
): Promise<readonly Resealing<Keys>[]> {
  const all = [...own, ...(await Promise.all(ofFeatures.map((load) => load())))];
  return all.filter(({ secretos }) => secretos.includes(secreto));
}

/**
 * Reseals the data under a secret of these settings that need no API key. The other data renew by themselves: keys and
 * passwords at use, copies with their solicitud. Throws RangeError for unknown settings.
 */
export async function resellarTodo(
  database: Pick<Database, 'pool'>,
  secreto: Secreto,
  valores: Valores,
  options: ResealOptions,
): Promise<void> {
  const ofWorkers = await sealedBy(secreto, [], SEALED_FOR_WORKERS);
  for (const each of ofWorkers) await each.run(database, workerKeysOf(valores), options);
  const ofKeyring = await sealedBy(secreto, SEALED, SEALED_BY_KEYRING);
  if (ofKeyring.length > 0) await resellar(database, secreto, openKeyring(secreto, valores[secreto] ?? ''), options);
}

/**
 * Reseals, page by page, the rows under another key of `secreto` than the keyring's current one. Replaces each row only
 * if it is unchanged: may run beside other work, be interrupted, and run twice at once.
 */
export async function resellar(
  database: Pick<Database, 'pool'>,
  secreto: Secreto,
  keyring: Keyring,
  options: ResealOptions,
): Promise<void> {
  for (const each of await sealedBy(secreto, SEALED, SEALED_BY_KEYRING)) await each.run(database, keyring, options);
}
