import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { residentBytes } from '../children.ts';

const MIB = 1024 * 1024;
const SIZE = 96 * MIB;
const ALLOWED_GROWTH = 48 * MIB;
const Bucket = 'paquetes';
const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };

// Deterministic and cheap: each MiB starts with its number.
async function* content() {
  for (let index = 0; index < SIZE / MIB; index += 1) {
    const block = Buffer.alloc(MIB, 'acuse');
    block.writeUInt32BE(index);
    yield block;
  }
}

async function hashOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk);
  return hash.digest('hex');
}

describe('a stream of 96 MiB', { tags: ['slow'] }, () => {
  let dir: string;
  let child: ChildProcess;
  let endpoint: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'acuse-s3-memory-'));
    const source = `
      import { startS3 } from ${JSON.stringify(new URL('../s3.ts', import.meta.url).href)};
      import { silentLogger } from '@acuse/runtime';
      const { endpoint } = await startS3({
        dir: ${JSON.stringify(dir)}, buckets: ['${Bucket}'], log: silentLogger, ...${JSON.stringify(credentials)},
      });
      console.log(endpoint);`;
    child = spawn(
      process.execPath,
      ['--conditions=acuse-source', '--import', 'tsx', '--input-type=module', '--eval', source],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: import.meta.dirname },
    );
    endpoint = String(await new Promise((resolve) => child.stdout?.once('data', resolve))).trim();
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  test.each(['PutObject with a checksum in the trailer', 'PutObject without framing', 'lib-storage in parts'])(
    'goes both ways whole, and the server keeps its memory: %s',
    async (how) => {
      const client = new S3Client({
        endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        maxAttempts: 1,
        credentials,
        requestChecksumCalculation: how.includes('checksum') ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED',
      });
      const pid = child.pid ?? 0;
      const before = await residentBytes(pid);
      let peak = 0;
      const watch = setInterval(async () => {
        peak = Math.max(peak, (await residentBytes(pid)) ?? 0);
      }, 10);
      const Body = Readable.from(content());
      if (how.startsWith('lib-storage')) {
        await new Upload({ client, params: { Bucket, Key: 'big', Body }, queueSize: 1, partSize: 8 * MIB }).done();
      } else {
        await client.send(new PutObjectCommand({ Bucket, Key: 'big', Body, ContentLength: SIZE }));
      }
      const { Body: answer } = await client.send(new GetObjectCommand({ Bucket, Key: 'big' }));
      expect(await hashOf(answer as Readable)).toBe(await hashOf(content()));
      clearInterval(watch);
      client.destroy();
      // Only Linux tells the memory of a process; elsewhere the content has been checked all the same.
      if (before !== null) {
        expect(peak).toBeGreaterThan(0);
        expect(peak - before).toBeLessThan(ALLOWED_GROWTH);
      }
    },
  );
});
