import { createPaquetesS3, type PaquetesS3 } from './create-paquetes-s3.ts';
import { DEFAULT_S3_SETTINGS, type PaquetesS3Settings } from './settings.ts';

/** The settings of a process that reaches object storage, by their names in the environment. */
export interface AjustesS3 {
  readonly S3_ENDPOINT?: string | undefined;
  readonly S3_PUBLIC_ENDPOINT?: string | undefined;
  readonly S3_REGION: string;
  readonly S3_BUCKET: string;
  /** Without the pair, the SDK's default chain. */
  readonly S3_ACCESS_KEY_ID?: string | undefined;
  readonly S3_SECRET_ACCESS_KEY?: string | undefined;
  readonly S3_FORCE_PATH_STYLE: boolean;
}

/** Object storage as the settings of a process say; `more` is what only that process sets. Connects on first use. */
export function openPaquetesS3(
  ajustes: AjustesS3,
  more: Partial<Pick<PaquetesS3Settings, 'createBucket' | 'compressionLevel'>> = {},
): PaquetesS3 {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = ajustes;
  return createPaquetesS3({
    ...DEFAULT_S3_SETTINGS,
    endpoint: ajustes.S3_ENDPOINT,
    publicEndpoint: ajustes.S3_PUBLIC_ENDPOINT,
    region: ajustes.S3_REGION,
    bucket: ajustes.S3_BUCKET,
    forcePathStyle: ajustes.S3_FORCE_PATH_STYLE,
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    ...more,
  });
}
