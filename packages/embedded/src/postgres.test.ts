import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, silentLogger } from '@acuse/runtime';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { waitGone } from './children.ts';
import { findSystemPostgres, linkLibraries } from './postgres/binaries.ts';
import { createDatabase, databaseUrl, dropDatabase, ensureDatabase } from './postgres/databases.ts';
import { type RunningPostgres, startPostgres } from './postgres.ts';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function withPassword(url: string, password: string): string {
  const address = new URL(url);
  address.password = password;
  return address.href;
}

// Most of them make a cluster of their own.
describe('the embedded PostgreSQL', { timeout: 120_000 }, () => {
  let home = '';
  let server: RunningPostgres;
  const started: RunningPostgres[] = [];
  const start = async (dataDir: string, durable = false) => {
    const postgres = await startPostgres({ dataDir, log: silentLogger, durable });
    started.push(postgres);
    return postgres;
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'acuse-postgres-'));
    server = await start(join(home, 'main'), true);
  });
  afterAll(async () => {
    await Promise.all(started.map((postgres) => postgres.stop()));
    await rm(home, { recursive: true, force: true });
  });

  test('is a durable UTF-8 server that knows capitals beyond ASCII', async () => {
    const [row] = await query(
      server.url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
              current_setting('TimeZone') AS zone, upper('ñandú') AS upper`,
    );
    expect(row).toEqual({ encoding: 'UTF8', fsync: 'on', zone: 'UTC', upper: 'ÑANDÚ' });
  });

  test('asks for the password, which is random and for our eyes only', async () => {
    await expect(query(withPassword(server.url, 'acuse'), 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const [row] = await query(
      server.url,
      `SELECT left(rolpassword, 13) AS kind FROM pg_authid WHERE rolname = 'acuse'`,
    );
    expect(row).toEqual({ kind: 'SCRAM-SHA-256' });
    expect((await stat(join(home, 'main', 'password'))).mode & 0o777).toBe(0o600);
    expect(new URL(server.url).password).toHaveLength(32);
  });

  test('listens on loopback only', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    const [row] = await query(server.url, `SELECT current_setting('listen_addresses') AS addresses`);
    expect(row).toEqual({ addresses: '127.0.0.1' });
    if (outside === undefined) return;
    const address = new URL(server.url);
    address.hostname = outside;
    await expect(query(address.href, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('creates, copies and drops databases, also under hostile names and in use', async () => {
    const name = 'Plantilla "ñ" -- x';
    const template = await createDatabase(server.url, name);
    await query(template, `CREATE TABLE t AS SELECT 7 AS n`);
    const copies = await Promise.all(
      ['c1', 'c2', 'c3'].map((copy) => createDatabase(server.url, copy, { template: name })),
    );
    for (const copy of copies) expect(await query(copy, 'SELECT n FROM t')).toEqual([{ n: 7 }]);

    const busy = new pg.Client({ connectionString: copies[0] });
    busy.on('error', () => {});
    await busy.connect();
    await Promise.all(['c1', 'c2', 'c3', name, 'never-there'].map((each) => dropDatabase(server.url, each)));
    await expect(query(databaseUrl(server.url, 'c1'), 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
    await busy.end().catch(() => {});
  });

  test('ensureDatabase creates once, also when asked many times at once', async () => {
    const urls = await Promise.all(Array.from({ length: 4 }, () => ensureDatabase(server.url, 'acuse')));
    expect(new Set(urls).size).toBe(1);
    expect(await query(urls[0] ?? '', 'SELECT current_database() AS name')).toEqual([{ name: 'acuse' }]);
  });

  test('keeps its data and its password over a stop and a start, whatever the stale pid file says', async () => {
    const dataDir = join(home, 'again');
    const first = await start(dataDir);
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n');
    await Promise.all([first.stop(), first.stop()]);
    expect(isRunning(first.pid)).toBe(false);

    // The pid of a living process that is not PostgreSQL, as after a reboot or in a new container.
    await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${process.ppid}\n${dataDir}/cluster\n0\n5432\n`);
    const second = await start(dataDir);
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    await expect(start(dataDir)).rejects.toThrow(`ya está en uso por el proceso ${process.pid}`);
    await second.stop();
  });

  test('takes over from a server whose owner is gone', async () => {
    const dataDir = join(home, 'orphan');
    const first = await start(dataDir);
    await writeFile(join(dataDir, 'owner'), '999999999\n');
    const second = await start(dataDir);
    expect(isRunning(first.pid)).toBe(false);
    expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  test('starts below a private folder', async () => {
    const locked = join(home, 'locked');
    await mkdir(locked, { mode: 0o700 });
    const postgres = await start(join(locked, 'data'));
    expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await postgres.stop();
    expect((await stat(locked)).mode & 0o777).toBe(0o700);
  });

  test('says why it does not start', async () => {
    const taken = { dataDir: join(home, 'taken'), port: server.port, log: silentLogger };
    await expect(startPostgres(taken)).rejects.toThrow(/PostgreSQL no inició:[\s\S]*could not bind/);
  });

  describe('in another process', () => {
    const children: ReturnType<typeof spawn>[] = [];
    afterEach(() => children.forEach((child) => void child.kill('SIGKILL')));

    test('ends with that process, even when it is killed', async () => {
      const source = `
        import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)};
        import { isRunning, silentLogger } from '@acuse/runtime';
        const dataDir = ${JSON.stringify(join(home, 'child'))};
        console.log((await startPostgres({ dataDir, log: silentLogger, durable: false })).pid);
        setInterval(() => {}, 1000);`;
      const flags = ['--conditions=acuse-source', '--import', 'tsx', '--input-type=module', '--eval', source];
      const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'], cwd: import.meta.dirname });
      children.push(child);
      const pid = Number(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)));
      expect(isRunning(pid)).toBe(true);
      child.kill('SIGKILL');
      expect(await waitGone(pid, 20_000)).toBe(true);
    });
  });
});

test('the links among the libraries are made once, by many at the same time, and again where one is missing', async () => {
  const home = await mkdtemp(join(tmpdir(), 'acuse-links-'));
  const lib = join(home, 'native', 'lib');
  await mkdir(lib, { recursive: true });
  await writeFile(join(lib, 'liba.so.1.2'), 'library');
  await symlink('liba.so.1.2', join(lib, 'liba.so'));
  const links = ['liba.so', 'liba.so.1'].map((name) => ({
    source: 'native/lib/liba.so.1.2',
    target: `native/lib/${name}`,
  }));
  await writeFile(join(home, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  await Promise.all(Array.from({ length: 8 }, () => linkLibraries(home)));
  expect((await readdir(lib)).sort()).toEqual(['liba.so', 'liba.so.1', 'liba.so.1.2']);
  expect(await readlink(join(lib, 'liba.so.1'))).toBe('liba.so.1.2');
  await cp(join(lib, 'liba.so.1'), join(home, 'copy'));
  await rm(home, { recursive: true });
});

test('the newest PostgreSQL of the machine is found, from version 15 on, where its programs can run', async () => {
  const home = await mkdtemp(join(tmpdir(), 'acuse-system-'));
  const install = async (version: string, mode: number) => {
    await mkdir(join(home, version, 'bin'), { recursive: true });
    for (const name of ['postgres', 'initdb']) await writeFile(join(home, version, 'bin', name), '', { mode });
  };
  expect(await findSystemPostgres(join(home, 'nowhere'))).toBeNull();
  await install('9.6', 0o755);
  await install('14', 0o755);
  expect(await findSystemPostgres(home)).toBeNull();
  await install('15', 0o755);
  await install('17', 0o755);
  await install('18', 0o644);
  expect(await findSystemPostgres(home)).toEqual({
    major: 17,
    postgres: join(home, '17', 'bin', 'postgres'),
    initdb: join(home, '17', 'bin', 'initdb'),
  });
  await rm(home, { recursive: true });
});
