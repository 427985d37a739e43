import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { manifestPublicKeyOf } from '../manifiesto/manifest-keys.ts';
import { changeValues, newSecretos, newServidores, readValues, writeInstalacion } from './carpeta.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-carpeta-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const ACCESOS = ['DATABASE_URL_API', 'DATABASE_URL_PANEL', 'DATABASE_URL_WORKER'];
const valores = () => ({ ...newSecretos(), ...newServidores() });

/** Who each process logs in to the database as, and where. */
async function loginsIn(folder: string): Promise<Record<string, string>> {
  const processes = ['api', 'panel', 'descargas', 'coordinador', 'ensambles', 'webhooks', 'migrar', 'operador'];
  const read = async (proceso: string) => {
    const { username, host } = new URL(await readFile(join(folder, proceso, 'DATABASE_URL'), 'utf8'));
    return [proceso, `${username}@${host}`] as const;
  };
  return Object.fromEntries(await Promise.all(processes.map(read)));
}

const as = (owner: string, at = 'postgres:5432', process = owner) => ({
  api: `${process === owner ? owner : 'acuse_entra_api'}@${at}`,
  panel: `${process === owner ? owner : 'acuse_entra_panel'}@${at}`,
  ...Object.fromEntries(
    ['descargas', 'coordinador', 'ensambles', 'webhooks'].map((name) => [
      name,
      `${process === owner ? owner : 'acuse_entra_worker'}@${at}`,
    ]),
  ),
  migrar: `${owner}@${at}`,
  operador: `${owner}@${at}`,
});

/** The folder as the version before database users left it, with another address of the database or its own. */
async function asEarlier(name: string, change: (address: string) => string = (address) => address): Promise<string> {
  const folder = join(dir, name);
  const all = valores();
  const earlier = Object.entries({ ...all, DATABASE_URL: change(all.DATABASE_URL ?? '') }).filter(
    ([each]) => !ACCESOS.includes(each),
  );
  await writeInstalacion(folder, Object.fromEntries(earlier));
  return folder;
}

it('gives each process an address of the database that is its own, and the owner to who migrates and operates', async () => {
  const folder = join(dir, 'nueva');
  await writeInstalacion(folder, valores());
  expect(await loginsIn(folder)).toEqual(as('acuse', 'postgres:5432', 'each'));
  const own = await readValues(folder);
  for (const name of ACCESOS) expect(await readFile(join(folder, 'migrar', name), 'utf8')).toBe(own[name]);
  const passwords = [...ACCESOS, 'DATABASE_URL'].map((name) => new URL(own[name] ?? '').password);
  expect([new Set(passwords).size, passwords.every(({ length }) => length >= 32)]).toEqual([4, true]);
});

it('gives an installation of before users of its own server, once, and keeps all else', async () => {
  const folder = await asEarlier('anterior');
  expect(await loginsIn(folder)).toEqual(as('acuse'));
  const before = await readValues(folder);
  expect((await writeInstalacion(folder, valores())).sort()).toEqual(ACCESOS);
  expect(await loginsIn(folder)).toEqual(as('acuse', 'postgres:5432', 'each'));
  const after = await readValues(folder);
  expect(after).toMatchObject(before);
  expect(await writeInstalacion(folder, valores())).toEqual([]);
  expect(await readValues(folder)).toEqual(after);
});

it('gives a process a value that it came to read', async () => {
  const folder = join(dir, 'sin-cola');
  await writeInstalacion(folder, valores());
  await rm(join(folder, 'api', 'QUEUE_URL'));
  expect(await writeInstalacion(folder, valores())).toEqual([]);
  expect(await readFile(join(folder, 'api', 'QUEUE_URL'), 'utf8')).toBe((await readValues(folder))['QUEUE_URL']);
});

it('leaves an installation on a foreign server as it was, until the operator gives it users', async () => {
  const folder = await asEarlier('ajena', () => 'postgres://dueno:una-contrasena-de-otros@db.example:6432/acuse');
  await writeInstalacion(folder, valores());
  expect(await loginsIn(folder)).toEqual(as('dueno', 'db.example:6432'));
  expect(await writeInstalacion(folder, valores())).toEqual([]);
  const api = 'postgres://acuse_entra_api:otra-contrasena-larga@db.example:6432/acuse';
  await changeValues(folder, (all) => ({ ...all, DATABASE_URL_API: api }));
  expect(await readFile(join(folder, 'api', 'DATABASE_URL'), 'utf8')).toBe(api);
  expect((await loginsIn(folder))['panel']).toBe('dueno@db.example:6432');
});

it('publishes the keys of manifests that an installation of before signs with', async () => {
  const folder = join(dir, 'sin-publicas');
  const seeds = [3, 4].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
  const { MANIFEST_PUBLIC_KEYS: _, ...earlier } = valores();
  await writeInstalacion(folder, { ...earlier, MANIFEST_KEYS: `m2:${seeds[0]},m1:${seeds[1]}` });
  expect(await writeInstalacion(folder, valores())).toEqual(['MANIFEST_PUBLIC_KEYS']);
  expect(await readFile(join(folder, 'api', 'MANIFEST_PUBLIC_KEYS'), 'utf8')).toBe(
    `m2:${manifestPublicKeyOf(seeds[0])},m1:${manifestPublicKeyOf(seeds[1])}`,
  );
});

it('leaves files of other programs where they are', async () => {
  const folder = join(dir, 'con-captchas');
  await writeInstalacion(folder, valores());
  await writeFile(join(folder, 'api', 'CAPTCHA_TOKEN'), 'de-otros');
  await changeValues(folder, (all) => ({ ...all, KEYRING: 'k2:otro' }));
  expect(await readFile(join(folder, 'api', 'CAPTCHA_TOKEN'), 'utf8')).toBe('de-otros');
  expect(await readFile(join(folder, 'api', 'KEYRING'), 'utf8')).toBe('k2:otro');
});
