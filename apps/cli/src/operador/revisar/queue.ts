import type { QueueFacts } from '@acuse/queue';
import { type Finding, fault, fine, orFine, warning } from '@acuse/roles/finding';

/** The oldest that BullMQ works with. */
const OLDEST_REDIS = 5;

const OWN_DATABASE =
  'Dé a la cola una base y un usuario propios: «acuse operador migrar» los crea con DATABASE_URL_COLA, y esa misma dirección es la QUEUE_URL de los workers y del panel.';

/** Whether a server keeps the wake-ups that it is given until they are heard. */
export function reviewQueue(facts: QueueFacts): readonly Finding[] {
  if (facts.driver === 'redis') return orFine([...redis(facts)], `Redis ${facts.version}, noeviction, en disco`);
  if (facts.hasSchema && facts.mayUse) return [fine('en PostgreSQL, con su esquema')];
  if (facts.hasSchema) return [fault('en PostgreSQL, y su esquema es de otro usuario', OWN_DATABASE)];
  return facts.mayCreate
    ? [fine('en PostgreSQL; el primer worker creará su esquema')]
    : [fault('en PostgreSQL, sin su esquema, y el usuario no puede crearlo', OWN_DATABASE)];
}

function* redis(facts: QueueFacts & { readonly driver: 'redis' }): Generator<Finding> {
  if (Number.parseInt(facts.version, 10) < OLDEST_REDIS)
    yield fault(`Redis ${facts.version} es anterior al ${OLDEST_REDIS}`, 'Actualice Redis.');
  if (facts.policy !== 'noeviction')
    yield fault(
      `maxmemory-policy es ${facts.policy}: al llenarse su memoria, Redis borra trabajos sin avisar`,
      'Ponga maxmemory-policy noeviction en redis.conf, y en marcha con CONFIG SET.',
    );
  if (!facts.keepsOnDisk)
    yield warning(
      'appendonly está en no: al reiniciar Redis se pierde lo que esperaba en la cola, y vuelve a llamarse solo pasado un rato',
      'Ponga appendonly yes en redis.conf.',
    );
  if (facts.isReplica) yield fault('es una réplica: no admite escrituras', 'Apunte QUEUE_URL al servidor primario.');
  if (facts.isCluster)
    yield fault('es un clúster de Redis', 'Escriba QUEUE_URL como redis+cluster://servidor:puerto,servidor:puerto.');
  if (facts.isAlone)
    yield warning('hay un maestro sin réplica: si cae, ninguna toma su lugar', 'Agregue una réplica a cada maestro.');
}

/** Answers of Redis and its sentinels that an operator can mend, first match wins. */
const REFUSALS: readonly (readonly [words: RegExp, seen: string, remedy: string])[] = [
  [
    /sentinel .*(NOAUTH|WRONGPASS)/,
    'los sentinels no aceptan la contraseña',
    'Escriba ?sentinelPassword=… al final de QUEUE_URL, y sentinelUsername si lo hay.',
  ],
  [
    /No such master|invalid reply: null/,
    'Sentinel no conoce al maestro que nombra QUEUE_URL',
    'Corrija el nombre tras los servidores: «redis-cli -p 26379 sentinel masters» los muestra.',
  ],
  [
    /^(NOAUTH|WRONGPASS|ERR AUTH)/,
    'Redis no acepta la contraseña de QUEUE_URL',
    'Ponga en QUEUE_URL la contraseña de requirepass.',
  ],
  [/cluster support disabled/, 'no es un clúster de Redis', 'Quite +cluster de QUEUE_URL.'],
];

/** The finding about a server that answers an error; null for an error of other kinds. */
export function refusalOf(error: unknown): Finding | null {
  const text = error instanceof Error ? error.message : '';
  const [, seen, remedy] = REFUSALS.find(([words]) => words.test(text)) ?? [];
  return seen === undefined || remedy === undefined ? null : fault(seen, remedy);
}
