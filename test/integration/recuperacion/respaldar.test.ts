import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createBacklog, openDatabase } from '@acuse/db';
import { createDatabase, startPostgres } from '@acuse/embedded';
import { explain, silentLogger as log } from '@acuse/runtime';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { blocksOf, documents } from '../documentos/ordenes.ts';
import { acuse } from '../fixtures/cli.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { backUp, restore, tools } from '../fixtures/respaldo.ts';
import { accesosTo } from '../fixtures/roles.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

const ACUSE = fileURLToPath(new URL('../../../apps/cli/bin/acuse.mjs', import.meta.url));

async function emptyCluster() {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuse-vacio-'));
  const server = await startPostgres({ dataDir, log, durable: false });
  return {
    url: server.url,
    async close() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function rowsOn(url: string, text: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** What a request by e.firma leaves in the database. */
const RECORD = [
  'cuenta',
  'contribuyente',
  'api_key',
  'credencial',
  'credencial_sellada',
  'solicitud',
  'movimiento',
  'outbox',
];
const TABLES = `SELECT relname AS tabla FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`;

it('is the only command for a backup that the documents show', () => {
  const shown = documents().flatMap((document) => blocksOf(document).map(({ text }) => ({ document, text })));
  expect(shown.filter(({ text }) => text.includes('pg_dump'))).toEqual([]);
  expect(new Set(shown.filter(({ text }) => text.includes(' respaldar ')).map(({ document }) => document))).toEqual(
    new Set(['docs/operators/kubernetes.md', 'docs/operators/operate.md', 'docs/operators/recovery.md']),
  );
});

describe.skipIf(tools === null)('the backup of the documented command', { timeout: 600_000 }, () => {
  const servicio = useServicio();
  const cluster = duringTests(emptyCluster);

  it('holds no half key of an e.firma, and restores on an empty cluster', async () => {
    const caller = await newEfirmaCaller(servicio);
    const id = await askFor(caller);
    const [shred] = await servicio.sql<{ llave: Buffer }>`SELECT llave FROM efirma_shred`;
    expect(shred?.llave.length).toBe(32);
    const dump = join(servicio.dir, 'acuse.dump');
    expect(await backUp(servicio.databaseUrl, dump)).toEqual([
      { archivo: dump, bytes: (await stat(dump)).size, desde: expect.any(String) },
    ]);
    expect((await stat(dump)).mode & 0o777).toBe(0o600);

    const list = await restore('--list', dump);
    expect(list).not.toContain('TABLE DATA public efirma_shred');
    const data = await restore('--data-only', '--file=-', dump);
    expect(data).toContain(id);
    expect(data).not.toContain(shred?.llave.toString('hex'));

    expect(await rowsOn(cluster.url, `SELECT FROM pg_roles WHERE rolname ~ '^acuse_'`)).toEqual([]);
    const url = await createDatabase(cluster.url, 'acuse');
    await restore('--no-owner', '--exit-on-error', '--single-transaction', `--dbname=${url}`, dump);
    const [live, restored] = [servicio.databaseUrl, url];
    const tables = (await rowsOn(restored, TABLES)).map(({ tabla }) => String(tabla));
    expect(tables).toEqual((await rowsOn(live, TABLES)).map(({ tabla }) => tabla));
    const counts = RECORD.map((table) => `SELECT '${table}' AS tabla, count(*)::int FROM ${table}`).join(' UNION ALL ');
    const [were, are] = [await rowsOn(live, counts), await rowsOn(restored, counts)];
    expect(are).toEqual(were);
    expect(were.filter(({ count }) => count === 0)).toEqual([]);

    // Migrating makes the roles and their rights again.
    const users = accesosTo(restored);
    expect((await acuse({ DATABASE_URL: restored, ...users }, 'migrar'))[0]).toEqual({ aplicadas: [] });
    const [, reglas] = await acuse({ DATABASE_URL: restored }, 'recuperar');
    expect(reglas).toEqual({ reglas: 'cumplidas' });
    const asApi = await rowsOn(users.DATABASE_URL_API, `SELECT saldo::int FROM cuenta WHERE id = '${caller.cuentaId}'`);
    expect(asApi).toEqual([{ saldo: 9 }]);
  });

  it('is younger than the backup before, by the metric of its age', async () => {
    const { read } = createBacklog(servicio.db);
    const age = async () => (await read({ timeoutMs: 10_000 })).backupAgeSeconds;
    await servicio.sql`DELETE FROM auditoria WHERE accion = 'respaldar-base'`;
    expect(await age()).toBeNull();
    await servicio.sql`INSERT INTO auditoria (actor, accion, en) VALUES ('operador:cli', 'respaldar-base', now() - interval '2 days')`;
    expect(await age()).toBeGreaterThan(172_799);
    const [hecho] = await backUp(servicio.databaseUrl, join(servicio.dir, 'otro.dump'));
    const [row] = await servicio.sql`SELECT max(en) AS en FROM auditoria WHERE accion = 'respaldar-base'`;
    expect(row?.['en'].toISOString()).toBe(hecho?.['desde']);
    expect(await age()).toBeLessThan(172_800);
    const worker = openDatabase({ ...servicio.db.settings, url: accesosTo(servicio.databaseUrl).DATABASE_URL_WORKER });
    onTestFinished(() => worker.close());
    expect((await createBacklog(worker).read({ timeoutMs: 10_000 })).backupAgeSeconds).toBeGreaterThanOrEqual(0);
  });

  it('replaces no file', async () => {
    const archivo = join(servicio.dir, 'de-antes');
    await writeFile(archivo, 'de antes');
    await expect(backUp(servicio.databaseUrl, archivo)).rejects.toThrow(`Ya existe «${archivo}»`);
    expect(await readFile(archivo, 'utf8')).toBe('de antes');
  });

  describe('leaves no file, and says what to do', () => {
    let folder = '';
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'acuse-respaldo-'));
      return () => rm(folder, { recursive: true, force: true });
    });
    const failure = async (url: string, path?: string) => {
      const order = backUp(url, join(folder, 'acuse.dump'), path);
      const error = await order.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(await readdir(folder)).toEqual([]);
      return explain(error);
    };

    it('without pg_dump', async () => {
      expect(await failure(servicio.databaseUrl, folder)).toMatch(/^No se encuentra pg_dump\. Instale el cliente/);
    });

    it('for a server that is newer than pg_dump', async () => {
      const newer = await createDatabase(cluster.url, 'nueva');
      expect(await failure(newer)).toMatch(/^PostgreSQL es de la versión 18\.\S+ y pg_dump de la 1[5-7].* Instale/);
    });

    it('by a user that may not read every table', async () => {
      const { DATABASE_URL_PANEL } = accesosTo(servicio.databaseUrl);
      expect(await failure(DATABASE_URL_PANEL)).toMatch(/^El usuario de DATABASE_URL no puede leer toda la base\./);
    });

    it('where the database does not exist', async () => {
      const url = new URL(servicio.databaseUrl);
      url.pathname = '/no_existe';
      expect(await failure(url.href)).toMatch(/^La base de datos de DATABASE_URL no existe\./);
    });

    it('when it is stopped half way', async () => {
      const bin = join(folder, 'bin');
      const started = join(bin, 'started');
      await mkdir(bin);
      const script = `#!/bin/sh\necho half\necho > ${started}\nexec sleep 600\n`;
      await writeFile(join(bin, 'pg_dump'), script, { mode: 0o755 });
      const order = spawn(process.execPath, [ACUSE, 'operador', 'respaldar', join(folder, 'acuse.dump')], {
        env: { DATABASE_URL: servicio.databaseUrl, PATH: `${bin}:${process.env['PATH']}` },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [said, [code]] = await Promise.all([
        readText(order.stderr),
        once(order, 'close'),
        waitFor(() => stat(started).catch(() => null)).then(() => order.kill('SIGTERM')),
      ]);
      expect([code, said]).toEqual([1, expect.stringMatching(/^El respaldo se interrumpió/)]);
      expect(await readdir(folder)).toEqual(['bin']);
    });
  });

  it('tells pg_dump the password where no list of processes shows it, and no secret', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'acuse-respaldo-'));
    onTestFinished(() => rm(bin, { recursive: true, force: true }));
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${bin}/args\nenv > ${bin}/env\nexec ${tools}/pg_dump "$@"\n`;
    await writeFile(join(bin, 'pg_dump'), script, { mode: 0o755 });
    const url = new URL(servicio.databaseUrl);
    // One setting that both drivers know, and one that only ours does.
    url.search = '?application_name=una%20prueba&uselibpqcompat=true';
    await backUp(url.href, join(bin, 'acuse.dump'), `${bin}:/usr/bin:/bin`);
    const [args, env] = await Promise.all(['args', 'env'].map((name) => readFile(join(bin, name), 'utf8')));
    expect(args).not.toContain(url.password);
    expect(env).toContain(`PGPASSWORD=${url.password}`);
    expect(env).not.toContain('secreto');
  });
});
