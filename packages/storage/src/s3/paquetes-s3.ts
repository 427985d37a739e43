import type { Paquetes } from '@acuse/core';
import { openStoreS3 } from '../documentos-s3.ts';
import { ROOT } from '../keys.ts';
import { paquetesIn } from '../paquetes.ts';
import { DEFAULT_LIMITS } from '../zip/sat-package.ts';
import { type PaquetesS3Settings, settingsS3Of } from './client.ts';
import { abortUploads, ensureBucket } from './s3-store.ts';

/** Object storage as the settings of a process say. Connects on first use. */
export const openPaquetesS3 = (...settings: Parameters<typeof settingsS3Of>): PaquetesS3 =>
  createPaquetesS3(settingsS3Of(...settings));

export interface PaquetesS3 extends Paquetes {
  /** Closes the connections. Nothing may be asked of it afterwards. */
  close(): void;
}

/** Packages in storage that speaks the S3 protocol. Makes no request until it is asked for something. */
export function createPaquetesS3(
  settings: PaquetesS3Settings,
  { now = () => new Date() }: { now?: () => Date } = {},
): PaquetesS3 {
  const { client, store, ...shared } = openStoreS3(settings, now);
  const { bucket } = settings;
  return {
    ...paquetesIn(store, { ...DEFAULT_LIMITS, ...settings.limits }, settings.compressionLevel, settings.signer),
    ...shared,
    sweepUploads: (olderThanSeconds) =>
      abortUploads(client, bucket, ROOT, new Date(now().getTime() - olderThanSeconds * 1000)),
    ping: (signal) => ensureBucket(client, bucket, settings.createBucket, signal),
  };
}
