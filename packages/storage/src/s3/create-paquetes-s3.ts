import type { Paquetes } from '@acuse/core';
import { assemble } from '../assemble/assemble.ts';
import { originalesPrefix, ROOT, solicitudPrefix } from '../keys.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { saveDocumento } from '../save-documento.ts';
import { findSat, saveSat } from '../save-sat.ts';
import { ensureBucket } from './bucket.ts';
import { createS3Client } from './client.ts';
import { presign } from './presign.ts';
import { createS3Store } from './s3-store.ts';
import type { PaquetesS3Settings } from './settings.ts';
import { abortUploads } from './sweep.ts';

export interface PaquetesS3 extends Paquetes {
  /** Closes the connections. Nothing may be asked of it afterwards. */
  close(): void;
}

/** Packages in storage that speaks the S3 protocol. Makes no request until it is asked for something. */
export function createPaquetesS3(
  settings: PaquetesS3Settings,
  { now = () => new Date() }: { now?: () => Date } = {},
): PaquetesS3 {
  const client = createS3Client(settings, settings.endpoint);
  const publicClient =
    settings.publicEndpoint === undefined ? client : createS3Client(settings, settings.publicEndpoint);
  const store = createS3Store(client, settings);
  const limits = { ...DEFAULT_LIMITS, ...settings.limits };
  const { bucket } = settings;
  return {
    saveSat: (origen, zip, signal) => saveSat(store, limits, origen, zip, signal),
    findSat: (origen, signal) => findSat(store, origen, signal),
    assemble: (plan, signal) => assemble({ store, limits, level: settings.compressionLevel }, plan, signal),
    presign: (objectKey, options) => presign(publicClient, bucket, objectKey, options, now()),
    saveDocumento: (objectKey, bytes, signal) => saveDocumento(store, objectKey, bytes, signal),
    removeDocumento: (objectKey) => store.removePrefix(objectKey),
    remove: (solicitudId, what) =>
      store.removePrefix(what === 'todo' ? solicitudPrefix(solicitudId) : originalesPrefix(solicitudId)),
    sweepUploads: (olderThanSeconds) =>
      abortUploads(client, bucket, ROOT, new Date(now().getTime() - olderThanSeconds * 1000)),
    ping: (signal) => ensureBucket(client, bucket, settings.createBucket, signal),
    close() {
      client.destroy();
      publicClient.destroy();
    },
  };
}
