import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUsuariosBase, inspectLogin, migrate, openDatabase, scramVerifier } from '@acuse/db';
import { createDatabase, startPostgres } from '@acuse/embedded';
import { createQueue, inspectQueue } from '@acuse/queue';
import { silentLogger } from '@acuse/runtime';
import { newSecretos, newServidores, writeInstalacion } from '@acuse/vault';
import pg from 'pg';
import { describe, expect, it, test } from 'vitest';
import { acuse } from '../fixtures/cli.ts';
import { duringTests } from '../fixtures/during-tests.ts';

const CLAVES = ['una-clave-de-prueba', 'otra-clave-de-prueba'] as const;

/** A server without a migrated database, with an owner who may create no roles. */
const server = duringTests(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuse-roles-'));
  const postgres = await startPostgres({ dataDir, log: silentLogger, durable: false });
  const url = await createDatabase(postgres.url, 'una');
  const db = openDatabase({ url, poolSize: 2, timeoutMs: 10_000, applicationName: 'acuse-test' });
  await db.pool.query(`CREATE ROLE dueno LOGIN PASSWORD '${CLAVES[0]}'`);
  await db.pool.query('ALTER DATABASE una OWNER TO dueno');
  return {
    url,
    dataDir,
    admin: postgres.url,
    db,
    async close() {
      await db.close();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});

const asUser = (user: string, password: string) => {
  const address = new URL(server.url);
  address.username = user;
  address.password = password;
  return address.href;
};

/** Logs in and runs one statement. */
async function ask(user: string, password: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: asUser(user, password) });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('users of the database', { shuffle: false }, () => {
  test('an owner without the right to create roles migrates, and names missing roles until they exist', async () => {
    const url = asUser('dueno', CLAVES[0]);
    const { aplicadas, faltanRoles } = await migrate(url);
    expect(aplicadas.length).toBeGreaterThan(1);
    expect(faltanRoles).toEqual(['acuse_api', 'acuse_panel', 'acuse_worker']);
    // Several databases of one server at the same moment make the roles of all of it.
    const others = await Promise.all(['dos', 'tres', 'cuatro'].map((name) => createDatabase(server.admin, name)));
    for (const each of await Promise.all(others.map((other) => migrate(other)))) expect(each.faltanRoles).toEqual([]);
    expect(await migrate(url)).toEqual({ aplicadas: [], faltanRoles: [], anteriores: false });
    const { rows } = await server.db.pool.query(
      `SELECT has_column_privilege('acuse_api', 'credencial_sellada', 'tipo', 'SELECT') AS may,
       has_column_privilege('acuse_api', 'credencial_sellada', 'sobre', 'SELECT') AS "mayNot"`,
    );
    expect(rows).toEqual([{ may: true, mayNot: false }]);
  });

  test('a user of a process is made, given another password, and removed with its connections', async () => {
    const usuarios = createUsuariosBase(server.db);
    expect(await usuarios.set({ nombre: 'acuse_api_1', rol: 'api', password: CLAVES[0] })).toBe(true);
    expect(await ask('acuse_api_1', CLAVES[0], 'SELECT saldo FROM cuenta')).toEqual([]);
    expect(await usuarios.set({ nombre: 'acuse_api_1', rol: 'api', password: CLAVES[1] })).toBe(true);
    await expect(ask('acuse_api_1', CLAVES[0], 'SELECT')).rejects.toMatchObject({ code: '28P01' });
    expect(await usuarios.list()).toEqual([{ nombre: 'acuse_api_1', rol: 'api' }]);

    const client = new pg.Client({ connectionString: asUser('acuse_api_1', CLAVES[1]) });
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    expect(await usuarios.remove('acuse_api_1')).toBe(true);
    expect(await ended).toBeInstanceOf(Error);
    await expect(ask('acuse_api_1', CLAVES[1], 'SELECT')).rejects.toMatchObject({ code: '28P01' });
    expect(await usuarios.remove('acuse_api_1')).toBe(false);
  });

  test('other users are not made users of a process, nor removed', async () => {
    const usuarios = createUsuariosBase(server.db);
    await usuarios.set({ nombre: 'acuse_panel_1', rol: 'panel', password: CLAVES[0] });
    expect(await usuarios.set({ nombre: 'acuse_panel_1', rol: 'worker', password: CLAVES[1] })).toBe(false);
    expect(await usuarios.set({ nombre: 'dueno', rol: 'api', password: CLAVES[1] })).toBe(false);
    expect(await usuarios.set({ nombre: 'acuse_api', rol: 'api', password: CLAVES[1] })).toBe(false);
    for (const nombre of ['dueno', 'acuse_api', 'nadie']) expect(await usuarios.remove(nombre)).toBe(false);
    expect(await ask('dueno', CLAVES[0], 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('sends no password to the server, and makes what it keeps as the server does', async () => {
    const { rows } = await server.db.pool.query<{ kept: string }>(
      `SELECT rolpassword AS kept FROM pg_authid WHERE rolname = 'dueno'`,
    );
    const kept = rows[0]?.kept ?? '';
    const salt = Buffer.from(/:([^$]+)\$/.exec(kept)?.[1] ?? '', 'base64');
    expect(scramVerifier(CLAVES[0], salt)).toBe(kept);
    for (const short of ['', 'corta', 'ñ'.repeat(20), 'con espacios en medio', 'x'.repeat(201)])
      expect(() => scramVerifier(short)).toThrow('printable');
  });

  test('the operator makes users of processes, each with an address for DATABASE_URL_FILE, lists them and takes them away', async () => {
    const order = (...args: string[]) => acuse({ DATABASE_URL: server.url }, ...args);
    const archivo = join(server.dataDir, 'DATABASE_URL');
    const made = ['base', 'usuario', 'worker', '--nombre', 'acuse_worker_1'];
    expect(await order(...made, '--archivo', archivo)).toEqual([
      { usuario: 'acuse_worker_1', proceso: 'worker', DATABASE_URL_FILE: archivo },
    ]);
    expect((await stat(archivo)).mode & 0o777).toBe(0o600);
    const address = new URL(await readFile(archivo, 'utf8'));
    expect(await ask(address.username, address.password, 'SELECT id FROM credencial')).toEqual([]);
    const [shown] = await order('base', 'usuario', 'api', '--nombre', 'acuse_api_2');
    const { username, password, pathname } = new URL(String(shown?.['DATABASE_URL']));
    expect([username, pathname]).toEqual(['acuse_api_2', '/una']);
    expect(await ask(username, password, 'SELECT saldo FROM cuenta')).toEqual([]);
    expect(await order('base', 'listar')).toEqual(
      expect.arrayContaining([
        { usuario: 'acuse_api_2', proceso: 'api' },
        { usuario: 'acuse_worker_1', proceso: 'worker' },
      ]),
    );
    expect(await order('base', 'quitar', '--nombre', 'acuse_api_2')).toEqual([
      { usuario: 'acuse_api_2', quitado: true },
    ]);
    await expect(order('base', 'quitar', '--nombre', 'acuse_api_2')).rejects.toThrow('No hay un usuario «acuse_api_2»');
    await expect(order('base', 'usuario', 'api', '--nombre', 'dueno')).rejects.toThrow('ya tiene un usuario «dueno»');
    await expect(order('base', 'usuario', 'api', '--nombre', 'Con-Guion')).rejects.toThrow('debe tener minúsculas');
  });

  test('an address with a new password goes to every process that logs in by it, and to the operator', async () => {
    const carpeta = join(server.dataDir, 'secretos');
    await writeInstalacion(carpeta, { ...newSecretos(), ...newServidores() });
    const made = await acuse(
      { DATABASE_URL: server.url },
      'base',
      'usuario',
      'worker',
      '--nombre',
      'acuse_worker_4',
      ...['--carpeta', carpeta],
    );
    expect(made).toEqual([{ usuario: 'acuse_worker_4', proceso: 'worker', carpeta }]);
    const read = (...path: string[]) => readFile(join(carpeta, ...path), 'utf8');
    const address = await read('operador', 'DATABASE_URL_WORKER');
    const { username, password } = new URL(address);
    expect(await ask(username, password, 'SELECT id FROM credencial')).toEqual([]);
    for (const proceso of ['descargas', 'ensambles', 'webhooks'])
      expect(await read(proceso, 'DATABASE_URL')).toBe(address);
    expect(await read('migrar', 'DATABASE_URL_WORKER')).toBe(address);
    expect(await read('api', 'DATABASE_URL')).toContain('//acuse_entra_api:');
  });

  test('a queue gets a database of its own, whose user may make its tables there and nothing elsewhere', async () => {
    const cola = (password: string, nombre = 'acuse_cola', base = 'acuse_cola') => {
      const address = new URL(asUser(nombre, password));
      address.pathname = `/${base}`;
      return address.href;
    };
    const migrar = (DATABASE_URL_COLA: string) => acuse({ DATABASE_URL: server.url, DATABASE_URL_COLA }, 'migrar');
    for (const password of CLAVES)
      expect(await migrar(cola(password))).toEqual([{ aplicadas: [] }, { usuario: 'acuse_cola', cola: 'acuse_cola' }]);
    const queue = { url: cola(CLAVES[1]), namespace: 'prueba' };
    expect(await inspectQueue(queue.url, 10_000)).toMatchObject({ hasSchema: false, mayCreate: true });
    const opened = createQueue(queue);
    await opened.wake([{ queue: 'descargas', solicitudId: randomUUID(), gen: 1 }], AbortSignal.timeout(30_000));
    await opened.close();
    expect(await inspectQueue(queue.url, 10_000)).toMatchObject({ hasSchema: true, mayUse: true });
    await expect(ask('acuse_cola', CLAVES[1], 'SELECT FROM cuenta')).rejects.toMatchObject({ code: '42501' });
    await expect(ask('acuse_cola', CLAVES[1], 'CREATE TABLE x ()')).rejects.toMatchObject({ code: '42501' });
    // No other login may connect to it.
    const worker = createUsuariosBase(server.db);
    await worker.set({ nombre: 'acuse_worker_5', rol: 'worker', password: CLAVES[0] });
    await expect(inspectQueue(cola(CLAVES[0], 'acuse_worker_5'), 10_000)).rejects.toMatchObject({ code: '42501' });
    // Databases and users of others stay.
    await expect(migrar(cola(CLAVES[0], 'dueno'))).rejects.toThrow('ya tiene un usuario «dueno»');
    await expect(migrar(cola(CLAVES[0], 'acuse_cola_2', 'dos'))).rejects.toThrow('no son de la cola');
    await expect(migrar(cola('corta'))).rejects.toThrow('DATABASE_URL_COLA: debe nombrar una base y un usuario');
  });

  test('an owner who is no superuser, but may make roles and databases, makes all of it', async () => {
    await server.db.pool.query(`CREATE ROLE administra LOGIN CREATEROLE CREATEDB PASSWORD '${CLAVES[0]}'`);
    await createDatabase(server.admin, 'cinco');
    await server.db.pool.query('ALTER DATABASE cinco OWNER TO administra');
    const at = (user: string, base: string) => {
      const address = new URL(asUser(user, CLAVES[0]));
      address.pathname = `/${base}`;
      return address.href;
    };
    const config = {
      DATABASE_URL: at('administra', 'cinco'),
      DATABASE_URL_API: at('api_cinco', 'cinco'),
      DATABASE_URL_COLA: at('cola_cinco', 'cola_cinco'),
    };
    // The roles are of the whole server: who did not make them is given the right to hand them out.
    await server.db.pool.query('GRANT acuse_api TO administra WITH ADMIN OPTION');
    const [{ aplicadas } = { aplicadas: [] }, ...made] = await acuse(config, 'migrar');
    expect([aplicadas, made]).toEqual([
      expect.arrayContaining([expect.any(String)]),
      [
        { usuario: 'api_cinco', proceso: 'api' },
        { usuario: 'cola_cinco', cola: 'cola_cinco' },
      ],
    ]);
    expect(await inspectQueue(config.DATABASE_URL_COLA, 10_000)).toMatchObject({ mayCreate: true });
    expect(await inspectLogin(config.DATABASE_URL_API, 10_000)).toEqual({
      user: 'api_cinco',
      roles: ['api'],
      isSuperuser: false,
      isOwner: false,
    });
  });

  test('the migration makes the configured users of processes, and refuses an invalid password', async () => {
    const addressOf = (name: string, password = CLAVES[0] as string) => asUser(name, password);
    const config = {
      DATABASE_URL: server.url,
      DATABASE_URL_API: addressOf('acuse_api_3'),
      DATABASE_URL_WORKER: addressOf('acuse_worker_3'),
    };
    const twice = [
      { aplicadas: [] },
      { usuario: 'acuse_api_3', proceso: 'api' },
      { usuario: 'acuse_worker_3', proceso: 'worker' },
    ];
    for (const _ of [1, 2]) expect(await acuse(config, 'migrar')).toEqual(twice);
    expect(await ask('acuse_worker_3', CLAVES[0], 'SELECT id FROM credencial')).toEqual([]);
    const short = { ...config, DATABASE_URL_PANEL: addressOf('acuse_panel_3', 'corta') };
    await expect(acuse(short, 'migrar')).rejects.toThrow(
      'DATABASE_URL_PANEL: debe nombrar una base y un usuario con una contraseña',
    );
    // An installation from before there were users goes on as the owner.
    expect(await acuse({ DATABASE_URL: server.url, DATABASE_URL_API: server.url }, 'migrar')).toEqual([
      { aplicadas: [] },
    ]);
  });
});
