import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectStore } from '../object-store.ts';
import { ensureBucket, hasStatus } from './bucket.ts';
import { readRange } from './read-range.ts';
import type { PaquetesS3Settings } from './settings.ts';
import { abortUploads } from './sweep.ts';
import { upload } from './upload.ts';

/** Deletions on their way at the same time. One by one, since not every compatible storage has DeleteObjects. */
const DELETE_CONCURRENCY = 8;

/** Object storage that speaks the S3 protocol. */
export function createS3Store(client: S3Client, settings: PaquetesS3Settings): ObjectStore {
  const { bucket } = settings;
  let bucketReady = !settings.createBucket;

  return {
    async stat(key, signal) {
      try {
        const command = new HeadObjectCommand({ Bucket: bucket, Key: key });
        const head = await client.send(command, { abortSignal: signal });
        return { bytes: head.ContentLength ?? 0, version: head.ETag ?? '' };
      } catch (error) {
        if (hasStatus(error, 404)) return null;
        throw error;
      }
    },

    read(key, version, range, signal) {
      const open = async (start: number): Promise<Readable> => {
        const got = await client.send(
          new GetObjectCommand({
            Bucket: bucket,
            Key: key,
            Range: `bytes=${start}-${range.end - 1}`,
            ...(version === '' ? {} : { IfMatch: version }),
          }),
          { abortSignal: signal },
        );
        if (!(got.Body instanceof Readable)) throw new Error(`${key} came without a body`);
        return got.Body;
      };
      return Readable.from(readRange(open, range, signal), { objectMode: false, highWaterMark: 1_048_576 });
    },

    async write(key, body, signal) {
      if (!bucketReady) {
        await ensureBucket(client, bucket, true, signal);
        bucketReady = true;
      }
      await upload(client, settings, key, body, signal);
    },

    async removePrefix(prefix) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
        for (let at = 0; at < keys.length; at += DELETE_CONCURRENCY) {
          const some = keys.slice(at, at + DELETE_CONCURRENCY);
          await Promise.all(some.map((Key) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))));
        }
      }
      await abortUploads(client, bucket, prefix, new Date(8_640_000_000_000_000));
    },
  };
}
