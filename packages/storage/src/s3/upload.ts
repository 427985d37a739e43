import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { mediaTypeOf } from '../keys.ts';
import type { PaquetesS3Settings } from './client.ts';

/**
 * Stores a body: by one request up to `partBytes`, else in parts of that size, whose `partConcurrency` + 1 buffers are
 * used again. When the body fails, the storage fails or the signal is raised, the parts are given up and the first of
 * those errors is thrown, after everything on its way has ended: nothing can become visible behind the caller's back.
 */
export async function upload(
  client: S3Client,
  settings: Pick<PaquetesS3Settings, 'bucket' | 'partBytes' | 'partConcurrency'>,
  key: string,
  body: Readable,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const stopped = { abortSignal: signal };
  const object = { Bucket: settings.bucket, Key: key };
  const typed = { ...object, ContentType: mediaTypeOf(key) };
  const free: Buffer[] = [];
  const sending = new Set<Promise<void>>();
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  let UploadId: string | undefined;

  const stop = (error: unknown) =>
    body.destroy(error instanceof Error ? error : new Error('upload failed', { cause: error }));
  const abort = () => stop(signal.reason);

  async function sendPart(Body: Buffer, part: (typeof Parts)[number]): Promise<void> {
    const { PartNumber } = part;
    const sent = await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber, Body }), stopped);
    part.ETag = sent.ETag;
    free.push(Body);
  }

  signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const { bytes, isLast } of partsOf(body, settings.partBytes, free)) {
      if (isLast && UploadId === undefined) {
        await client.send(new PutObjectCommand({ ...typed, Body: bytes }), stopped);
        return;
      }
      UploadId ??= (await client.send(new CreateMultipartUploadCommand(typed), stopped)).UploadId;
      const part = { PartNumber: Parts.length + 1, ETag: undefined };
      Parts.push(part);
      const sent = sendPart(bytes, part).finally(() => sending.delete(sent));
      sent.catch(stop);
      sending.add(sent);
      if (sending.size === settings.partConcurrency) await Promise.race(sending);
    }
    await Promise.all(sending);
    await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }), stopped);
  } catch (error) {
    stop(error);
    await Promise.allSettled(sending);
    // Storages that cannot give parts up refuse this: the sweep and their own rules see to the parts then.
    if (UploadId !== undefined)
      await client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined);
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The body in parts of `partBytes`, the last with what is left: a small body is held in a small buffer. */
async function* partsOf(
  body: AsyncIterable<Buffer>,
  partBytes: number,
  free: Buffer[],
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }, void, undefined> {
  let part: Buffer = Buffer.alloc(0);
  let at = 0;
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; ) {
      if (at === partBytes) {
        yield { bytes: part, isLast: false };
        part = free.pop() ?? Buffer.allocUnsafeSlow(partBytes);
        at = 0;
      }
      const until = Math.min(chunk.length, from + partBytes - at);
      const needed = at + until - from;
      if (needed > part.length) part = Buffer.concat([part.subarray(0, at)], Math.min(partBytes, 2 * needed));
      at += chunk.copy(part, at, from, until);
      from = until;
    }
  }
  yield { bytes: part.subarray(0, at), isLast: true };
}
