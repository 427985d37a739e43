import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@acuse/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from './children/processes.ts';
import { type RunningStack, startStack } from './stack.ts';
import { ensureSecrets } from './stack-secrets.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-stack-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

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
  ] as const) {
    expect(Buffer.from(one[name].split(':')[1] ?? '', 'base64')).toHaveLength(32);
  }
  expect(one.WORKER_PSK).toBe(one.WORKER_PSKS);
});

test('a folder from before sessions were shared gets a key for them, and keeps the rest', async () => {
  const folder = join(dir, 'viejos');
  const { SESSION_KEYS, ...others } = await ensureSecrets(folder);
  await writeFile(join(folder, 'secretos.json'), JSON.stringify(others));
  const completed = await ensureSecrets(folder);
  expect(completed).toMatchObject(others);
  expect(completed.SESSION_KEYS).toMatch(/^s1:/);
  expect(completed.SESSION_KEYS).not.toBe(SESSION_KEYS);
  expect(await ensureSecrets(folder)).toEqual(completed);
  expect((await stat(join(folder, 'secretos.json'))).mode & 0o777).toBe(0o600);
});

test('the whole stack starts, answers, keeps its secrets apart, and stops', {
  timeout: 120_000,
}, async () => {
  const dataDir = join(dir, 'data');
  const logDir = join(dir, 'logs');
  let stack: RunningStack | undefined;
  try {
    stack = await startStack({ dataDir, logDir, log: silentLogger });
    const ready = await fetch(`${stack.apiUrl}/readyz`);
    expect(ready.status).toBe(200);
    const pids = [stack.api, stack.simulador, ...stack.workers].map(({ pid }) => pid);
    expect(pids.every(isAlive)).toBe(true);

    if (process.platform === 'linux') {
      const environment = (pid: number) => readFile(`/proc/${pid}/environ`, 'utf8');
      const [api, worker] = [await environment(stack.api.pid), await environment(stack.workers[0]?.pid ?? 0)];
      expect(api).toContain(stack.secrets.KEYRING);
      expect(api).not.toContain(stack.secrets.WORKER_KEYS);
      expect(worker).toContain(stack.secrets.WORKER_KEYS);
      expect(worker).not.toMatch(/KEYRING|API_KEY_PEPPERS/);
    }
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
