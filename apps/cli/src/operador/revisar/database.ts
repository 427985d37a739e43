import type { DatabaseFacts } from '@acuse/db';
import { type Finding, fault, fine, orFine, skipped, warning } from '@acuse/roles/finding';
import type { Installation } from './environment.ts';

/** The oldest version that the migrations run on. */
const OLDEST = 15;
const MAJOR = 10_000;
/** Connections of the queue beside those of the pool: producers, and a consumer for each kind of work. */
const QUEUE_CONNECTIONS = { api: 0, panel: 2, worker: 24 } as const;

/** Checks the properties of the server that the promises need. */
export function reviewDatabase(facts: DatabaseFacts, installation: Installation): readonly Finding[] {
  const version = `PostgreSQL ${Math.floor(facts.version / MAJOR)}.${facts.version % MAJOR}`;
  return orFine(
    [...server(facts, version), ...connections(facts, installation)],
    `${version}, duradero, ${facts.connections} de ${facts.maxConnections} conexiones en uso`,
  );
}

function* server(facts: DatabaseFacts, version: string): Generator<Finding> {
  if (facts.version < OLDEST * MAJOR)
    yield fault(`${version} es anterior a la ${OLDEST}`, `Actualice el servidor a PostgreSQL ${OLDEST} o posterior.`);
  if (facts.isReadOnly)
    yield fault(
      'solo admite lecturas (es una réplica, o lo dice default_transaction_read_only)',
      'Apunte DATABASE_URL al servidor primario.',
    );
  if (facts.notDurable.length > 0)
    yield fault(
      `${facts.notDurable.join(', ')} en off: un corte de luz puede borrar lo que ya se contestó`,
      'Ponga en on esos ajustes en postgresql.conf, y revise que ni el rol ni la base los cambien.',
    );
  if (facts.encoding !== 'UTF8')
    yield fault(`la base está en ${facts.encoding}`, 'Cree la base con ENCODING UTF8 y pase a ella los datos.');
  if (facts.losesOptions)
    yield warning(
      'no llegan las opciones de la sesión (jit sigue encendido): hay un repartidor de conexiones en medio que las quita',
      'Si es PgBouncer, agregue a DATABASE_URL ?pgbouncer=true&direct=servidor:5432 (docs/operators/postgres.md).',
    );
}

function* connections({ maxConnections }: DatabaseFacts, { settingsOf, settings }: Installation): Generator<Finding> {
  // The connections of PgBouncer are its own.
  if (settings.DATABASE_URL?.includes('pgbouncer=')) return;
  const isQueueThere = !(settings.QUEUE_URL ?? 'postgres:').startsWith('redis');
  const needs = [...settingsOf].map(
    ([process, { DATABASE_POOL: pool = 0 }]) => pool + (isQueueThere ? QUEUE_CONNECTIONS[process] : 0),
  );
  const needed = needs.reduce((sum, each) => sum + each, 0);
  const remedy =
    'Suba max_connections, o baje DATABASE_POOL; cuente cada proceso que va a tener (docs/operators/capacity.md).';
  if (needed > maxConnections)
    yield fault(`un proceso de cada uno pide hasta ${needed} conexiones y solo hay ${maxConnections}`, remedy);
  else if (2 * needed > maxConnections)
    yield warning(
      `un proceso de cada uno pide hasta ${needed} de las ${maxConnections} conexiones: no caben dos de cada uno, como al actualizar`,
      remedy,
    );
}

/** Whether a worker carries the wake-ups to the queue: without one no request goes on. */
export function reviewCoordinator({ workers }: Pick<DatabaseFacts, 'workers'>): Finding {
  if (workers.isCoordinated) return fine('un worker lleva los avisos a la cola');
  if (workers.count === 0) return skipped('ningún worker está en marcha');
  return fault(
    'hay workers en marcha y ninguno lleva los avisos a la cola: ninguna solicitud avanza',
    'Levante el servicio coordinador, o dé a un worker WORKER_ROLES con relay, reconciler y reaper (docs/operators/operate.md).',
  );
}

/** Whether the database has the schema and the rights of this version. */
export function reviewMigrations({ migrations, keepsAnteriores, isOpenToAll }: DatabaseFacts): readonly Finding[] {
  const { pending, unknown, altered } = migrations;
  const findings: Finding[] = [];
  if (pending.length > 0)
    findings.push(
      fault(
        `${pending.length === 1 ? 'falta 1 migración' : `faltan ${pending.length} migraciones`}, desde ${pending[0]}`,
        'Aplíquelas con: acuse operador migrar',
      ),
    );
  if (altered.length > 0)
    findings.push(
      fault(
        `${altered.join(', ')}: la base tiene otro texto que esta versión`,
        'Alguien cambió una migración ya publicada. Use el programa de la versión que la aplicó, o restaure la base.',
      ),
    );
  if (keepsAnteriores)
    findings.push(
      warning(
        'los procesos conservan los permisos que necesitaba la versión anterior',
        'Cuando todos los procesos sean de esta versión, repita: acuse operador migrar',
      ),
    );
  if (isOpenToAll && pending.length === 0)
    findings.push(
      warning(
        'cualquier usuario del servidor puede entrar a la base',
        'Repita «acuse operador migrar» como dueño de la base, o ciérrela con: REVOKE CONNECT ON DATABASE … FROM PUBLIC',
      ),
    );
  if (unknown.length > 0)
    findings.push(
      warning(
        `la base es de una versión posterior (${unknown.at(-1)})`,
        'Actualice este programa a la versión de los demás procesos.',
      ),
    );
  return orFine(findings, 'el esquema es el de esta versión');
}
