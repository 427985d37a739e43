import { describe, expect, it } from 'vitest';
import { reviewBucket } from './bucket.ts';
import { reviewClock } from './clock.ts';
import { reviewDatabase, reviewMigrations } from './database.ts';
import { hideSecrets, type Installation } from './environment.ts';
import { refusalOf, reviewQueue } from './queue.ts';
import { reviewSettings } from './settings.ts';

const installation = (changed: Partial<Installation>): Installation => ({
  processes: ['api', 'panel'],
  settingsOf: new Map(),
  settings: {},
  faults: new Map(),
  logins: new Map(),
  secrets: [],
  ...changed,
});

describe('settings before the live SAT', () => {
  const live = {
    API_PUBLIC_URL: 'https://api.example',
    PANEL_PUBLIC_URL: 'https://panel.example',
    S3_PUBLIC_ENDPOINT: 'https://paquetes.example',
    TRUSTED_PROXIES: ['10.0.0.0/8'],
    COOKIE_HOST: true,
  };
  const wrong = (settings: Installation['settings']) =>
    reviewSettings(installation({ settings: { ...live, ...settings } }))
      .filter(({ mark }) => mark !== 'bien')
      .map(({ mark, seen }) => `${mark}: ${seen}`);

  it('are fine when every address is https and nothing is for trying', () => {
    expect(wrong({})).toEqual([]);
  });

  it.each([
    [{ PAGOS_DEMOSTRACION: true }, 'falla: PAGOS_DEMOSTRACION'],
    [{ WEBHOOK_PERMITIR_HTTP: true }, 'falla: WEBHOOK_PERMITIR_HTTP'],
    [{ COOKIE_HOST: false }, 'falla: COOKIE_HOST'],
    [{ FAILPOINT: 'x:kill' }, 'falla: FAILPOINT'],
    [{ API_PUBLIC_URL: 'http://127.0.0.1:8080' }, 'falla: API_PUBLIC_URL solo se alcanza desde esta máquina'],
    [{ PANEL_PUBLIC_URL: 'http://panel.example' }, 'falla: PANEL_PUBLIC_URL no es https'],
    [{ S3_PUBLIC_ENDPOINT: 'http://s3:8333' }, 'falla: S3_PUBLIC_ENDPOINT no es https'],
    [{ TRUSTED_PROXIES: [] }, 'aviso: TRUSTED_PROXIES está vacía'],
    [{ SAT_CANALES_DESACTIVADOS: ['portal' as const] }, 'aviso: SAT_CANALES_DESACTIVADOS apaga portal'],
    [{ DATABASE_URL: 'postgres://u:p@db.example/acuse' }, 'aviso: DATABASE_URL va sin cifrar a db.example'],
    [{ DATABASE_URL: 'postgres://u:p@db.example/acuse?sslmode=disable' }, 'aviso: DATABASE_URL va sin cifrar'],
    [{ QUEUE_URL: 'redis://:p@10.0.0.7:6379' }, 'aviso: QUEUE_URL va sin cifrar a 10.0.0.7'],
    [{ QUEUE_URL: 'redis+sentinel://:p@uno,10.0.0.7/principal' }, 'aviso: QUEUE_URL va sin cifrar a 10.0.0.7'],
  ])('are not fine with %j', (changed, said) => {
    expect(wrong(changed)).toEqual([expect.stringContaining(said)]);
  });

  it.each(['rediss+sentinel://:p@a.example,b.example/principal', 'rediss+cluster://:p@a.example,b.example'])(
    'are fine with the queue at %s',
    (QUEUE_URL) => expect(wrong({ QUEUE_URL })).toEqual([]),
  );

  it('are reviewed with a database behind PgBouncer', () => {
    const DATABASE_URL = 'postgres://u:p@pool.example/acuse?pgbouncer=true&direct=db.example:5432';
    expect(wrong({ DATABASE_URL })).toEqual([expect.stringContaining('DATABASE_URL va sin cifrar a pool.example')]);
  });

  it.each([
    'postgres://u:p@127.0.0.1/acuse',
    'postgres://u:p@localhost/acuse',
    'postgres://u:p@db.example/acuse?sslmode=verify-full',
    'postgres://u:p@db.example/acuse?sslmode=require',
    'postgres:///acuse?host=/run/postgresql',
    'postgres://u:p@postgres:5432/acuse',
  ])('are fine with the database at %s', (DATABASE_URL) => {
    expect(wrong({ DATABASE_URL, QUEUE_URL: 'rediss://:p@cola.example:6379' })).toEqual([]);
  });

  it('name missing settings: the address of the panel, but not that of Amazon as the object store', () => {
    const { PANEL_PUBLIC_URL: _, S3_PUBLIC_ENDPOINT: __, ...rest } = live;
    expect(reviewSettings(installation({ settings: rest })).map(({ seen }) => seen)).toEqual([
      'api, panel: ajustes completos',
      'PANEL_PUBLIC_URL falta',
    ]);
  });
});

describe('servers', () => {
  const database = {
    version: 150_004,
    encoding: 'UTF8',
    isReadOnly: false,
    notDurable: [],
    losesOptions: false,
    keepsAnteriores: false,
    isOpenToAll: false,
    maxConnections: 97,
    connections: 3,
    migrations: { pending: [], unknown: [], altered: [] },
    workers: { count: 2, isCoordinated: true },
    skewMs: 0,
  };
  const pools = installation({ settingsOf: new Map([['worker', { DATABASE_POOL: 20 }]]), settings: {} });

  it.each([
    [{}, 'bien: PostgreSQL 15.4, duradero, 3 de 97 conexiones en uso'],
    [{ version: 140_011 }, 'falla: PostgreSQL 14.11 es anterior a la 15'],
    [{ isReadOnly: true }, 'falla: solo admite lecturas'],
    [{ encoding: 'SQL_ASCII' }, 'falla: la base está en SQL_ASCII'],
    [{ losesOptions: true }, 'aviso: no llegan las opciones de la sesión'],
    [{ maxConnections: 60 }, 'aviso: un proceso de cada uno pide hasta 44 de las 60 conexiones'],
    [{ maxConnections: 40 }, 'falla: un proceso de cada uno pide hasta 44 conexiones y solo hay 40'],
  ])('of a database with %j are told: %s', (changed, said) => {
    expect(reviewDatabase({ ...database, ...changed }, pools).map(({ mark, seen }) => `${mark}: ${seen}`)).toEqual([
      expect.stringContaining(said),
    ]);
  });

  it.each([
    [{}, 'bien: el esquema es el de esta versión'],
    [{ keepsAnteriores: true }, 'aviso: los procesos conservan los permisos que necesitaba la versión anterior'],
    [{ isOpenToAll: true }, 'aviso: cualquier usuario del servidor puede entrar a la base'],
  ])('of the schema of a database with %j are told: %s', (changed, said) => {
    expect(reviewMigrations({ ...database, ...changed }).map(({ mark, seen }) => `${mark}: ${seen}`)).toEqual([said]);
  });

  const redis = {
    driver: 'redis',
    version: '7.0.15',
    policy: 'noeviction',
    keepsOnDisk: true,
    isReplica: false,
    isCluster: false,
    isAlone: false,
  } as const;

  it.each([
    [{ ...redis, version: '4.0.9' }, 'falla: Redis 4.0.9 es anterior al 5'],
    [{ ...redis, isReplica: true }, 'falla: es una réplica'],
    [{ ...redis, isCluster: true }, 'falla: es un clúster de Redis'],
    [{ ...redis, isAlone: true }, 'aviso: hay un maestro sin réplica'],
    [{ driver: 'postgres', hasSchema: true, mayUse: true, mayCreate: false } as const, 'bien: en PostgreSQL, con su'],
    [{ driver: 'postgres', hasSchema: true, mayUse: false, mayCreate: true } as const, 'falla: en PostgreSQL, y su'],
    [
      { driver: 'postgres', hasSchema: false, mayUse: false, mayCreate: true } as const,
      'bien: en PostgreSQL; el primer worker',
    ],
    [
      { driver: 'postgres', hasSchema: false, mayUse: false, mayCreate: false } as const,
      'falla: en PostgreSQL, sin su esquema',
    ],
  ])('of a queue with %j are told: %s', (facts, said) => {
    expect(reviewQueue(facts).map(({ mark, seen }) => `${mark}: ${seen}`)).toEqual([expect.stringContaining(said)]);
  });

  it.each([
    ['failed to connect to sentinel a:1 because NOAUTH HELLO must be called', 'los sentinels no aceptan la contraseña'],
    ['failed to connect to sentinel a:1 because ERR No such master with that name', 'Sentinel no conoce al maestro'],
    ['WRONGPASS invalid username-password pair', 'Redis no acepta la contraseña de QUEUE_URL'],
    ['ERR This instance has cluster support disabled', 'no es un clúster de Redis'],
  ])('of a queue that answers «%s» are told: %s', (message, said) => {
    expect(refusalOf(new Error(message))?.seen).toContain(said);
    expect(refusalOf(new Error('ECONNREFUSED'))).toBeNull();
  });

  const bucket = { failed: null, isPublic: false, url: { address: 'https://s3.example', status: 200 }, skewMs: 0 };

  it.each([
    [{ isPublic: true }, 'falla: cualquiera puede leer los paquetes sin firma'],
    [{ url: { ...bucket.url, status: 403 } }, 'falla: una URL firmada para https://s3.example contesta HTTP 403'],
  ])('of a bucket with %j are told: %s', (changed, said) => {
    const found = reviewBucket({ ...bucket, ...changed }, { S3_BUCKET: 'acuse' });
    expect(found.map(({ mark, seen }) => `${mark}: ${seen}`)).toEqual([expect.stringContaining(said)]);
  });
});

it('blames the clock that is alone with its time', () => {
  expect(
    reviewClock([
      { of: 'PostgreSQL', ms: 70_000 },
      { of: 'el SAT', ms: 300 },
    ]),
  ).toMatchObject({ mark: 'falla', remedy: expect.stringContaining('el reloj de PostgreSQL') });
  expect(reviewClock([]).mark).toBe('omitida');
});

it('takes a secret out of a text wherever it stands, the longest first', () => {
  expect(hideSecrets('postgres://u:clave-larga@h y clave', ['clave', 'clave-larga', 'h y'])).toBe(
    'postgres://u:•••@h y •••',
  );
});
