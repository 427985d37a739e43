import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@acuse/embedded';
import { startSimulador } from '@acuse/simulador';
import { newSecretos } from '@acuse/vault';
import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { runOrder } from '../fixtures/cli.ts';
import { useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { createBucket } from '../fixtures/objetos.ts';
import { accesosTo } from '../fixtures/roles.ts';
import { ownPostgres, ownRedis } from '../fixtures/servidores.ts';

const DAY_MS = 86_400_000;
/** An installation on servers of its own, durable ones: every fault below is made to it. */
const its = duringTests(async () => {
  const [postgres, simulador, dir] = await Promise.all([
    ownPostgres(),
    startSimulador(),
    mkdtemp(join(tmpdir(), 'acuse-revisar-')),
  ]);
  const bucket = `revisar-${randomBytes(4).toString('hex')}`;
  await createBucket({ bucket });
  const ca = join(dir, 'ca.pem');
  await writeFile(ca, await (await fetch(`${simulador.url}/control/ca.pem`)).text());
  const s3 = inject('s3');
  const env: Readonly<Record<string, string>> = {
    ...newSecretos(),
    DATABASE_URL: postgres.database.url,
    QUEUE_URL: postgres.database.url,
    ...accesosTo(postgres.database.url),
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_BUCKET: bucket,
    EFIRMA_AUTORIDADES: ca,
    SAT_BASE_URL: simulador.url,
    CAPTCHA_RESOLVER: 'simulador',
    CAPTCHA_URL: `${simulador.url}/cfdiau/simulador/captcha`,
  };
  return {
    env,
    dir,
    sql: postgres.database.sql,
    async close() {
      await simulador.close();
      await postgres.database.close();
      await rm(dir, { recursive: true });
    },
  };
});

/** All that was printed by these tests, in which no secret may stand. */
let printed = '';
const secrets = new Set<string>();

type Row = Readonly<Record<'revision' | 'resultado' | 'que' | 'remedio', string>>;

/** Carries the order out over the installation with some settings changed; undefined takes one away. */
async function revisar(
  changed: Readonly<Record<string, string | undefined>> = {},
  { args = [], now = Date.now }: { readonly args?: readonly string[]; readonly now?: () => number } = {},
) {
  const env = { ...its.env, ...changed };
  const codes: number[] = [];
  const { rows, said } = await runOrder(
    { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/x' },
    ['revisar', '--json', ...args],
    { env, now, exitWith: (code) => codes.push(code) },
  );
  expect(said).toBe('');
  printed += JSON.stringify(rows);
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && /KEY|PEPPER|PSK|SECRET|KEYRING/.test(name) && !/ACCESS_KEY_ID|PUBLIC|_FILE$/.test(name))
      for (const entry of value.split(',').filter(({ length }) => length > 4))
        secrets.add(entry.slice(entry.indexOf(':') + 1));
  const found = rows as unknown as Row[];
  return {
    code: codes[0] ?? 0,
    found,
    /** Findings that are no success, as `check: mark`. */
    wrong: found
      .filter(({ resultado }) => ['aviso', 'falla'].includes(resultado))
      .map((row) => `${row.revision}: ${row.resultado}`),
    of: (revision: string) => found.filter((row) => row.revision === revision),
    /** The only finding of a check. */
    only: (revision: string) => {
      const all = found.filter((row) => row.revision === revision);
      expect(all.map(({ que }) => que)).toHaveLength(1);
      return all[0] as Row;
    },
  };
}

describe('acuse operador revisar', () => {
  it('is content with a healthy installation that asks the simulator of its machine', async () => {
    const { wrong, found, code } = await revisar();
    expect(found.filter(({ resultado }) => resultado !== 'bien').map(({ que }) => que)).toEqual([
      expect.stringContaining('simulador'),
      'ningún worker está en marcha',
      expect.stringContaining('no se envía correo'),
    ]);
    expect([wrong, code]).toEqual([[], 0]);
    const other = its.env['SAT_BASE_URL']?.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    expect((await revisar({ SAT_BASE_URL: other })).wrong).toContain('ajustes: aviso');
    const checks = [...new Set(found.map(({ revision }) => revision))];
    const hosts = checks.filter((check) => check.startsWith('SAT '));
    expect(hosts.length).toBeGreaterThan(20);
    expect(checks.filter((check) => !check.startsWith('SAT '))).toEqual([
      'ajustes',
      'secretos',
      'base de datos',
      'usuarios',
      'migraciones',
      'cola',
      'coordinador',
      'almacén',
      'autoridades',
      'correo',
      'captchas',
      'reloj',
    ]);
    for (const host of hosts) expect(found.find(({ revision }) => revision === host)?.que).toMatch(/^http, \d+ ms$/);
  });

  it('leaves nothing of its own in the bucket, and prints lines for people as well', async () => {
    const lines: string[] = [];
    const { createProgram } = await import('@acuse/cli');
    const program = createProgram(
      () => {
        throw new Error('it opens its own connections');
      },
      (line) => lines.push(line),
      { env: its.env, now: Date.now, exitWith: () => {} },
    );
    await program.parseAsync(['revisar', '--proceso', 'api'], { from: 'user' });
    expect(lines[0]).toBe('✓ ajustes: api: ajustes completos.');
    expect(lines.at(-1)).toMatch(/^\d+ bien, 0 con aviso, 0 con falla\.$/);
    expect(lines.find((line) => line.startsWith('– ajustes'))).toContain('quite SAT_BASE_URL');
    printed += lines.join('\n');
  });

  it('reviews the processes of the settings, and named ones', async () => {
    const seen = async (changed: Readonly<Record<string, string | undefined>>, args: readonly string[] = []) =>
      (await revisar(changed, { args })).of('ajustes').map(({ que }) => que.split(':')[0]);
    const unset = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
    expect(await seen(unset('PANEL_SECRETS', 'MANIFEST_PUBLIC_KEYS', 'KEYRING'))).toContain('worker');
    expect(await seen(unset('WORKER_KEYS', 'WORKER_PSKS', 'MANIFEST_KEYS', 'MANIFEST_PUBLIC_KEYS'))).toContain('panel');
    expect(await seen({ KEYRING: undefined }, ['--proceso', 'worker'])).toContain('worker');
  });

  it('names every setting that a process would refuse to start for', async () => {
    const { code, found } = await revisar(
      { KEYRING: undefined, LEASE_SECONDS: '0', WORKER_KEYS: '', WORKER_PSKS_FILE: '/none' },
      { args: ['--proceso', 'api', 'worker'] },
    );
    const said = found
      .filter(({ revision, resultado }) => revision === 'ajustes' && resultado === 'falla')
      .map(({ que }) => que);
    expect(said).toEqual([
      expect.stringContaining('KEYRING: falta'),
      expect.stringContaining('WORKER_PSKS: está puesta dos veces'),
      expect.stringContaining('LEASE_SECONDS: debe ser un número entero desde 3'),
    ]);
    expect(code).toBe(2);
  });

  it('sees secrets that are no keys, are not random, are used twice, or do not fit their other half', async () => {
    const same = Buffer.alloc(32, 7).toString('base64');
    const other = newSecretos();
    const { wrong, of } = await revisar({
      KEYRING: `k1:${same}`,
      SESSION_KEYS: 's1:zzqqzz',
      WEBHOOK_KEYS: its.env['PANEL_SECRETS']?.replace('p1', 'h1'),
      WORKER_PUBLIC_KEY: other['WORKER_PUBLIC_KEY'],
      MANIFEST_PUBLIC_KEYS: other['MANIFEST_PUBLIC_KEYS'],
      S3_SECRET_ACCESS_KEY: its.env['S3_SECRET_ACCESS_KEY'],
    });
    expect(of('secretos').map(({ que }) => que)).toEqual([
      expect.stringContaining('SESSION_KEYS: no es una lista'),
      expect.stringContaining('KEYRING: la clave k1 no está hecha al azar'),
      expect.stringMatching(/WEBHOOK_KEYS tiene la misma clave que PANEL_SECRETS|PANEL_SECRETS tiene la misma clave/),
      expect.stringContaining('WORKER_PUBLIC_KEY no es pareja de WORKER_KEYS'),
      expect.stringContaining('MANIFEST_PUBLIC_KEYS no tiene la llave pública del id m1'),
    ]);
    expect(wrong).toEqual(Array.from({ length: 5 }, () => 'secretos: falla'));
  });

  it('sees an id that rows hang on and the settings no longer have', async () => {
    await its.sql`INSERT INTO cuenta (id, nombre, email) VALUES (gen_random_uuid(), 'Prueba', 'revisar@example.com')`;
    await its.sql`INSERT INTO usuario (id, cuenta_id, nombre, email, rol, password_hash, password_kid)
      SELECT gen_random_uuid(), id, 'Ana', 'ana@example.com', 'CLIENTE', 'x', 'p0' FROM cuenta WHERE email = 'revisar@example.com'`;
    expect((await revisar()).only('secretos')).toMatchObject({
      resultado: 'falla',
      que: 'PANEL_SECRETS: falta el id p0, del que cuelgan 1 contraseñas del panel',
    });
    await its.sql`DELETE FROM usuario WHERE email = 'ana@example.com'`;
  });

  it('sees a migration that is pending, and one of a later version', async () => {
    const [last] = await its.sql<{ migration_name: string }>`DELETE FROM _prisma_migrations
      WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING *`;
    const name = String(last?.migration_name);
    const pending = await revisar();
    expect(pending.only('migraciones')).toMatchObject({
      resultado: 'falla',
      que: `falta 1 migración, desde ${name}`,
      remedio: 'Aplíquelas con: acuse operador migrar',
    });
    expect(pending.code).toBe(2);
    await its.sql`INSERT INTO _prisma_migrations SELECT (jsonb_populate_record(r, ${JSON.stringify(last)}::jsonb)).*
      FROM (SELECT NULL::_prisma_migrations AS r) AS empty`;
    expect((await revisar()).only('migraciones').resultado).toBe('bien');
    await its.sql`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('later', 'x', '99990101000000_later', now())`;
    expect((await revisar()).only('migraciones')).toMatchObject({
      resultado: 'aviso',
      que: expect.stringContaining('99990101000000_later'),
    });
    await its.sql`DELETE FROM _prisma_migrations WHERE id = 'later'`;
    await its.sql`UPDATE _prisma_migrations SET checksum = reverse(checksum) WHERE migration_name = ${name}`;
    expect((await revisar()).only('migraciones')).toMatchObject({
      resultado: 'falla',
      que: expect.stringContaining(name),
    });
    await its.sql`UPDATE _prisma_migrations SET checksum = reverse(checksum) WHERE migration_name = ${name}`;
  });

  it('sees a clock that runs ahead of all others, by how much, and that it is this one', async () => {
    const { only, code } = await revisar({}, { now: () => Date.now() + 90_000 });
    expect(only('reloj')).toMatchObject({
      resultado: 'falla',
      que: expect.stringMatching(/PostgreSQL \+\d+\.\d s, el almacén \+\d+\.\d s, el SAT \+\d+\.\d s/),
      remedio: expect.stringContaining('el reloj de esta máquina'),
    });
    expect(code).toBe(2);
    expect((await revisar({}, { now: () => Date.now() - 20_000 })).only('reloj').resultado).toBe('aviso');
  });

  it('sees authorities that have expired, files that are none, and a file that is not there', async () => {
    const ca = String(its.env['EFIRMA_AUTORIDADES']);
    const late = await revisar({}, { now: () => Date.now() + 60 * 365 * DAY_MS });
    expect(late.of('autoridades').map(({ que }) => que)).toEqual([
      expect.stringContaining('todas las autoridades vencieron'),
      expect.stringMatching(/^AC RAIZ SIMULADOR venció el .* ninguna e\.firma suya sigue vigente$/),
      expect.stringMatching(/^AC SIMULADOR venció el .* ninguna e\.firma suya sigue vigente$/),
    ]);
    const [der, garbage] = [join(its.dir, 'ca.der'), join(its.dir, 'garbage.pem')];
    await writeFile(der, randomBytes(900));
    await writeFile(garbage, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const mixed = await revisar({ EFIRMA_AUTORIDADES: [ca, der, garbage, '/none.pem'].join(',') });
    expect(mixed.of('autoridades').map(({ que, remedio }) => [que.split('/').at(-1), remedio])).toEqual([
      ['ca.der: no tiene ningún certificado en PEM', expect.stringContaining('openssl x509 -inform DER')],
      ['garbage.pem: no se pudo leer', expect.stringContaining('dañado')],
      ['none.pem: no se pudo leer', expect.stringContaining('No existe «/none.pem»')],
    ]);
    const none = await revisar({ EFIRMA_AUTORIDADES: der });
    expect(none.of('autoridades').at(-1)?.que).toContain('no se aceptaría ninguna e.firma');
  });

  it('reports hosts of the SAT that refuse, an absent resolver, and an absent database', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const { found, of } = await revisar({
      SAT_BASE_URL: away,
      CAPTCHA_URL: `${away}/captcha`,
      DATABASE_URL: 'postgres://acuse:una-contrasena-larga-9482@127.0.0.1:9/acuse',
      QUEUE_URL: undefined,
    });
    const hosts = found.filter(({ revision }) => revision.startsWith('SAT '));
    expect(hosts.length).toBeGreaterThan(20);
    for (const host of hosts) expect([host.resultado, host.que]).toEqual(['falla', 'no se alcanza (ECONNREFUSED)']);
    expect(of('captchas')[0]).toMatchObject({ resultado: 'falla', que: expect.stringContaining('ECONNREFUSED') });
    expect(of('base de datos')[0]?.remedio).toContain('Nadie contesta en la dirección de DATABASE_URL');
    expect(of('cola')[0]?.resultado).toBe('falla');
    expect(of('migraciones')[0]?.resultado).toBe('omitida');
    secrets.add('una-contrasena-larga-9482');
  });

  it('asks only the hosts of channels that are on', async () => {
    const { found } = await revisar({ SAT_CANALES_DESACTIVADOS: 'portal,publico' });
    const hosts = found.filter(({ revision }) => revision.startsWith('SAT ')).map(({ revision }) => revision.slice(4));
    expect(hosts).toContain('cfdidescargamasiva.clouda.sat.gob.mx');
    expect(hosts).not.toContain('cfdiau.sat.gob.mx');
  });

  describe('the bucket', () => {
    it('is missed where it is not, unless it will be made', async () => {
      expect((await revisar({ S3_BUCKET: 'not-here' })).only('almacén')).toMatchObject({
        resultado: 'falla',
        que: 'no se encontró el bucket (HTTP 404)',
        remedio: expect.stringContaining('S3_CREATE_BUCKET'),
      });
      const later = await revisar({ S3_BUCKET: 'not-here', S3_CREATE_BUCKET: 'true' });
      expect(later.only('almacén').resultado).toBe('aviso');
    });

    it('is away, or refuses the credential', async () => {
      const away = await revisar({ S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
      expect(away.only('almacén')).toMatchObject({
        resultado: 'falla',
        remedio: expect.stringContaining('Nadie contesta en la dirección de S3_ENDPOINT'),
      });
      const refused = await revisar({ S3_SECRET_ACCESS_KEY: randomBytes(24).toString('hex') });
      expect(refused.only('almacén')).toMatchObject({ resultado: 'falla', que: expect.stringContaining('HTTP 403') });
    });

    it('reports an address for callers that does not answer', async () => {
      const { only } = await revisar({ S3_PUBLIC_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
      expect(only('almacén')).toMatchObject({ resultado: 'aviso', que: expect.stringContaining('no se alcanza') });
    });
  });

  describe('servers that take a connection and say nothing', () => {
    const sockets = new Set<Socket>();
    const silent = duringTests(async () => {
      const server = createServer((socket) => {
        sockets.add(socket);
        socket
          .resume()
          .on('error', () => {})
          .on('close', () => sockets.delete(socket));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: async () => server.close() };
    });

    it('are waited for as long as is said, all at once', async () => {
      const { found, wrong } = await revisar(
        {
          DATABASE_URL: `postgres://acuse:una-contrasena-larga-9482@${silent.address}/acuse`,
          QUEUE_URL: `redis://:una-contrasena-larga-9482@${silent.address}`,
          S3_ENDPOINT: `http://${silent.address}`,
          SAT_BASE_URL: `http://${silent.address}`,
          CAPTCHA_URL: `http://${silent.address}`,
        },
        { args: ['--segundos', '1'] },
      );
      expect(wrong.length).toBeGreaterThan(24);
      const asked = found.filter(({ revision }) => /^SAT|almacén|captchas/.test(revision));
      for (const each of asked) expect(each).toMatchObject({ resultado: 'falla', que: 'no contestó en 1 s' });
      expect(found.find(({ revision }) => revision === 'base de datos')?.resultado).toBe('falla');
      expect(found.find(({ revision }) => revision === 'cola')?.resultado).toBe('falla');
      // Nothing is left that would keep the program from ending.
      await expect.poll(() => sockets.size).toBe(0);
    });
  });

  describe('a server that is not durable', () => {
    const shared = useDatabase();

    it('is refused, with the settings that are off', async () => {
      const [{ fsync } = {}] = await shared.sql<{ fsync: string }>`SHOW fsync`;
      const { only } = await revisar({ DATABASE_URL: shared.url });
      expect(fsync).toBe('off');
      expect(only('base de datos')).toMatchObject({ resultado: 'falla', que: expect.stringContaining('fsync') });
    });
  });

  describe.skipIf(inject('redisUrl') === null)('Redis', () => {
    const redis = duringTests(ownRedis, (own) => own.start());

    it('is fine as it should be, and told what to change when it evicts or keeps nothing on disk', async () => {
      const at = { QUEUE_URL: redis.url };
      expect((await revisar(at)).only('cola')).toMatchObject({
        resultado: 'bien',
        que: expect.stringContaining('noeviction'),
      });
      const client = new Redis(redis.url);
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await client.config('SET', 'appendonly', 'no');
      await client.quit();
      const { of, code } = await revisar(at);
      expect(of('cola').map(({ resultado, que }) => [resultado, que.split(':')[0]])).toEqual([
        ['falla', 'maxmemory-policy es allkeys-lru'],
        ['aviso', 'appendonly está en no'],
      ]);
      expect(code).toBe(2);
    });

    it('is not entered with a wrong password, which is not repeated', async () => {
      const wrong = redis.url.replace(/:[^:@]+@/, ':otra-contrasena-larga-123@');
      secrets.add('otra-contrasena-larga-123');
      expect((await revisar({ QUEUE_URL: wrong })).only('cola')).toMatchObject({
        resultado: 'falla',
        que: 'Redis no acepta la contraseña de QUEUE_URL',
      });
    });
  });

  it('has printed no secret in any of this', () => {
    expect(secrets.size).toBeGreaterThan(9);
    expect([...secrets].filter((secret) => printed.includes(secret))).toEqual([]);
  });
});
