import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isRunning, silentLogger } from '@acuse/runtime';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRedisServer, startRedis } from './redis.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-redis-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('finds redis-server in the folders of PATH, and only one that can be run', async () => {
  const program = join(dir, 'redis-server');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o644 });
  const path = ['', '/nowhere', dir].join(delimiter);
  expect(await findRedisServer(path)).toBeNull();
  await chmod(program, 0o755);
  expect(await findRedisServer(path)).toBe(program);
  expect(await findRedisServer('/nowhere')).toBeNull();
});

describe.runIf((await findRedisServer()) !== null)("the machine's Redis", () => {
  test('asks for its password, never evicts, and keeps its data over a restart', async () => {
    const data = join(dir, 'data');
    const first = await startRedis({ dir: data, log: silentLogger });
    const client = new Redis(first?.url ?? '', { maxRetriesPerRequest: 0 });
    await client.set('kept', '1');
    expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    const stranger = new Redis({
      port: Number(new URL(first?.url ?? '').port),
      lazyConnect: true,
      retryStrategy: null,
    });
    stranger.on('error', () => {});
    await expect(stranger.get('kept')).rejects.toThrow(/NOAUTH/);
    stranger.disconnect();
    client.disconnect();
    await first?.stop();
    expect(isRunning(first?.pid ?? 0)).toBe(false);

    const second = await startRedis({ dir: data, log: silentLogger });
    const again = new Redis(second?.url ?? '', { maxRetriesPerRequest: 0 });
    expect(await again.get('kept')).toBe('1');
    again.disconnect();
    await second?.stop();
  });
});
