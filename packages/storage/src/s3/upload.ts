import type { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { mediaTypeOf } from '../keys.ts';
import type { PaquetesS3Settings } from './settings.ts';

/**
 * Sends a body in parts. When the body fails, the storage fails or the signal is raised, the parts are given up and the
 * first of those errors is thrown, after everything on its way has ended: nothing can become visible behind the
 * caller's back. (lib-storage's own abort rejects at once and lets requests run on, and its failure to abort hides the
 * first error.)
 */
export async function upload(
  client: S3Client,
  settings: Pick<PaquetesS3Settings, 'bucket' | 'partBytes' | 'partConcurrency'>,
  key: string,
  body: Readable,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  // What a failed body does to the upload comes out of `done`; the event itself needs no more than a listener.
  body.on('error', () => undefined);
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
    await sending.done();
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
