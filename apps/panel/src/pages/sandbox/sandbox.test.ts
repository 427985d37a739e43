import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@acuse/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '../../api/client.ts';
import { createSandbox } from './sandbox.ts';

const DOCUMENTO = {
  paths: {
    '/api/v1/vault/firma-estado': {
      post: {
        summary: 'Estado de la e.firma guardada',
        'x-costo': 0,
        'x-credencial': 'API key',
        requestBody: { content: { 'application/json': { schema: { properties: { rfc: {} } } } } },
      },
    },
  },
};

describe('the sandbox', () => {
  let [status, asked, time] = [200, 0, 0];
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status).end(JSON.stringify(DOCUMENTO));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());
  const newSandbox = () => {
    const { port } = server.address() as AddressInfo;
    const api = createApiClient({ url: `http://127.0.0.1:${port}`, userAgent: 'acuse-panel/1.0.0' });
    [status, asked, time] = [200, 0, 0];
    return createSandbox({ api, now: () => new Date(time), log: silentLogger });
  };

  it('asks the API for its description once a minute, and keeps the last one while it does not answer', async () => {
    const sandbox = newSandbox();
    const names = async () => (await sandbox.catalogo())?.map(({ nombre }) => nombre) ?? null;
    expect([await names(), await names(), asked]).toEqual([['vault/firma-estado'], ['vault/firma-estado'], 1]);
    [time, status] = [60_000, 503];
    // One page finds out; the next ones of that minute do not wait for it.
    expect([await names(), await names(), asked]).toEqual([['vault/firma-estado'], ['vault/firma-estado'], 2]);
    [time, status] = [120_000, 200];
    expect([(await names())?.length, asked]).toEqual([1, 3]);
  });

  it('has nothing to show before the API has answered, and asks again at every page', async () => {
    const sandbox = newSandbox();
    status = 503;
    expect([await sandbox.catalogo(), await sandbox.catalogo(), asked]).toEqual([null, null, 2]);
    status = 200;
    expect((await sandbox.catalogo())?.length).toBe(1);
  });

  it('lets one person make three calls at a time, whatever becomes of them', async () => {
    const sandbox = newSandbox();
    const ends: (() => void)[] = [];
    const wait = () => new Promise<string>((resolve) => ends.push(() => resolve('hecha')));
    const running = [1, 2, 3].map(() => sandbox.withSlot('ana', wait));
    expect(await sandbox.withSlot('ana', wait)).toBeNull();
    expect(await sandbox.withSlot('luis', async () => 'otra')).toBe('otra');
    for (const end of ends) end();
    expect(await Promise.all(running)).toEqual(['hecha', 'hecha', 'hecha']);
    await expect(sandbox.withSlot('ana', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await sandbox.withSlot('ana', async () => 'otra')).toBe('otra');
  });
});
