import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@acuse/runtime';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, test } from 'vitest';
import { startS3 } from '../s3.ts';
import { Bucket, credentials, errorOf, useS3 } from './testing/s3-fixture.ts';

const s3 = useS3();

describe('objects', () => {
  test('come back as they were put, with their headers and metadata', async () => {
    const Body = randomBytes(300_000);
    const sent = await s3.client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'a/b.zip',
        Body,
        ContentType: 'application/zip',
        ContentDisposition: 'attachment; filename="b.zip"',
        Metadata: { sha256: 'abc' },
      }),
    );
    const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'a/b.zip' }));
    expect(head).toMatchObject({
      ContentLength: 300_000,
      ContentType: 'application/zip',
      ContentDisposition: 'attachment; filename="b.zip"',
      Metadata: { sha256: 'abc' },
      ETag: `"${createHash('md5').update(Body).digest('hex')}"`,
    });
    expect(sent.ETag).toBe(head.ETag);
    expect(Body.equals(await s3.read('a/b.zip'))).toBe(true);
  });

  test('give ranges, and refuse one that lies outside', async () => {
    await s3.put('range', '0123456789');
    const parts = await Promise.all(
      ['bytes=2-4', 'bytes=7-', 'bytes=-3', 'bytes=0-99', 'bytes=4-2'].map((range) => s3.read('range', range)),
    );
    expect(parts.map(String)).toEqual(['234', '789', '789', '0123456789', '0123456789']);
    const { ContentRange } = await s3.client.send(new GetObjectCommand({ Bucket, Key: 'range', Range: 'bytes=2-4' }));
    expect(ContentRange).toBe('bytes 2-4/10');
    expect(await errorOf(s3.read('range', 'bytes=10-'))).toBe('InvalidRange');
    expect(await errorOf(s3.read('range', 'bytes=-0'))).toBe('InvalidRange');
  });

  test('may be empty', async () => {
    await s3.put('empty', '');
    expect(await s3.read('empty')).toHaveLength(0);
  });

  test('are replaced, copied and deleted', async () => {
    await s3.put('one', 'first');
    await s3.put('one', 'second');
    await s3.client.send(new CopyObjectCommand({ Bucket, Key: 'two ñ', CopySource: `${Bucket}/one` }));
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'one' }));
    expect(String(await s3.read('two ñ'))).toBe('second');
    expect(await errorOf(s3.read('one'))).toBe('NoSuchKey');
    expect(await errorOf(s3.client.send(new HeadObjectCommand({ Bucket, Key: 'one' })))).toBe('NotFound');
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'one' }));
  });

  test('obey conditions', async () => {
    const { ETag = '' } = await s3.put('conditional', '1');
    const create = new PutObjectCommand({ Bucket, Key: 'conditional', Body: '2', IfNoneMatch: '*' });
    expect(await errorOf(s3.client.send(create))).toBe('PreconditionFailed');
    const get = (options: object) =>
      errorOf(s3.client.send(new GetObjectCommand({ Bucket, Key: 'conditional', ...options })));
    expect(await get({ IfMatch: ETag })).toBe('no error');
    expect(await get({ IfMatch: '"other"' })).toBe('PreconditionFailed');
    const url = await getSignedUrl(s3.client, new GetObjectCommand({ Bucket, Key: 'conditional' }));
    expect((await fetch(url, { headers: { 'if-none-match': ETag } })).status).toBe(304);
  });

  test('under any key stay inside of the bucket and apart from each other', async () => {
    const keys = [
      '../../escape',
      'a',
      'a/',
      'a/b',
      'a//b',
      '.',
      '..',
      '%2e',
      'ñ & <x> "y"',
      'a.object',
      '100%',
      'C:\\x',
      'plus+sign',
    ];
    for (const key of keys) await s3.put(`odd/${key}`, key);
    for (const key of keys) expect(String(await s3.read(`odd/${key}`))).toBe(key);
    const { Contents } = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'odd/' }));
    expect(Contents?.map(({ Key }) => Key).sort()).toEqual(keys.map((key) => `odd/${key}`).sort());
    expect((await readdir(s3.dir)).sort()).toEqual(['buckets', 'scratch', 'uploads']);
    expect(await errorOf(s3.put(`odd/${'k'.repeat(1020)}`))).toBe('KeyTooLongError');
  });

  test('stay away when the upload breaks off, and the earlier one stays', async () => {
    await s3.put('broken', 'whole');
    const url = await getSignedUrl(s3.client, new PutObjectCommand({ Bucket, Key: 'broken' }));
    const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': 1000 } });
    const broken = new Promise((done) => request.on('error', () => {}).once('close', done));
    request.write('half');
    const scratch = join(s3.dir, 'scratch');
    await expect.poll(() => readdir(scratch)).toHaveLength(1);
    expect(String(await s3.read('broken'))).toBe('whole');
    request.destroy();
    await broken;
    await expect.poll(() => readdir(scratch)).toEqual([]);
    expect(String(await s3.read('broken'))).toBe('whole');
  });

  test.each([
    [
      'x-amz-content-sha256',
      { 'x-amz-content-sha256': createHash('sha256').update('other').digest('hex') },
      'XAmzContentSHA256Mismatch',
    ],
    ['content-md5', { 'content-md5': createHash('md5').update('other').digest('base64') }, 'BadDigest'],
    ['x-amz-checksum-crc32', { 'x-amz-checksum-crc32': 'AAAAAA==' }, 'BadDigest'],
  ])('are refused when the body is not the one that %s announces', async (name, headers, code) => {
    const own = s3.connect();
    own.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: Record<string, string> }).headers, headers);
        return next(args);
      },
      { step: 'build', priority: 'low', name: 'announce' },
    );
    expect(await errorOf(own.send(new PutObjectCommand({ Bucket, Key: `bad/${name}`, Body: 'body' })))).toBe(code);
    expect(await errorOf(s3.read(`bad/${name}`))).toBe('NoSuchKey');
    own.destroy();
  });
});

test('objects are there after a restart, and the port is free again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-s3-restart-'));
  const start = (port?: number) =>
    startS3({ dir, buckets: [Bucket], log: silentLogger, ...credentials, ...(port === undefined ? {} : { port }) });
  const first = await start();
  const client = new S3Client({
    endpoint: first.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: credentials.accessKeyId, secretAccessKey: credentials.secretAccessKey },
  });
  await client.send(new PutObjectCommand({ Bucket, Key: 'kept', Body: 'still here' }));
  await first.stop();
  await expect(fetch(first.endpoint)).rejects.toThrow();
  const again = await start(first.port);
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'kept' }));
    expect(await Body?.transformToString()).toBe('still here');
  } finally {
    client.destroy();
    await again.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
