import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createShutdown, silentLogger } from '@acuse/runtime';
import { readConfig } from '@acuse/settings/api';
import { generateApiKey, generateWorkerKeyPair } from '@acuse/vault';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority, rsaPair } from '../../../packages/vault/test/authority.ts';
import { startApi } from './start.ts';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'acuse-api-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a process whose database is away starts, says that it is not ready, answers 5041 and stops cleanly, once its balancer had time to notice, also while a connection has asked for nothing', async () => {
  const pem = path.join(folder, 'autoridades.pem');
  const span = { from: '2019-01-01T00:00:00Z', to: '2031-01-01T00:00:00Z' };
  await writeFile(pem, createAuthority({ pair: rsaPair(), ...span }).pem);
  const config = readConfig({
    API_PORT: '0',
    // Nothing listens on port 1.
    DATABASE_URL: 'postgres://acuse:acuse@127.0.0.1:1/acuse',
    API_KEY_PEPPERS: `2:${key(2)},1:${key(1)}`,
    KEYRING: `k1:${key(3)}`,
    WORKER_PUBLIC_KEY: `w1:${generateWorkerKeyPair().publicKey}`,
    WORKER_PSK: `p1:${key(4)}`,
    SESSION_KEYS: `s1:${key(5)}`,
    WEBHOOK_KEYS: `h1:${key(6)}`,
    EFIRMA_AUTORIDADES: pem,
    S3_ENDPOINT: 'http://127.0.0.1:1',
  });
  const events = new EventEmitter();
  let endDrain = () => {};
  const drained = new Promise<void>((done) => {
    endDrain = done;
  });
  let exit = (_: number) => {};
  const exited = new Promise<number>((done) => {
    exit = done;
  });
  const log = silentLogger;
  const shutdown = createShutdown({ log, timeoutMs: 20_000, drainMs: 1, wait: () => drained, events, exit });
  shutdown.listen();
  const { url, server } = await startApi(config, silentLogger, shutdown);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  const call = async () => {
    const answer = await fetch(`${url}/api/v1/vault/firma-estado`, {
      method: 'POST',
      headers: { authorization: `Bearer ${generateApiKey('test').text}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ cfdi_codigo: 5041 })]);
    return answer.headers.get('connection');
  };
  expect(await call()).toBe('keep-alive');
  const taken = once(server, 'connection');
  const early = connect(Number(new URL(url).port), '127.0.0.1');
  const over = once(early, 'close');
  await taken;
  // On SIGTERM the server tells its balancer, and still answers requests that reach it.
  events.emit('SIGTERM');
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'closing', checks: {} }]);
  expect(await call()).toBe('close');
  endDrain();
  expect(await exited).toBe(0);
  await over;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});
