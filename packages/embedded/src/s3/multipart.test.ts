import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, test } from 'vitest';
import { Bucket, errorOf, MIB, useS3 } from './testing/s3-fixture.ts';

const s3 = useS3();

describe('multipart uploads', () => {
  const Key = 'multi.zip';
  let UploadId: string | undefined;
  beforeEach(async () => {
    ({ UploadId } = await s3.client.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'application/zip' }),
    ));
  });

  const part = (PartNumber: number, Body: Buffer) =>
    s3.client
      .send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
      .then(({ ETag }) => ({ ETag, PartNumber }));
  const complete = (Parts: { ETag: string | undefined; PartNumber: number }[]) =>
    s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

  test('appear whole at their end, in the order of the parts, whichever came first', async () => {
    const bodies = [randomBytes(5 * MIB), randomBytes(5 * MIB + 7), randomBytes(11)];
    const [third, first] = [await part(3, bodies[2] ?? Buffer.alloc(0)), await part(1, bodies[0] ?? Buffer.alloc(0))];
    await part(2, randomBytes(9));
    const second = await part(2, bodies[1] ?? Buffer.alloc(0));
    expect(await errorOf(s3.read(Key))).toBe('NoSuchKey');
    const listed = await s3.client.send(new ListPartsCommand({ Bucket, Key, UploadId }));
    expect(listed.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual(
      bodies.map((body, index) => [index + 1, body.length]),
    );
    const { ETag } = await complete([first, second, third]);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
    expect((await s3.read(Key)).equals(Buffer.concat(bodies))).toBe(true);
    expect((await s3.client.send(new HeadObjectCommand({ Bucket, Key }))).ContentType).toBe('application/zip');
    expect(await errorOf(complete([first]))).toBe('NoSuchUpload');
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key }));
  });

  test('are refused with a wrong, a small or a disordered part', async () => {
    const [one, two] = [await part(1, Buffer.alloc(10)), await part(2, Buffer.alloc(10))];
    expect(await errorOf(complete([{ ...one, ETag: two.ETag?.replace(/^"./, '"z') }]))).toBe('InvalidPart');
    expect(await errorOf(complete([{ ETag: one.ETag, PartNumber: 9 }]))).toBe('InvalidPart');
    expect(await errorOf(complete([one, two]))).toBe('EntityTooSmall');
    expect(await errorOf(complete([two, one]))).toBe('InvalidPartOrder');
    expect(await errorOf(s3.read(Key))).toBe('NoSuchKey');
  });

  test('can be listed and given up', async () => {
    const uploads = async () =>
      (await s3.client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.map((upload) => upload.UploadId) ??
      [];
    expect(await uploads()).toContain(UploadId);
    await s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    expect(await uploads()).not.toContain(UploadId);
    expect(await errorOf(part(1, Buffer.alloc(1)))).toBe('NoSuchUpload');
  });
});
