import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  NoSuchBucket,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { mediaTypeOf } from '../keys.ts';
import type { ObjectStat, ObjectStore } from '../object-store.ts';
import type { PaquetesS3Settings } from './client.ts';
import { TAIL_BYTES, Tails } from './tails.ts';

/** Deletions on their way at the same time. One by one, since not every compatible storage has DeleteObjects. */
const DELETE_CONCURRENCY = 8;

/**
 * Object storage that speaks the S3 protocol. `stat` fetches the end of the object with the same request, and `read`
 * takes it from memory: each request is signed and passes the SDK, a third of the processor time of a small download.
 */
export function createS3Store(client: S3Client, settings: PaquetesS3Settings): ObjectStore {
  const { bucket } = settings;
  let bucketReady = !settings.createBucket;
  const tails = new Tails();

  async function* pagesOf(prefix: string, signal?: AbortSignal): AsyncGenerator<string[], void, undefined> {
    const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }, { abortSignal: signal });
    for await (const { Contents = [] } of pages) yield Contents.flatMap(({ Key }) => Key ?? []);
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += DELETE_CONCURRENCY) {
      const some = keys.slice(at, at + DELETE_CONCURRENCY);
      for (const key of some) tails.delete(key);
      await Promise.all(some.map((Key) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))));
    }
  }

  return {
    async stat(key, signal, mayBeHeld = false) {
      const written = mayBeHeld ? tails.written(key) : null;
      if (written !== null) return written;
      try {
        const tail = { Bucket: bucket, Key: key, Range: `bytes=-${TAIL_BYTES}` };
        const { Body, ...got } = await client.send(new GetObjectCommand(tail), { abortSignal: signal });
        if (!(Body instanceof Readable)) throw new Error(`${key} came without a body`);
        const version = got.ETag ?? '';
        const bytes = Number(got.ContentRange?.split('/')[1] ?? got.ContentLength ?? 0);
        // Storage may ignore the range and send a large object whole.
        if ((got.ContentLength ?? 0) > TAIL_BYTES) Body.destroy();
        else {
          // A body that is cut off is read again by ranges.
          const body = await readAll(Body).catch(() => null);
          const isWhole = body?.length === Math.min(bytes, TAIL_BYTES);
          if (version !== '' && isWhole) tails.set(key, version, bytes - body.length, body);
        }
        return { bytes, version };
      } catch (error) {
        // No byte can be read of an object without any.
        if (hasStatus(error, 416)) return statByHead(client, bucket, key, signal);
        if (isMissing(error, settings)) return null;
        throw error;
      }
    },

    read(key, version, range, signal) {
      const held = tails.read(key, version, range);
      if (held !== null) return Readable.from([held], { objectMode: false });
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
      // What a failed body does to the upload is thrown here; the event itself needs no more than a listener.
      body.on('error', () => undefined);
      if (!bucketReady) {
        await ensureBucket(client, bucket, true, signal);
        bucketReady = true;
      }
      tails.delete(key);
      return upload(client, settings, key, body, signal);
    },

    hold(key, version, bytes) {
      if (version !== '' && settings.holdsPackages !== false) tails.set(key, version, 0, bytes, true);
    },

    async list(prefix, signal) {
      const all: string[] = [];
      for await (const keys of pagesOf(prefix, signal)) all.push(...keys);
      return all;
    },

    remove,

    async removePrefix(prefix) {
      for await (const keys of pagesOf(prefix)) await remove(keys);
      await abortUploads(client, bucket, prefix, new Date(8_640_000_000_000_000));
    },
  };
}

async function statByHead(client: S3Client, bucket: string, key: string, signal: AbortSignal): Promise<ObjectStat> {
  const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal });
  return { bytes: head.ContentLength ?? 0, version: head.ETag ?? '' };
}

/** The object is not there. A bucket that is not there counts only where it may be created. */
const isMissing = (error: unknown, { createBucket }: PaquetesS3Settings) =>
  hasStatus(error, 404) && (createBucket || !(error instanceof NoSuchBucket));

/** How often in a row a body may break off without having given a byte. */
const MAX_FRUITLESS = 3;

/**
 * The bytes of a range, fetched again from where it broke off when a connection is cut. `open` asks for the bytes from
 * an offset to the end of the range; what it rejects with is final.
 */
async function* readRange(
  open: (start: number) => Promise<Readable>,
  range: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let at = range.start;
  let fruitless = 0;
  while (at < range.end) {
    const before = at;
    const body = await open(at);
    let failure: unknown = new Error(`the storage ended a body before byte ${range.end}`);
    const stop = () => body.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of body) {
        const wanted = (chunk as Buffer).subarray(0, range.end - at);
        at += wanted.length;
        if (wanted.length > 0) yield wanted;
        if (at === range.end) return;
      }
    } catch (error) {
      failure = error;
    } finally {
      signal.removeEventListener('abort', stop);
      body.destroy();
    }
    signal.throwIfAborted();
    fruitless = at > before ? 0 : fruitless + 1;
    if (fruitless === MAX_FRUITLESS) throw failure;
  }
}

/**
 * Sends a body in parts. When the body fails, the storage fails or the signal is raised, the parts are given up and the
 * first of those errors is thrown, after everything on its way has ended: nothing can become visible behind the
 * caller's back. (lib-storage's own abort rejects at once and lets requests run on, and its failure to abort hides the
 * first error.)
 */
async function upload(
  client: S3Client,
  settings: Pick<PaquetesS3Settings, 'bucket' | 'partBytes' | 'partConcurrency'>,
  key: string,
  body: Readable,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const stop = () => body.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', stop, { once: true });
  const params = { Bucket: settings.bucket, Key: key, Body: body, ContentType: mediaTypeOf(key) };
  const sending = new Upload({
    client: stoppable(client, signal),
    params,
    partSize: settings.partBytes,
    queueSize: settings.partConcurrency,
  });
  try {
    return (await sending.done()).ETag ?? '';
  } catch (error) {
    body.destroy(error instanceof Error ? error : new Error('upload failed', { cause: error }));
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * The client, with every request ended by the signal, except the one that gives the parts up. Storages that cannot give
 * parts up refuse that one; the sweep and the storage's own rules have to see to the parts then, and the error that led
 * to it counts.
 */
function stoppable(client: S3Client, signal: AbortSignal): S3Client {
  const send = async (command: Parameters<S3Client['send']>[0]): Promise<unknown> => {
    if (!(command instanceof AbortMultipartUploadCommand)) return client.send(command, { abortSignal: signal });
    return client.send(command).catch(() => undefined);
  };
  return Object.assign(Object.create(client) as S3Client, { send });
}

/** Asks for the bucket. Rejects when it does not answer, or is not there and may not be created. */
export async function ensureBucket(
  client: S3Client,
  bucket: string,
  mayCreate: boolean,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: signal });
  } catch (error) {
    if (!mayCreate || !hasStatus(error, 404)) throw error;
    await createBucket(client, bucket, signal);
  }
}

async function createBucket(client: S3Client, bucket: string, signal: AbortSignal): Promise<void> {
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }), { abortSignal: signal });
  } catch (error) {
    // Another process was faster.
    if (hasStatus(error, 409)) return;
    throw error;
  }
}

/** True when the storage answered, and with one of these HTTP statuses. */
function hasStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof S3ServiceException && statuses.includes(error.$metadata.httpStatusCode ?? 0);
}

/**
 * Gives up every multipart upload under a prefix that began before `before`. Returns how many. Storages that cannot
 * list uploads (405, 501) have none that could be seen, so 0.
 */
export async function abortUploads(client: S3Client, bucket: string, prefix: string, before: Date): Promise<number> {
  let aborted = 0;
  let page: ListMultipartUploadsCommandOutput | null = null;
  do {
    const marker: { KeyMarker?: string; UploadIdMarker?: string } = {
      ...(page?.NextKeyMarker === undefined ? {} : { KeyMarker: page.NextKeyMarker }),
      ...(page?.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }),
    };
    try {
      page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }));
    } catch (error) {
      if (hasStatus(error, 405, 501)) return aborted;
      throw error;
    }
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated >= before) continue;
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
        aborted++;
      } catch (error) {
        // It ended, one way or the other, since it was listed.
        if (!hasStatus(error, 404)) throw error;
      }
    }
  } while (page.IsTruncated === true);
  return aborted;
}
