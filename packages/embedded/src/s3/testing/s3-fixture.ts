import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@acuse/runtime';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type RunningS3, startS3 } from '../../s3.ts';

export const MIB = 1024 * 1024;
export const Bucket = 'paquetes';
export const credentials = { accessKeyId: 'acuse-test', secretAccessKey: 'a-secret-of-the-test' };

/** A store over a folder of its own, and the real SDK connected to it, for the tests of one file. */
export class S3Fixture {
  dir = '';
  server: RunningS3 = { endpoint: '', port: 0, stop: async () => {} };
  client = new S3Client({});
  /** How far the store's clock is ahead, in milliseconds; 0 again after each test. */
  offsetMs = 0;

  async open(): Promise<void> {
    this.dir = await mkdtemp(join(tmpdir(), 'acuse-s3-'));
    const now = () => Date.now() + this.offsetMs;
    this.server = await startS3({ dir: this.dir, buckets: [Bucket], log: silentLogger, now, ...credentials });
    this.client = this.connect();
  }

  /** Another client without retries; the caller destroys it. */
  connect(options: Partial<typeof credentials> = {}): S3Client {
    return new S3Client({
      endpoint: this.server.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { ...credentials, ...options },
    });
  }

  put(Key: string, Body: string | Buffer = 'x') {
    return this.client.send(new PutObjectCommand({ Bucket, Key, Body }));
  }

  async read(Key: string, Range?: string): Promise<Buffer> {
    const { Body } = await this.client.send(new GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  async close(): Promise<void> {
    this.client.destroy();
    await this.server.stop();
    await rm(this.dir, { recursive: true });
  }
}

/** The fixture, opened before the tests of a file and closed after them. */
export function useS3(): S3Fixture {
  const fixture = new S3Fixture();
  beforeAll(() => fixture.open());
  afterEach(() => {
    fixture.offsetMs = 0;
  });
  afterAll(() => fixture.close());
  return fixture;
}

/** The name of the error that a request ends with. */
export function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: Error) => error.name,
  );
}

/** Status and S3 code of a plain HTTP request. */
export async function fetchCode(url: string, init?: RequestInit): Promise<[number, string | undefined]> {
  const response = await fetch(url, init);
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]];
}
