import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { expect, test } from 'vitest';
import { findSystemPostgres } from './postgres/binaries.ts';
import { findRedisServer } from './redis.ts';
import { type Providing, type SharedTestServers, sharedTestServers } from './testing.ts';

test('provides servers that answer, and stops them', { timeout: 120_000 }, async () => {
  const provided = {} as { -readonly [Name in keyof SharedTestServers]: SharedTestServers[Name] };
  const said: string[] = [];
  const providing: Providing = {
    provide: (name, value) => {
      provided[name] = value;
    },
  };
  const stop = await sharedTestServers(providing, process.env, (line) => said.push(line));
  const connect = async () => {
    const client = new pg.Client({ connectionString: provided.postgresUrl });
    await client.connect();
    await client.end();
  };
  const { endpoint, ...credentials } = provided.s3;
  const s3 = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 });
  try {
    await connect();
    const system = await findSystemPostgres();
    expect(said).toEqual([expect.stringContaining(system === null ? 'embedded' : system.postgres)]);
    expect((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
    expect(provided.redisUrl !== null).toBe((await findRedisServer()) !== null);
  } finally {
    await stop();
  }
  await expect(connect()).rejects.toThrow();
  await expect(s3.send(new ListBucketsCommand({}))).rejects.toThrow();
  s3.destroy();
});

test('uses the servers that the environment names instead of starting some', async () => {
  const provided: Record<string, unknown> = {};
  const provide = (name: string, value: unknown) => {
    provided[name] = value;
  };
  const env = { TEST_DATABASE_URL: 'postgres://elsewhere/db', TEST_REDIS_URL: 'redis://elsewhere' };
  const stop = await sharedTestServers({ provide }, env);
  await stop();
  expect(provided).toMatchObject({ postgresUrl: 'postgres://elsewhere/db', redisUrl: 'redis://elsewhere' });
});
