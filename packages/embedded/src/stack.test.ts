import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContribuyentes, openDatabase } from '@acuse/db';
import { silentLogger } from '@acuse/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from './children/processes.ts';
import { makeAccount, type ReadyAccount } from './commands/account.ts';
import { type RunningStack, startStack } from './stack.ts';
import { ensureSecrets } from './stack-secrets.ts';
import { logIn, openBrowser } from './testing/browser.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-stack-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A list of allowed addresses is about the person who calls: by the API, and in the sandbox of the panel. */
async function expectAddressesToHold(
  stack: RunningStack,
  panelUrl: string,
  { rfc, api_key, panel }: ReadyAccount,
): Promise<void> {
  const db = openDatabase({
    url: stack.databaseUrl,
    poolSize: 1,
    timeoutMs: 10_000,
    applicationName: 'prueba',
  });
  try {
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM contribuyente WHERE rfc = $1', [
      rfc,
    ]);
    const [{ id: contribuyenteId } = { id: '' }] = rows;
    await createContribuyentes(db).setIps({ contribuyenteId, cidrs: ['127.0.0.2/32'], actor: 'prueba' });
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

test('secrets are made once, whole, for the owner only', async () => {
  const folder = join(dir, 'secrets');
  const [one, other] = await Promise.all([ensureSecrets(folder), ensureSecrets(folder)]);
  expect(one).toEqual(other);
  expect((await stat(join(folder, 'secretos.json'))).mode & 0o777).toBe(0o600);
  for (const name of [
    'API_KEY_PEPPERS',
    'KEYRING',
    'WORKER_PUBLIC_KEY',
    'WORKER_KEYS',
    'WORKER_PSK',
    'SESSION_KEYS',
    'PANEL_SECRETS',
  ] as const) {
    expect(Buffer.from(one[name].split(':')[1] ?? '', 'base64')).toHaveLength(32);
  }
  expect(one.WORKER_PSK).toBe(one.WORKER_PSKS);
});

test.each(['SESSION_KEYS', 'PANEL_SECRETS'] as const)(
  'a folder from before there was %s gets it, and keeps the rest',
  async (name) => {
    const folder = join(dir, `viejos-${name}`);
    const { [name]: gone, ...others } = await ensureSecrets(folder);
    await writeFile(join(folder, 'secretos.json'), JSON.stringify(others));
    const completed = await ensureSecrets(folder);
    expect(completed).toMatchObject(others);
    expect(completed[name]).toMatch(/^[sp]1:/);
    expect(completed[name]).not.toBe(gone);
    expect(await ensureSecrets(folder)).toEqual(completed);
    expect((await stat(join(folder, 'secretos.json'))).mode & 0o777).toBe(0o600);
  },
);

test('the whole stack starts, answers, keeps its secrets apart, has somebody who can log in, and stops', {
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
    expect(pids.every(isAlive)).toBe(true);

    if (process.platform === 'linux') {
      const environment = (pid: number) => readFile(`/proc/${pid}/environ`, 'utf8');
      const [api, worker] = [await environment(stack.api.pid), await environment(stack.workers[0]?.pid ?? 0)];
      expect(api).toContain(stack.secrets.KEYRING);
      expect(api).not.toContain(stack.secrets.WORKER_KEYS);
      expect(worker).toContain(stack.secrets.WORKER_KEYS);
      expect(worker).not.toMatch(/KEYRING|API_KEY_PEPPERS/);
      expect(api + worker).not.toContain(stack.secrets.PANEL_SECRETS);
    }
    const account = await makeAccount(stack, dataDir);
    const { user, password, operator_user, operator_password } = account.panel ?? {};
    expect(await logIn(openBrowser(panel.url), operator_user, operator_password)).toBe('/inicio');
    expect(await logIn(openBrowser(panel.url), user, 'otra contraseña')).toBeNull();
    expect(await logIn(openBrowser(panel.url), user, password)).toBe('/inicio');
    // Linux answers at every address of 127.0.0.0/8.
    if (process.platform === 'linux') await expectAddressesToHold(stack, panel.url, account);
    expect(await stack.stop()).toBe(true);
    expect(pids.some(isAlive)).toBe(false);
    await expect(fetch(stack.s3.endpoint)).rejects.toThrow();
  } finally {
    await stack?.stop();
  }
});

test('a stack that cannot start leaves nothing running', { timeout: 120_000 }, async () => {
  const env = { simulador: { SIMULADOR_PORT: 'not-a-port' } };
  await expect(
    startStack({ dataDir: join(dir, 'broken'), logDir: join(dir, 'logs'), log: silentLogger, env }),
  ).rejects.toThrow(/simulador no inició/);
  await expect(stat(join(dir, 'broken', 'postgres', 'cluster', 'postmaster.pid'))).rejects.toThrow('ENOENT');
});
