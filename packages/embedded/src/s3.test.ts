import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { silentLogger } from '@acuse/runtime';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningS3, startS3 } from './s3.ts';

const MIB = 1024 * 1024;
const Bucket = 'paquetes';
const credentials = { accessKeyId: 'acuse-test', secretAccessKey: 'a-secret-of-the-test' };

let dir: string;
let server: RunningS3;
let client: S3Client;
let offsetMs = 0;

function connect(options: Partial<typeof credentials> & { checksums?: 'WHEN_REQUIRED' } = {}): S3Client {
  return new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { ...credentials, ...options },
    ...(options.checksums ? { requestChecksumCalculation: options.checksums } : {}),
  });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'acuse-s3-'));
  server = await startS3({
    dir,
    buckets: [Bucket],
    log: silentLogger,
    now: () => Date.now() + offsetMs,
    ...credentials,
  });
  client = connect();
});
afterEach(() => {
  offsetMs = 0;
});
afterAll(async () => {
  client.destroy();
  await server.stop();
  await rm(dir, { recursive: true });
});

async function read(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const put = (Key: string, Body: string | Buffer = 'x') =>
  client.send(new PutObjectCommand({ Bucket, Key, Body }));
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: Error) => error.name,
  );
const fetchCode = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]];
};

describe('objects', () => {
  test('come back as they were put, with their headers and metadata', async () => {
    const Body = randomBytes(300_000);
    const sent = await client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'a/b.zip',
        Body,
        ContentType: 'application/zip',
        ContentDisposition: 'attachment; filename="b.zip"',
        Metadata: { sha256: 'abc' },
      }),
    );
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'a/b.zip' }));
    expect(head).toMatchObject({
      ContentLength: 300_000,
      ContentType: 'application/zip',
      ContentDisposition: 'attachment; filename="b.zip"',
      Metadata: { sha256: 'abc' },
      ETag: `"${createHash('md5').update(Body).digest('hex')}"`,
    });
    expect(sent.ETag).toBe(head.ETag);
    expect(await read('a/b.zip')).toEqual(Body);
  });

  test('give ranges, and refuse one that lies outside', async () => {
    await put('range', '0123456789');
    const parts = await Promise.all(
      ['bytes=2-4', 'bytes=7-', 'bytes=-3', 'bytes=0-99', 'bytes=4-2'].map((range) => read('range', range)),
    );
    expect(parts.map(String)).toEqual(['234', '789', '789', '0123456789', '0123456789']);
    const { ContentRange } = await client.send(
      new GetObjectCommand({ Bucket, Key: 'range', Range: 'bytes=2-4' }),
    );
    expect(ContentRange).toBe('bytes 2-4/10');
    expect(await errorOf(read('range', 'bytes=10-'))).toBe('InvalidRange');
    expect(await errorOf(read('range', 'bytes=-0'))).toBe('InvalidRange');
  });

  test('may be empty', async () => {
    await put('empty', '');
    expect(await read('empty')).toHaveLength(0);
  });

  test('are replaced, copied and deleted', async () => {
    await put('one', 'first');
    await put('one', 'second');
    await client.send(new CopyObjectCommand({ Bucket, Key: 'two ñ', CopySource: `${Bucket}/one` }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'one' }));
    expect(String(await read('two ñ'))).toBe('second');
    expect(await errorOf(read('one'))).toBe('NoSuchKey');
    expect(await errorOf(client.send(new HeadObjectCommand({ Bucket, Key: 'one' })))).toBe('NotFound');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'one' }));
  });

  test('obey conditions', async () => {
    const { ETag = '' } = await put('conditional', '1');
    const create = new PutObjectCommand({ Bucket, Key: 'conditional', Body: '2', IfNoneMatch: '*' });
    expect(await errorOf(client.send(create))).toBe('PreconditionFailed');
    const get = (options: object) =>
      errorOf(client.send(new GetObjectCommand({ Bucket, Key: 'conditional', ...options })));
    expect(await get({ IfMatch: ETag })).toBe('no error');
    expect(await get({ IfMatch: '"other"' })).toBe('PreconditionFailed');
    const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'conditional' }));
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
    for (const key of keys) await put(`odd/${key}`, key);
    for (const key of keys) expect(String(await read(`odd/${key}`))).toBe(key);
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'odd/' }));
    expect(Contents?.map(({ Key }) => Key).sort()).toEqual(keys.map((key) => `odd/${key}`).sort());
    expect((await readdir(dir)).sort()).toEqual(['buckets', 'scratch', 'uploads']);
    expect(await errorOf(put(`odd/${'k'.repeat(1020)}`))).toBe('KeyTooLongError');
  });

  test('stay away when the upload breaks off, and the earlier one stays', async () => {
    await put('broken', 'whole');
    const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'broken' }));
    await new Promise<void>((resolve) => {
      const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': 1000 } });
      request.on('error', () => {}).on('close', resolve);
      request.write('half', () => request.destroy());
    });
    expect(String(await read('broken'))).toBe('whole');
    await expect.poll(() => readdir(join(dir, 'scratch'))).toEqual([]);
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
    const own = connect();
    own.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: Record<string, string> }).headers, headers);
        return next(args);
      },
      { step: 'build', priority: 'low', name: 'announce' },
    );
    expect(await errorOf(own.send(new PutObjectCommand({ Bucket, Key: `bad/${name}`, Body: 'body' })))).toBe(
      code,
    );
    expect(await errorOf(read(`bad/${name}`))).toBe('NoSuchKey');
    own.destroy();
  });
});

describe('lists', () => {
  const Prefix = 'list/';
  const keys = ['a', 'b/1', 'b/2', 'b-', 'c/x/1', 'c/y', 'd', 'ñ'].map((key) => `${Prefix}${key}`);
  beforeAll(async () => {
    for (const key of keys) await put(key);
  });

  test('are in the order of bytes, page by page', async () => {
    const found: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix,
          MaxKeys: 3,
          ...(ContinuationToken ? { ContinuationToken } : {}),
        }),
      );
      found.push(...(page.Contents ?? []).map(({ Key }) => Key));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
    expect(found).toEqual([...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });

  test('roll up at the delimiter, on any page', async () => {
    const entries: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix,
          Delimiter: '/',
          MaxKeys: 1,
          ...(ContinuationToken ? { ContinuationToken } : {}),
        }),
      );
      entries.push(
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map((each) => each.Prefix),
      );
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
    expect(entries).toEqual(['a', 'b-', 'b/', 'c/', 'd', 'ñ'].map((entry) => `${Prefix}${entry}`));
  });

  test('begin after a key, and a prefix need not end at a slash', async () => {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: `${Prefix}b`, StartAfter: `${Prefix}b/1` }),
    );
    expect(page.Contents?.map(({ Key }) => Key)).toEqual([`${Prefix}b/2`]);
  });

  test('of keys delete many at once', async () => {
    const Objects = ['x&1', 'x<2>', 'never'].map((Key) => ({ Key: `many/${Key}` }));
    for (const { Key } of Objects.slice(0, 2)) await put(Key);
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted).toEqual(Objects);
    expect((await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'many/' }))).KeyCount).toBe(0);
  });

  test('of buckets: made, seen, deleted when empty', async () => {
    await client.send(new CreateBucketCommand({ Bucket: 'second' }));
    await client.send(new HeadBucketCommand({ Bucket: 'second' }));
    await client.send(new PutObjectCommand({ Bucket: 'second', Key: 'k/k', Body: '1' }));
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket, 'second']);
    expect(await errorOf(client.send(new DeleteBucketCommand({ Bucket: 'second' })))).toBe('BucketNotEmpty');
    await client.send(new DeleteObjectCommand({ Bucket: 'second', Key: 'k/k' }));
    await client.send(new DeleteBucketCommand({ Bucket: 'second' }));
    expect(await errorOf(client.send(new ListObjectsV2Command({ Bucket: 'second' })))).toBe('NoSuchBucket');
    expect(await errorOf(client.send(new CreateBucketCommand({ Bucket: 'No_Such-Name' })))).toBe(
      'InvalidBucketName',
    );
  });

  test('of what is not offered say so', async () => {
    expect(await errorOf(client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })))).toBe(
      'NotImplemented',
    );
  });
});

describe('multipart uploads', () => {
  const Key = 'multi.zip';
  let UploadId: string | undefined;
  beforeEach(async () => {
    ({ UploadId } = await client.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'application/zip' }),
    ));
  });

  const part = (PartNumber: number, Body: Buffer) =>
    client
      .send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
      .then(({ ETag }) => ({ ETag, PartNumber }));
  const complete = (Parts: { ETag: string | undefined; PartNumber: number }[]) =>
    client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

  test('appear whole at their end, in the order of the parts, whichever came first', async () => {
    const bodies = [randomBytes(5 * MIB), randomBytes(5 * MIB + 7), randomBytes(11)];
    const [third, first] = [
      await part(3, bodies[2] ?? Buffer.alloc(0)),
      await part(1, bodies[0] ?? Buffer.alloc(0)),
    ];
    await part(2, randomBytes(9));
    const second = await part(2, bodies[1] ?? Buffer.alloc(0));
    expect(await errorOf(read(Key))).toBe('NoSuchKey');
    const listed = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }));
    expect(listed.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual(
      bodies.map((body, index) => [index + 1, body.length]),
    );
    const { ETag } = await complete([first, second, third]);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
    expect((await read(Key)).equals(Buffer.concat(bodies))).toBe(true);
    expect((await client.send(new HeadObjectCommand({ Bucket, Key }))).ContentType).toBe('application/zip');
    expect(await errorOf(complete([first]))).toBe('NoSuchUpload');
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
  });

  test('are refused with a wrong, a small or a disordered part', async () => {
    const [one, two] = [await part(1, Buffer.alloc(10)), await part(2, Buffer.alloc(10))];
    expect(await errorOf(complete([{ ...one, ETag: two.ETag?.replace(/^"./, '"z') }]))).toBe('InvalidPart');
    expect(await errorOf(complete([{ ETag: one.ETag, PartNumber: 9 }]))).toBe('InvalidPart');
    expect(await errorOf(complete([one, two]))).toBe('EntityTooSmall');
    expect(await errorOf(complete([two, one]))).toBe('InvalidPartOrder');
    expect(await errorOf(read(Key))).toBe('NoSuchKey');
  });

  test('can be listed and given up', async () => {
    const uploads = async () =>
      (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.map(
        (upload) => upload.UploadId,
      ) ?? [];
    expect(await uploads()).toContain(UploadId);
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    expect(await uploads()).not.toContain(UploadId);
    expect(await errorOf(part(1, Buffer.alloc(1)))).toBe('NoSuchUpload');
  });
});

describe('signatures', () => {
  const Key = 'secret/paquete.zip';
  const signed = (options: { expiresIn?: number; disposition?: string } = {}) =>
    getSignedUrl(
      client,
      new GetObjectCommand({
        Bucket,
        Key,
        ...(options.disposition ? { ResponseContentDisposition: options.disposition } : {}),
      }),
      { expiresIn: options.expiresIn ?? 60 },
    );
  beforeAll(() => put(Key, 'for the owner only'));

  test('without one nothing is given, whatever is asked', async () => {
    const base = `${server.endpoint}/${Bucket}`;
    expect(await fetchCode(`${base}/${Key}`)).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(`${base}/never-there`)).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(base)).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(server.endpoint)).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(`${base}/new`, { method: 'PUT', body: 'x' })).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(`${base}/${Key}`, { headers: { authorization: 'Basic YTpi' } })).toEqual([
      403,
      'AccessDenied',
    ]);
    expect(await fetchCode(`${base}/${Key}`, { headers: { authorization: 'AWS4-HMAC-SHA256 ' } })).toEqual([
      403,
      'AccessDenied',
    ]);
  });

  test('a signed address opens, with the asked name, for GET only', async () => {
    const url = await signed({ disposition: 'attachment; filename="mi paquete (1).zip"' });
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([200, 'for the owner only']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="mi paquete (1).zip"');
    const part = await fetch(await signed(), { headers: { range: 'bytes=4-6' } });
    expect([part.status, await part.text()]).toEqual([206, 'the']);
    expect(await fetchCode(await signed(), { method: 'DELETE' })).toEqual([403, 'SignatureDoesNotMatch']);
  });

  test('a signed address that was tampered with does not open', async () => {
    await put('secret/other.zip', 'not yours');
    const url = await signed();
    for (const [from, to] of [
      [Key, 'secret/other.zip'],
      ['X-Amz-Expires=60', 'X-Amz-Expires=6000'],
      ['x-id=GetObject', 'x-id=GetObject&response-content-type=text%2Fhtml'],
      [/X-Amz-Signature=../, 'X-Amz-Signature=00'],
      [/X-Amz-Signature=\w+/, 'X-Amz-Signature=zz'],
    ] as const) {
      const changed = url.replace(from, to);
      expect(changed).not.toBe(url);
      expect(await fetchCode(changed)).toEqual([403, 'SignatureDoesNotMatch']);
    }
    expect(await fetchCode(url, { headers: { 'x-amz-meta-extra': '1' } })).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(url.replace('127.0.0.1', 'localhost'))).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await fetchCode(`${url}&%zz`)).toEqual([400, 'InvalidArgument']);
  });

  test('a signed address closes at its second', async () => {
    const url = await signed({ expiresIn: 60 });
    offsetMs = 55_000;
    expect((await fetchCode(url))[0]).toBe(200);
    offsetMs = 61_000;
    expect(await fetchCode(url)).toEqual([403, 'AccessDenied']);
    offsetMs = -16 * 60_000;
    expect(await fetchCode(url)).toEqual([403, 'AccessDenied']);
  });

  test('another key or another secret does not open, in the address or in the headers', async () => {
    for (const [wrong, code] of [
      [{ secretAccessKey: 'guessed' }, 'SignatureDoesNotMatch'],
      [{ accessKeyId: 'someone' }, 'InvalidAccessKeyId'],
    ] as const) {
      const stranger = connect(wrong);
      const get = new GetObjectCommand({ Bucket, Key });
      expect(await fetchCode(await getSignedUrl(stranger, get))).toEqual([403, code]);
      expect(await errorOf(stranger.send(get))).toBe(code);
      expect(
        await errorOf(
          stranger.send(new PutObjectCommand({ Bucket, Key, Body: Readable.from(['x']), ContentLength: 1 })),
        ),
      ).toBe(code);
      stranger.destroy();
    }
    expect(String(await read(Key))).toBe('for the owner only');
  });

  test('signed headers are good for a quarter of an hour', async () => {
    offsetMs = 14 * 60_000;
    expect(String(await read(Key))).toBe('for the owner only');
    offsetMs = 16 * 60_000;
    const other = connect();
    expect(await errorOf(other.send(new GetObjectCommand({ Bucket, Key })))).toBe('RequestTimeTooSkewed');
    other.destroy();
  });
});

test('what was stored is there after a restart, and the port is free again', async () => {
  await put('kept', 'still here');
  await server.stop();
  await expect(fetch(server.endpoint)).rejects.toThrow();
  const again = await startS3({
    dir,
    port: server.port,
    buckets: [Bucket],
    log: silentLogger,
    ...credentials,
  });
  try {
    expect(String(await read('kept'))).toBe('still here');
  } finally {
    await again.stop();
  }
});
