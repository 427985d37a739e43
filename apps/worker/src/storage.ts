import { createPaquetesS3, DEFAULT_S3_SETTINGS, type PaquetesS3 } from '@acuse/storage';
import type { WorkerConfig } from './config.ts';

/** Object storage as the settings say. */
export function openStorage(config: WorkerConfig): PaquetesS3 {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return createPaquetesS3({
    ...DEFAULT_S3_SETTINGS,
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    createBucket: config.S3_CREATE_BUCKET,
    compressionLevel: config.ZIP_LEVEL,
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}
