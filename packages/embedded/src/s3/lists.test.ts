import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { Bucket, errorOf, useS3 } from './testing/s3-fixture.ts';

const s3 = useS3();

describe('lists', () => {
  const Prefix = 'list/';
  const keys = ['a', 'b/1', 'b/2', 'b-', 'c/x/1', 'c/y', 'd', 'ñ'].map((key) => `${Prefix}${key}`);
  beforeAll(async () => {
    for (const key of keys) await s3.put(key);
  });

  /** What stands in all pages of a list: of each page the keys, then what was rolled up. */
  async function everyPage(options: { MaxKeys: number; Delimiter?: string }): Promise<(string | undefined)[]> {
    const found: (string | undefined)[] = [];
    for await (const page of paginateListObjectsV2({ client: s3.client }, { Bucket, Prefix, ...options })) {
      found.push(...(page.Contents ?? []).map(({ Key }) => Key));
      found.push(...(page.CommonPrefixes ?? []).map((each) => each.Prefix));
    }
    return found;
  }

  test('are in the order of bytes, page by page', async () => {
    expect(await everyPage({ MaxKeys: 3 })).toEqual(
      [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  test('roll up at the delimiter, on any page', async () => {
    const entries = await everyPage({ MaxKeys: 1, Delimiter: '/' });
    expect(entries).toEqual(['a', 'b-', 'b/', 'c/', 'd', 'ñ'].map((entry) => `${Prefix}${entry}`));
  });

  test('hold what stays while a folder beside it comes and goes', async () => {
    await s3.put('restless/stays');
    const list = () => s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'restless/' }));
    let isOver = false;
    const churn = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const Key = `restless/${n % 7}/deep/er`;
        await s3.put(Key);
        await s3.client.send(new DeleteObjectCommand({ Bucket, Key }));
      }
    })();
    try {
      for (let n = 0; n < 150; n += 1)
        expect((await list()).Contents?.map(({ Key }) => Key)).toContain('restless/stays');
    } finally {
      isOver = true;
      await churn;
    }
  });

  test('begin after a key, and a prefix need not end at a slash', async () => {
    const page = await s3.client.send(
      new ListObjectsV2Command({ Bucket, Prefix: `${Prefix}b`, StartAfter: `${Prefix}b/1` }),
    );
    expect(page.Contents?.map(({ Key }) => Key)).toEqual([`${Prefix}b/2`]);
  });

  test('of keys delete many at once', async () => {
    const Objects = ['x&1', 'x<2>', 'never'].map((Key) => ({ Key: `many/${Key}` }));
    for (const { Key } of Objects.slice(0, 2)) await s3.put(Key);
    const { Deleted } = await s3.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted).toEqual(Objects);
    expect((await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'many/' }))).KeyCount).toBe(0);
  });

  test('of buckets: made, seen, deleted when empty', async () => {
    await s3.client.send(new CreateBucketCommand({ Bucket: 'second' }));
    await s3.client.send(new HeadBucketCommand({ Bucket: 'second' }));
    await s3.client.send(new PutObjectCommand({ Bucket: 'second', Key: 'k/k', Body: '1' }));
    const { Buckets } = await s3.client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket, 'second']);
    expect(await errorOf(s3.client.send(new DeleteBucketCommand({ Bucket: 'second' })))).toBe('BucketNotEmpty');
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'second', Key: 'k/k' }));
    await s3.client.send(new DeleteBucketCommand({ Bucket: 'second' }));
    expect(await errorOf(s3.client.send(new ListObjectsV2Command({ Bucket: 'second' })))).toBe('NoSuchBucket');
    expect(await errorOf(s3.client.send(new CreateBucketCommand({ Bucket: 'No_Such-Name' })))).toBe(
      'InvalidBucketName',
    );
  });

  test('of features that are not offered name the feature', async () => {
    expect(await errorOf(s3.client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })))).toBe(
      'NotImplemented',
    );
  });
});
