import { type cuelgan, SECRETOS } from '@acuse/db';
import { type Finding, fault, orFine, warning } from '@acuse/roles/finding';
import { parseQueueUrl } from '@acuse/runtime';
import {
  decodeClave32,
  idsOf,
  importWorkerPrivateKey,
  importWorkerPublicKey,
  manifestPublicKeyOf,
  parseKeys,
  publicKeyOf,
} from '@acuse/vault';
import type { Settings } from './environment.ts';

/** What hangs on each id. */
type Hanging = Awaited<ReturnType<typeof cuelgan>>;

/** Lists of `id:base64` with keys of 32 bytes. */
const KEYS = [...SECRETOS, 'WORKER_PUBLIC_KEY', 'WORKER_PSK', 'MANIFEST_PUBLIC_KEYS'] as const;
type KeyName = (typeof KEYS)[number];

/** Of two processes each has one half, or a part, of the other. */
const PAIRS = [
  ['WORKER_PUBLIC_KEY', 'WORKER_KEYS'],
  ['WORKER_PSK', 'WORKER_PSKS'],
] as const;
const isPair = (one: string, other: string) =>
  PAIRS.some((pair) => [...pair].includes(one as never) && [...pair].includes(other as never));

/** Of 32 random bytes fewer differ less than once in 10^12 draws. */
const DIFFERENT_BYTES = 20;
const SHORTEST_PASSWORD = 16;
/** What installations are tried with, and what servers come with. */
const DEMO_PASSWORDS =
  /^(acuse|admin|changeme|cambiame|contrasena|demo|example|guest|minio|minioadmin|minio123|password|passw0rd|postgres|prueba|redis|root|s3cr3t|secret|secreto|test|x)?\d{0,4}$/i;

const MAKE_NEW = 'Haga uno nuevo con «acuse operador secretos», o cámbielo sin detener nada con «secretos rotar».';

/**
 * Looks at the secrets as they stand: whether they can be read, are random, of one use each, fit their other half, and
 * have every id that rows hang on.
 */
export function reviewSecrets(settings: Settings, hanging: Hanging): readonly Finding[] {
  const lists = new Map<KeyName, ReadonlyMap<string, string>>();
  const findings: Finding[] = [];
  for (const name of KEYS) {
    const list = settings[name];
    if (list === undefined) continue;
    try {
      lists.set(name, readList(name, list));
    } catch {
      findings.push(fault(`${name}: no es una lista de id:base64 con claves de 32 bytes`, MAKE_NEW));
    }
  }
  findings.push(
    ...weak(lists),
    ...repeated(lists),
    ...parted(lists),
    ...unpublished(lists),
    ...passwords(settings),
    ...missingIds(settings, hanging),
  );
  return orFine(findings, `${lists.size} leídos, cada uno con claves propias y al azar`);
}

function readList(name: KeyName, list: string): ReadonlyMap<string, string> {
  if (name === 'WORKER_PUBLIC_KEY') parseKeys(name, list, importWorkerPublicKey);
  if (name === 'WORKER_KEYS') parseKeys(name, list, importWorkerPrivateKey);
  return parseKeys(name, list, (content) => {
    decodeClave32(content).fill(0);
    return content;
  });
}

type Lists = ReadonlyMap<KeyName, ReadonlyMap<string, string>>;

function* weak(lists: Lists): Generator<Finding> {
  for (const [name, list] of lists)
    for (const [id, key] of list)
      if (new Set(decodeClave32(key)).size < DIFFERENT_BYTES)
        yield fault(`${name}: la clave ${id} no está hecha al azar`, MAKE_NEW);
}

function* repeated(lists: Lists): Generator<Finding> {
  const first = new Map<string, KeyName>();
  for (const [name, list] of lists)
    for (const key of list.values()) {
      const other = first.get(key);
      if (other === undefined) first.set(key, name);
      else if (!isPair(name, other)) yield fault(`${name} tiene la misma clave que ${other}`, MAKE_NEW);
    }
}

/** The workers need the counterparts of the API's keys to open its sealed data. */
function* parted(lists: Lists): Generator<Finding> {
  for (const [ours, theirs] of PAIRS) {
    const own = [...(lists.get(ours) ?? [])][0];
    const others = lists.get(theirs);
    if (own === undefined || others === undefined) continue;
    const [id, key] = own;
    const other = others.get(id);
    const half = other === undefined || theirs === 'WORKER_PSKS' ? other : publicKeyOf(importWorkerPrivateKey(other));
    if (half !== key)
      yield fault(
        `${ours} no es pareja de ${theirs} (id ${id}): los workers no abrirían lo que sella la API`,
        'Ponga los dos del mismo juego: «acuse operador secretos» los hace juntos.',
      );
  }
}

/** Packages that a worker signs verify only with a key that the API publishes. */
function* unpublished(lists: Lists): Generator<Finding> {
  const signing = [...(lists.get('MANIFEST_KEYS') ?? [])][0];
  if (signing === undefined) return;
  const [id, seed] = signing;
  if (lists.get('MANIFEST_PUBLIC_KEYS')?.get(id) !== manifestPublicKeyOf(seed))
    yield fault(
      `MANIFEST_PUBLIC_KEYS no tiene la llave pública del id ${id} de MANIFEST_KEYS: nadie podría comprobar la firma de los paquetes`,
      'Ponga las dos del mismo juego, o rótela con «acuse operador secretos rotar MANIFEST_KEYS».',
    );
}

function* passwords(settings: Settings): Generator<Finding> {
  const passwordOf = (address: string | undefined) =>
    address === undefined ? undefined : decodeURIComponent(parseQueueUrl(address).servers[0].password);
  const given: Readonly<Record<string, string | undefined>> = {
    DATABASE_URL: passwordOf(settings.DATABASE_URL),
    QUEUE_URL: passwordOf(settings.QUEUE_URL),
    S3_SECRET_ACCESS_KEY: settings.S3_SECRET_ACCESS_KEY,
  };
  for (const [name, password] of Object.entries(given)) {
    if (password === undefined || password.length >= SHORTEST_PASSWORD) continue;
    if (password === '')
      yield warning(`${name}: entra sin contraseña`, 'Ponga en ese servidor una contraseña larga y al azar.');
    else if (DEMO_PASSWORDS.test(password))
      yield fault(`${name}: la contraseña es de las que se usan para probar`, 'Cámbiela por una larga y al azar.');
    else
      yield warning(
        `${name}: la contraseña tiene menos de ${SHORTEST_PASSWORD} caracteres`,
        'Cámbiela por una larga y al azar (openssl rand -base64 24).',
      );
  }
}

/** Ids that a process lacks although rows hang on them: it would not start. */
function missingIds(settings: Settings, hanging: Hanging): readonly Finding[] {
  return hanging.flatMap(({ secreto, id, que, filas }) => {
    const list = settings[secreto];
    if (list === undefined || idsWithin(secreto, list).includes(id)) return [];
    return [
      fault(
        `${secreto}: falta el id ${id}, del que cuelgan ${filas} ${que}`,
        'Vuelva a ponerlo; «acuse operador secretos estado» dice cuándo se puede quitar.',
      ),
    ];
  });
}

function idsWithin(name: string, list: string): readonly string[] {
  try {
    return idsOf(name, list);
  } catch {
    return [];
  }
}
