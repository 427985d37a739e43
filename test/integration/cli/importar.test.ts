import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUsuarios } from '@acuse/db';
import { newSecretos, openHasher, parseApiKey } from '@acuse/vault';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSmtp } from '../../../packages/correo/testing/smtp-fixture.ts';
import { createEmisorCorreo } from '../correo/fixtures/emisor.ts';
import { runOrder, UNSEEN } from '../fixtures/cli.ts';
import { useDatabase } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startAcuse, startAtTerminal } from './acuse.ts';

const t = useDatabase();
const { API_KEY_PEPPERS = '', WORKER_PUBLIC_KEY = '', WORKER_PSK = '' } = newSecretos();
const config = () => ({ DATABASE_URL: t.url, API_KEY_PEPPERS });
const LINKS = { WORKER_PUBLIC_KEY, WORKER_PSK, API_PUBLIC_URL: 'https://api.acuse.example' };
const CORREO_DE = { nombre: 'Acuse', email: 'avisos@acuse.example' };

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-importar-'));
});
afterAll(() => rm(dir, { recursive: true }));
const newPath = () => join(dir, `${randomUUID()}.csv`);

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** RFCs that differ in their letters. */
const rfcAt = (n: number) =>
  `${[n, Math.floor(n / 26), Math.floor(n / 676)].map((each) => LETTERS[each % 26]).join('')}200101AA1`;

async function newCuenta() {
  const email = `${randomUUID()}@example.com`;
  const { rows } = await runOrder(config(), ['cuenta', 'crear', '--nombre', 'Contadores del Norte', '--email', email]);
  return { email, id: String(rows[0]?.['id']) };
}

async function importar(
  text: string,
  {
    cuenta,
    llaves = newPath(),
    with: more = {},
    args = [],
  }: {
    cuenta: { email: string };
    llaves?: string;
    with?: Partial<Parameters<typeof runOrder>[0]>;
    args?: readonly string[];
  },
) {
  const archivo = newPath();
  await writeFile(archivo, text);
  const codes: number[] = [];
  const around = { ...UNSEEN, exitWith: (code: number) => void codes.push(code) };
  const order = ['rfc', 'importar', archivo, '--cuenta', cuenta.email, '--llaves', llaves, ...args];
  const { rows, lines } = await runOrder({ ...config(), ...more }, order, around);
  return { rows, lines, codes, llaves, total: rows.at(-1) ?? {} };
}

const keysIn = async (path: string) =>
  parse(await readFile(path, 'utf8'), { columns: true }) as { rfc: string; api_key: string; enlace: string }[];

/** RFCs of an account, each with its keys. */
const rfcsOf = (cuentaId: string) =>
  t.sql<{ rfc: string; nombre: string | null; llaves: { id: string; hash: string; pepper: number; estado: string }[] }>`
    SELECT c.rfc, c.nombre, coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'hash', encode(k.hash, 'hex'), 'pepper', k.pepper_version, 'estado', k.estado))
      FILTER (WHERE k.id IS NOT NULL), '[]') AS llaves
    FROM contribuyente c LEFT JOIN api_key k ON k.contribuyente_id = c.id WHERE c.cuenta_id = ${cuentaId} GROUP BY c.id ORDER BY c.rfc`;

/** Every row of every table, as a digest by table. */
async function everything(): Promise<Record<string, string>> {
  const tables = await t.sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`;
  const rows: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows: found } = await t.db.pool.query<{ all: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(r::text, '|' ORDER BY r::text), '')) AS all FROM "${name}" r`,
    );
    rows[name] = found[0]?.all ?? '';
  }
  return rows;
}

const hasher = openHasher(API_KEY_PEPPERS);
/** Whether the active key of each RFC is the one of the file. */
async function expectKeysOf(cuentaId: string, files: readonly string[]) {
  const given = new Map((await Promise.all(files.map(keysIn))).flat().map(({ rfc, api_key }) => [rfc, api_key]));
  const rfcs = await rfcsOf(cuentaId);
  for (const { rfc, llaves } of rfcs) {
    const key = parseApiKey(given.get(rfc) ?? '');
    const [llave] = llaves;
    if (key === null || llave === undefined) throw new Error(`${rfc} has no key in the file`);
    const stored = { hash: Buffer.from(llave.hash, 'hex'), pepperVersion: llave.pepper };
    expect([rfc, llaves.length, llave.estado, hasher.verifyApiKey(key, stored)]).toEqual([rfc, 1, 'ACTIVA', true]);
  }
  return rfcs.length;
}

describe('1,000 RFCs with 30 faulty lines', () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => `${rfcAt(n)},Cliente ${n},`);
  for (let n = 0; n < 30; n += 1) {
    const at = 15 + n * 33;
    lines[at] =
      [`${rfcAt(at).slice(0, -1)},Corto,`, `${rfcAt(at - 1)},Repetido,`, `${rfcAt(at)},Correo,nadie@`][n % 3] ?? '';
  }
  const text = `rfc,nombre,correo\n${lines.join('\n')}\n`;

  it('are 970 with a key each and 30 named; the second time nothing changes', async () => {
    const cuenta = await newCuenta();
    const first = await importar(text, { cuenta });
    expect(first.total).toMatchObject({ agregados: 970, sin_cambio: 0, con_error: 30, llaves: first.llaves });
    expect(first.codes).toEqual([3]);
    const faulty = first.rows.filter((row) => 'error' in row);
    expect(faulty.map(({ linea }) => linea)).toEqual(Array.from({ length: 30 }, (_, n) => 17 + n * 33));
    expect(faulty.every(({ valor, error }) => String(valor) !== '' && String(error).length > 20)).toBe(true);

    expect((await stat(first.llaves)).mode & 0o777).toBe(0o600);
    expect(await keysIn(first.llaves)).toHaveLength(970);
    expect(await expectKeysOf(cuenta.id, [first.llaves])).toBe(970);
    expect((await rfcsOf(cuenta.id)).every(({ nombre }) => nombre?.startsWith('Cliente '))).toBe(true);
    expect(first.lines.join('\n')).not.toMatch(/acuse_(test|live)_/);

    const before = await everything();
    const second = await importar(text, { cuenta, args: ['--json'] });
    expect(second.total).toMatchObject({ agregados: 0, sin_cambio: 970, con_error: 30, llaves: null });
    expect(second.rows.filter(({ estado }) => estado === 'YA_ESTABA')).toHaveLength(970);
    await expect(stat(second.llaves)).rejects.toThrow('ENOENT');
    expect(await everything()).toEqual(before);
  }, 60_000);
});

const FEW = `rfc\n${Array.from({ length: 150 }, (_, n) => rfcAt(n)).join('\n')}\n`;

it('leaves no key active that a killed import did not hand over, and the next one goes on', async () => {
  const cuenta = await newCuenta();
  const [archivo, llaves] = [newPath(), newPath()];
  await writeFile(archivo, FEW);
  const lock = await t.db.pool.connect();
  try {
    // Nothing can be activated: the import waits after the first lot of keys is in the file.
    await lock.query('BEGIN; LOCK TABLE api_key IN EXCLUSIVE MODE');
    const env = { DATABASE_URL: t.url, API_KEY_PEPPERS, SAT_BASE_URL: 'http://127.0.0.1:9' };
    const order = ['operador', 'rfc', 'importar', archivo, '--cuenta', cuenta.email, '--llaves', llaves];
    const { child, ended } = startAcuse(order, { env });
    await waitFor(async () => ((await keysIn(llaves).catch(() => [])).length === 100 ? true : null));
    child.kill('SIGKILL');
    await ended;
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
  await waitFor(async () => {
    const busy =
      await t.sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'acuse-cli'`;
    return busy.length === 0 ? true : null;
  });
  expect(await rfcsOf(cuenta.id)).toEqual([]);
  const next = await importar(FEW, { cuenta });
  expect(next.total).toMatchObject({ agregados: 150, sin_cambio: 0 });
  expect(await expectKeysOf(cuenta.id, [llaves, next.llaves])).toBe(150);
});

it('goes on after the database went away in the middle, and says what to do with the keys', async () => {
  const cuenta = await newCuenta();
  const llaves = newPath();
  // The last RFC of the second lot cannot be added.
  await t.sql`CREATE FUNCTION falla() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'`;
  await t.db.pool.query(
    `CREATE TRIGGER falla BEFORE INSERT ON contribuyente FOR EACH ROW WHEN (NEW.rfc = '${rfcAt(149)}') EXECUTE FUNCTION falla()`,
  );
  try {
    await expect(importar(FEW, { cuenta, llaves })).rejects.toThrow(
      /quedaron 100 de 150.*repita la orden con otro --llaves/s,
    );
  } finally {
    await t.db.pool.query('DROP TRIGGER falla ON contribuyente; DROP FUNCTION falla()');
  }
  expect(await expectKeysOf(cuenta.id, [llaves])).toBe(100);
  const next = await importar(FEW, { cuenta });
  expect(next.total).toMatchObject({ agregados: 50, sin_cambio: 100 });
  expect(await expectKeysOf(cuenta.id, [llaves, next.llaves])).toBe(150);
});

it('gives each RFC one key when the same file is imported twice at once', async () => {
  const cuenta = await newCuenta();
  const both = await Promise.all([importar(FEW, { cuenta }), importar(FEW, { cuenta })]);
  const made = await Promise.all(both.map(({ llaves, total }) => (total['llaves'] === null ? [] : keysIn(llaves))));
  expect(
    made
      .flat()
      .map(({ rfc }) => rfc)
      .sort(),
  ).toEqual(Array.from({ length: 150 }, (_, n) => rfcAt(n)).sort());
  const files = both.flatMap(({ llaves, total }) => (total['llaves'] === null ? [] : [llaves]));
  expect(await expectKeysOf(cuenta.id, files)).toBe(150);
});

it('gives a key to an RFC that never had one, and leaves one whose key was revoked', async () => {
  const cuenta = await newCuenta();
  const [sin, revocada] = [rfcAt(1), rfcAt(2)];
  for (const rfc of [sin, revocada])
    await runOrder(config(), ['rfc', 'agregar', '--cuenta', cuenta.email, '--rfc', rfc]);
  const { rows } = await runOrder(config(), ['llave', 'generar', '--cuenta', cuenta.email, '--rfc', revocada]);
  await runOrder(config(), ['llave', 'revocar', String(rows[0]?.['id'])]);
  const { total, llaves } = await importar(`rfc\n${sin}\n${revocada}`, { cuenta });
  expect(total).toMatchObject({ agregados: 0, con_llave: 1, sin_cambio: 1 });
  expect((await keysIn(llaves)).map(({ rfc }) => rfc)).toEqual([sin]);
});

it('counts on a terminal, apart from its results', async () => {
  const cuenta = await newCuenta();
  const archivo = newPath();
  await writeFile(archivo, FEW);
  const order = ['operador', 'rfc', 'importar', archivo, '--cuenta', cuenta.email, '--llaves', newPath()];
  const env = { DATABASE_URL: t.url, API_KEY_PEPPERS, SAT_BASE_URL: 'http://127.0.0.1:9' };
  const { code, screen } = await startAtTerminal(order, { env }).ended;
  expect(code).toBe(0);
  expect(screen).toMatch(/\r100 de 150\r150 de 150\r?\n\{"agregados":150/);
});

it('overwrites no file, and does nothing then', async () => {
  const cuenta = await newCuenta();
  const llaves = newPath();
  await writeFile(llaves, 'otras llaves');
  await chmod(llaves, 0o644);
  await expect(importar(FEW, { cuenta, llaves })).rejects.toThrow('ya existe y no se sobrescribe');
  expect(await readFile(llaves, 'utf8')).toBe('otras llaves');
  expect(await rfcsOf(cuenta.id)).toEqual([]);
});

it('does nothing with a file that it cannot read, or without what links need', async () => {
  const cuenta = await newCuenta();
  await expect(importar('', { cuenta })).rejects.toThrow('está vacío');
  const linked = `rfc,correo\n${rfcAt(1)},cliente@example.com`;
  await expect(importar(linked, { cuenta })).rejects.toThrow('API_PUBLIC_URL');
  const { WORKER_PSK: _, ...without } = LINKS;
  await expect(importar(linked, { cuenta, with: without })).rejects.toThrow('WORKER_PUBLIC_KEY');
  expect(await rfcsOf(cuenta.id)).toEqual([]);
});

const conexionesOf = (cuentaId: string) =>
  t.sql<{ id: string; rfc: string; huella: Buffer; estado: string; solicitante: string; dias: number }>`
    SELECT id, rfc, huella, estado, solicitante, extract(day FROM expira_en - creada_en)::int AS dias FROM conexion WHERE cuenta_id = ${cuentaId} ORDER BY rfc`;

describe('a line with an address', () => {
  const text = `rfc;nombre;correo\r\n${rfcAt(1)};Uno;uno@example.com\r\n${rfcAt(2)};Dos;\r\n`;

  it('gets a link in the file, after a warning, where mails are off', async () => {
    const cuenta = await newCuenta();
    const { rows, lines, total, llaves } = await importar(text, { cuenta, with: LINKS });
    expect(rows[0]).toEqual({ aviso: expect.stringContaining('falta CORREO_DE') });
    expect(total).toMatchObject({ agregados: 2, enlaces_por_correo: 0, enlaces_en_archivo: 1 });
    const [uno, dos] = await keysIn(llaves);
    expect([uno?.enlace, dos?.enlace]).toEqual([
      expect.stringMatching(/^https:\/\/api\.acuse\.example\/conectar#[\w-]{43}$/),
      '',
    ]);
    expect(await conexionesOf(cuenta.id)).toMatchObject([
      { rfc: rfcAt(1), estado: 'PENDIENTE', solicitante: 'Contadores del Norte', dias: 7 },
    ]);
    expect(lines.join('\n')).not.toContain('#');
    const unsent = await importar(text, { cuenta: await newCuenta(), with: { ...LINKS, CORREO_DE } });
    expect(unsent.rows[0]).toEqual({ aviso: expect.stringContaining('ningún propietario') });
  });

  it('is mailed it, once, under the name of an owner; neither file nor database has its token', async () => {
    const email = `${randomUUID()}@example.com`;
    const password = { hash: '$argon2id$x', kid: 'p1' };
    const { id, cuentaId } = await createUsuarios(t.db).register({ nombre: 'Ana', email, password, ip: '' });
    await t.sql`UPDATE usuario SET correo_verificado_en = now() WHERE id = ${id}`;
    const cuenta = { email, id: cuentaId };
    const mails = { ...LINKS, CORREO_DE };
    const args = ['--solicitante', 'Despacho example.com', '--finalidad', 'Bajar sus CFDI'];
    const { total, llaves } = await importar(text, { cuenta, with: mails, args });
    expect(total).toMatchObject({ agregados: 2, enlaces_por_correo: 1, enlaces_en_archivo: 0 });
    expect((await keysIn(llaves)).map(({ enlace }) => enlace)).toEqual(['', '']);

    const server = await startSmtp();
    const emisor = createEmisorCorreo(t);
    try {
      await emisor.startWorker(server.url);
      const mail = await waitFor(
        async () => server.recibidos.find(({ para }) => para.includes('uno@example.com')) ?? null,
      );
      expect(mail.headers['subject']).toBe('Le piden conectar su RFC');
      expect(mail.texto).toContain(rfcAt(1));
      // The name of the applicant holds no address: a mail program would make it a link.
      expect(mail.texto).toContain('Despacho example. com');
      const token = /https:\/\/api\.acuse\.example\/conectar#([\w-]{43})/.exec(mail.texto)?.[1] ?? '';
      const [conexion] = await conexionesOf(cuentaId);
      expect(conexion?.huella).toEqual(createHash('sha256').update(token).digest());
      await waitFor(async () =>
        (await t.sql`SELECT FROM correo WHERE tipo = 'conexion.enlace' AND estado = 'ENVIADO'`).length === 1
          ? true
          : null,
      );
      expect((await importar(text, { cuenta, with: mails })).total).toMatchObject({
        sin_cambio: 2,
        enlaces_por_correo: 0,
      });
      expect(await t.sql`SELECT FROM correo WHERE tipo = 'conexion.enlace'`).toHaveLength(1);
    } finally {
      await emisor.close();
      await server.close();
    }
  });

  it('whose link ended before is not mailed', async () => {
    const email = `${randomUUID()}@example.com`;
    const password = { hash: '$argon2id$x', kid: 'p1' };
    const { id, cuentaId } = await createUsuarios(t.db).register({ nombre: 'Beto', email, password, ip: '' });
    await t.sql`UPDATE usuario SET correo_verificado_en = now() WHERE id = ${id}`;
    await importar(text, { cuenta: { email }, with: { ...LINKS, CORREO_DE } });
    await t.sql`UPDATE conexion SET estado = 'TERMINADA', boleto = NULL WHERE cuenta_id = ${cuentaId}`;
    const server = await startSmtp();
    const emisor = createEmisorCorreo(t);
    try {
      await emisor.startWorker(server.url);
      await waitFor(
        async () =>
          (await t.sql`SELECT FROM correo WHERE usuario_id = ${id} AND error = 'ENLACE_TERMINADO'`)[0] ?? null,
      );
      expect(server.recibidos).toEqual([]);
    } finally {
      await emisor.close();
      await server.close();
    }
  });
});
