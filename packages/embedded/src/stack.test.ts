import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@acuse/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from './children/processes.ts';
import { makeAccount } from './commands/account.ts';
import { type RunningStack, startStack } from './stack.ts';
import { ensureSecrets } from './stack-secrets.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-stack-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Logs in as a browser does. The page that follows, or null when nobody is let in. */
async function logIn(url: string, email = '', password = ''): Promise<string | null> {
  const page = await fetch(`${url}/entrar`);
  const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const _csrf = /name="_csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const body = new URLSearchParams({ _csrf, email, password });
  const headers = { origin: url, cookie };
  const answer = await fetch(`${url}/entrar`, { method: 'POST', redirect: 'manual', headers, body });
  return answer.headers.get('location');
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
  timeout: 120_000,
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
    expect(await logIn(panel.url, account.panel?.user, account.panel?.password)).toBe('/inicio');
    expect(await logIn(panel.url, account.panel?.operator_user, account.panel?.operator_password)).toBe(
      '/inicio',
    );
    expect(await logIn(panel.url, account.panel?.user, 'otra contraseña')).toBeNull();
    expect(await stack.stop()).toBe(true);
    expect(pids.some(isAlive)).toBe(false);
    await expect(fetch(stack.s3.endpoint)).rejects.toThrow();
  } finally {
    await stack?.stop();
  }
});

test('a stack that cannot start leaves nothing running', async () => {
  const env = { simulador: { SIMULADOR_PORT: 'not-a-port' } };
  await expect(
    startStack({ dataDir: join(dir, 'broken'), logDir: join(dir, 'logs'), log: silentLogger, env }),
  ).rejects.toThrow(/simulador no inició/);
  await expect(stat(join(dir, 'broken', 'postgres', 'cluster', 'postmaster.pid'))).rejects.toThrow('ENOENT');
});
