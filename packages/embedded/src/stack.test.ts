import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContribuyentes } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { isRunning, silentLogger } from '@acuse/runtime';
import { PROCESOS } from '@acuse/vault';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller, makeAccount, type ReadyAccount, storeCiec } from './commands/account.ts';
import { type RunningStack, startStack } from './stack.ts';
import { ensureSecrets, keepAddresses } from './stack-env.ts';
import { logIn, openBrowser } from './testing/browser.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-stack-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Who is logged in to the PostgreSQL of a stack, and to which of its databases. */
async function sessionsOf({ databaseUrl }: RunningStack): Promise<string[]> {
  const db = openRecords({ url: databaseUrl, poolSize: 1, timeoutMs: 10_000, applicationName: 'prueba' });
  try {
    const { rows } = await db.pool.query<{ session: string }>(
      `SELECT DISTINCT usename || ' in ' || datname AS session FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND application_name <> 'prueba' ORDER BY session`,
    );
    return rows.map(({ session }) => session);
  } finally {
    await db.close();
  }
}

/** A list of allowed addresses is about the person who calls: by the API, and in the sandbox of the panel. */
async function expectAddressesToHold(
  stack: RunningStack,
  panelUrl: string,
  { rfc, api_key, panel }: ReadyAccount,
): Promise<void> {
  const db = openRecords({ url: stack.databaseUrl, poolSize: 1, timeoutMs: 10_000, applicationName: 'prueba' });
  try {
    const { rows } = await db.pool.query<{ id: string }>('SELECT cuenta_id AS id FROM contribuyente WHERE rfc = $1', [
      rfc,
    ]);
    const [{ id: cuentaId } = { id: '' }] = rows;
    const autor = { actor: 'prueba', ip: null };
    await createContribuyentes(db).setIps({ cuentaId, rfc, cidrs: ['127.0.0.2/32'], ...autor });
  } finally {
    await db.close();
  }
  const nombre = 'vault/rfc-registrar';
  const own = await fetch(`${stack.apiUrl}/api/v1/${nombre}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ rfc }),
  });
  expect(await own.json()).toMatchObject({ cfdi_codigo: 1003 });
  for (const [address, code] of [
    ['127.0.0.1', 1003],
    ['127.0.0.2', 1],
  ] as const) {
    const browser = openBrowser(panelUrl, address);
    expect(await logIn(browser, panel?.user, panel?.password)).toBe('/inicio');
    const { text } = await browser.send(`/pruebas/${nombre}`, { llave: api_key, 'c.rfc': rfc });
    const codes = [...text.matchAll(/cfdi_codigo(?:&quot;|"): (\d+)/g)].map(([, one]) => Number(one));
    expect([address, ...codes]).toEqual([address, code]);
  }
}

/** The README's block for the operator's commands, over this folder, finds neither a fault nor a warning. */
async function expectRevisarContent(dataDir: string): Promise<void> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const block = /^set -a;.*operador\.env.*$/m.exec(readme)?.[0]?.replaceAll('.acuse/', `${dataDir}/`);
  const bare = Object.fromEntries(['PATH', 'HOME'].map((name) => [name, process.env[name]]));
  const { stdout } = await promisify(execFile)('bash', ['-c', `${block}\nnpx acuse operador revisar --json`], {
    cwd: ROOT,
    env: bare,
  }).catch((error) => error);
  const found = stdout
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(({ resultado }: { resultado: string }) => !['bien', 'omitida'].includes(resultado))).toEqual([]);
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('secrets are made once, whole, a folder for each process with its own alone, for the owner only', async () => {
  const folder = join(dir, 'secrets');
  const [one, other] = await Promise.all([ensureSecrets(folder), ensureSecrets(folder)]);
  expect(one).toEqual(other);
  expect(await readdir(folder)).toEqual(['secretos']);
  const { carpeta, valores } = one;
  for (const name of [
    'API_KEY_PEPPERS',
    'KEYRING',
    'WORKER_PUBLIC_KEY',
    'WORKER_KEYS',
    'WORKER_PSK',
    'SESSION_KEYS',
    'PANEL_SECRETS',
    'WEBHOOK_KEYS',
    'MANIFEST_KEYS',
    'MANIFEST_PUBLIC_KEYS',
  ] as const) {
    expect(Buffer.from(valores[name]?.split(':')[1] ?? '', 'base64')).toHaveLength(32);
  }
  expect(valores['WORKER_PSK']).toBe(valores['WORKER_PSKS']);
  await keepAddresses(one, { DATABASE_URL: 'postgres://u:p@localhost/x', QUEUE_URL: 'redis://localhost' });
  for (const proceso of ['api', 'panel', 'descargas', 'webhooks'] as const) {
    expect((await readdir(join(carpeta, proceso))).sort()).toEqual([...PROCESOS[proceso]].sort());
    expect(await modeOf(join(carpeta, proceso))).toBe(0o700);
    for (const name of PROCESOS[proceso]) expect(await modeOf(join(carpeta, proceso, name))).toBe(0o600);
  }
});

/** The folder as a version left it that kept all secrets in one file, and some not at all. */
async function asEarlier(folder: string, without: readonly string[] = []) {
  const { carpeta, valores } = await ensureSecrets(folder);
  const kept = Object.fromEntries(
    Object.entries(valores).filter(([name]) => !/^(DATABASE|QUEUE)_URL/.test(name) && !without.includes(name)),
  );
  await writeFile(join(folder, 'secretos.json'), JSON.stringify(kept), { mode: 0o600 });
  await rm(carpeta, { recursive: true });
  return kept;
}

test.each([[], ['SESSION_KEYS'], ['PANEL_SECRETS'], ['WEBHOOK_KEYS']])(
  'the one file of an earlier version is split, keeps all that it had, and gets what it lacked: %s',
  async (...without) => {
    const folder = join(dir, `viejos-${without.join()}`);
    const kept = await asEarlier(folder, without);
    const split = await ensureSecrets(folder);
    expect(split.valores).toMatchObject(kept);
    for (const name of without) expect(split.valores[name]).toMatch(/^[hsp]1:/);
    expect(await readdir(folder)).toEqual(['secretos']);
    expect(await ensureSecrets(folder)).toEqual(split);
  },
);

test('an installation of before webhooks gets their key, for each process that reads it, and keeps all else', async () => {
  const folder = join(dir, 'sin-webhooks');
  const before = await ensureSecrets(folder);
  await keepAddresses(before, { DATABASE_URL: 'postgres://u:p@localhost/x', QUEUE_URL: 'redis://localhost' });
  const { carpeta } = before;
  for (const proceso of ['api', 'panel', 'operador']) await rm(join(carpeta, proceso, 'WEBHOOK_KEYS'));
  await rm(join(carpeta, 'webhooks'), { recursive: true });
  const { valores } = await ensureSecrets(folder);
  expect(valores).toEqual({
    ...before.valores,
    DATABASE_URL: 'postgres://u:p@localhost/x',
    QUEUE_URL: 'redis://localhost',
    WEBHOOK_KEYS: expect.stringMatching(/^h1:/),
  });
  for (const proceso of ['api', 'panel', 'webhooks'] as const)
    expect((await readdir(join(carpeta, proceso))).sort()).toEqual([...PROCESOS[proceso]].sort());
});

test('the one file stays as long as not all of it is in the folders', async () => {
  const folder = join(dir, 'otros');
  await ensureSecrets(folder);
  await writeFile(join(folder, 'secretos.json'), JSON.stringify({ KEYRING: 'k1:otro' }));
  await ensureSecrets(folder);
  expect((await readdir(folder)).sort()).toEqual(['secretos', 'secretos.json']);
});

test('the whole stack starts, answers, keeps its secrets apart, has a user who can log in, and stops', {
  timeout: 300_000,
}, async () => {
  const dataDir = join(dir, 'data');
  const logDir = join(dir, 'logs');
  let stack: RunningStack | undefined;
  try {
    stack = await startStack({ dataDir, logDir, log: silentLogger, withPanel: true });
    const ready = await fetch(`${stack.apiUrl}/readyz`);
    expect(ready.status).toBe(200);
    const panel = stack.panel;
    if (panel === null) throw new Error('there is no panel');
    expect((await fetch(`${panel.url}/readyz`)).status).toBe(200);
    const pids = [stack.api, stack.simulador, panel, ...stack.workers].map(({ pid }) => pid);
    expect(pids.every(isRunning)).toBe(true);

    if (process.platform === 'linux') {
      // The one worker plays every role.
      const environments = { api: stack.api, panel, descargas: stack.workers[0] ?? stack.api };
      const more = { WEBHOOK_KEYS: join(stack.secrets.carpeta, 'webhooks', 'WEBHOOK_KEYS') };
      for (const [proceso, { pid }] of Object.entries(environments)) {
        const environment = await readFile(`/proc/${pid}/environ`, 'utf8').then((text) => text.replaceAll('\0', '\n'));
        const own = join(stack.secrets.carpeta, proceso);
        const files = [...environment.matchAll(/^(\w+)_FILE=(.*)$/gm)].map(([, name, path]) => [name, path]);
        const names = PROCESOS[proceso as keyof typeof environments];
        // The queue is on PostgreSQL, which the API does not open.
        const given = proceso === 'api' ? names.filter((name) => name !== 'QUEUE_URL') : names;
        expect(Object.fromEntries(files)).toEqual({
          ...(proceso === 'descargas' ? more : {}),
          ...Object.fromEntries(given.map((name) => [name, join(own, name)])),
        });
        for (const [name, value] of Object.entries(stack.secrets.valores))
          if (name !== 'S3_ACCESS_KEY_ID') expect(environment.includes(value), `${proceso}: ${name}`).toBe(false);
      }
    }
    // Nobody is the owner of the tables but what prepared them, which is gone.
    const sessions = [
      'acuse_cola in acuse_cola',
      ...['acuse_entra_api in acuse', 'acuse_entra_panel in acuse', 'acuse_entra_worker in acuse'],
    ];
    expect(await sessionsOf(stack)).toEqual(sessions);
    await expectRevisarContent(dataDir);
    const account = await makeAccount(stack, dataDir);
    const { user, password, operator_user, operator_password } = account.panel ?? {};
    expect(await logIn(openBrowser(panel.url), operator_user, operator_password)).toBe('/inicio');
    expect(await logIn(openBrowser(panel.url), user, 'otra contraseña')).toBeNull();
    expect(await logIn(openBrowser(panel.url), user, password)).toBe('/inicio');
    const earlier = await makeAccount(stack, dataDir, 'XIA190128J61');
    const before = createCaller(stack.apiUrl, earlier.api_key);
    await before('vault/rfc-registrar', { rfc: earlier.rfc });
    await storeCiec(before, earlier);
    // Linux answers at every address of 127.0.0.0/8.
    if (process.platform === 'linux') await expectAddressesToHold(stack, panel.url, account);
    expect(await stack.stop()).toBe(true);
    expect(pids.some(isRunning)).toBe(false);
    await expect(fetch(stack.s3.endpoint)).rejects.toThrow();

    // What an earlier version stored opens with its secrets, split; whoever knew a password of before knows it no more.
    await asEarlier(dataDir);
    stack = await startStack({ dataDir, logDir, log: silentLogger });
    expect(await sessionsOf(stack)).toEqual(sessions.filter((session) => !session.includes('panel')));
    const { rfc, api_key } = earlier;
    const fiscal = await createCaller(stack.apiUrl, api_key)('usuario/datos-fiscales', { rfc });
    expect(fiscal).toHaveProperty('nombre');
    expect(await stack.stop()).toBe(true);
  } finally {
    await stack?.stop();
  }
});

test('a stack that cannot start leaves nothing running', { timeout: 120_000 }, async () => {
  const env = { simulador: { SIMULADOR_PORT: 'not-a-port' } };
  await expect(
    startStack({ dataDir: join(dir, 'data'), logDir: join(dir, 'logs'), log: silentLogger, env }),
  ).rejects.toThrow(/simulador no inició/);
  await expect(stat(join(dir, 'data', 'postgres', 'cluster', 'postmaster.pid'))).rejects.toThrow('ENOENT');
});
