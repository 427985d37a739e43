import type { ManifestSigner } from '@acuse/core';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { PaqueteLimits } from '../zip/sat-package.ts';

export interface PaquetesS3Settings {
  /** Address of the storage for us, such as `http://127.0.0.1:9000`. Without it, Amazon's of the region. */
  readonly endpoint?: string | undefined;
  /** Address of the storage for callers, which presigned URLs get (`{download_url}`). Without it, `endpoint`. */
  readonly publicEndpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** `https://host/bucket/key` in place of `https://bucket.host/key`: what most compatible storage wants. */
  readonly forcePathStyle: boolean;
  /** Fixed credentials. Without them, the SDK's default chain (instance role, shared files, environment). */
  readonly credentials?: S3ClientConfig['credentials'];
  /** Creates the bucket at the first write or ping when it is not there. */
  readonly createBucket: boolean;
  /** Bytes of a part of a multipart upload, at least 5 MiB. An object has at most 10,000 of them. */
  readonly partBytes: number;
  /** Parts on their way at the same time; each is held in memory. */
  readonly partConcurrency: number;
  readonly connectTimeoutMs: number;
  /** Longest time without a byte on a connection in use. */
  readonly socketTimeoutMs: number;
  /** Level of the deflate compression of the ZIP of a solicitud, 0 to 9. Another level, other bytes. */
  readonly compressionLevel: number;
  /** False: the process assembles nothing, and small packages that it stored are not held for that. */
  readonly holdsPackages?: boolean | undefined;
  readonly limits?: Partial<PaqueteLimits> | undefined;
  /** Signs packages with XML. */
  readonly signer?: ManifestSigner | undefined;
}

/** What suits one machine; address, region, bucket and credentials are for the caller to say. */
export const DEFAULT_S3_SETTINGS = {
  forcePathStyle: true,
  createBucket: false,
  partBytes: 5_242_880,
  partConcurrency: 2,
  connectTimeoutMs: 5_000,
  socketTimeoutMs: 60_000,
  compressionLevel: 6,
} as const satisfies Partial<PaquetesS3Settings>;

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

/** The settings of a client by those of a process; `more` is what only that process sets. */
export function settingsS3Of(
  ajustes: AjustesS3,
  more: Partial<Pick<PaquetesS3Settings, 'createBucket' | 'compressionLevel' | 'holdsPackages' | 'signer'>> = {},
): PaquetesS3Settings {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = ajustes;
  return {
    ...DEFAULT_S3_SETTINGS,
    endpoint: ajustes.S3_ENDPOINT,
    publicEndpoint: ajustes.S3_PUBLIC_ENDPOINT,
    region: ajustes.S3_REGION,
    bucket: ajustes.S3_BUCKET,
    forcePathStyle: ajustes.S3_FORCE_PATH_STYLE,
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    ...more,
  };
}

/** A client of the SDK for one of the two addresses of the storage. */
export function createS3Client(settings: PaquetesS3Settings, endpoint: string | undefined): S3Client {
  silenceNodeVersionWarning();
  return new S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(settings.credentials === undefined ? {} : { credentials: settings.credentials }),
    // Several compatible storages refuse the CRC trailers that the SDK adds by default (aws/aws-sdk-js-v3#6810).
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: settings.connectTimeoutMs, socketTimeout: settings.socketTimeoutMs },
  });
}

/**
 * The SDK warns once a process that versions of 2027 will want Node 22; ours is fixed and supports the Node that runs
 * it. It reads this switch and no other, so every other warning still shows.
 */
function silenceNodeVersionWarning(): void {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
}
