import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { PaqueteLimits } from '../limits.ts';

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
  readonly limits?: Partial<PaqueteLimits> | undefined;
}

/** What suits one machine; address, region, bucket and credentials are for the caller to say. */
export const DEFAULT_S3_SETTINGS = {
  forcePathStyle: true,
  createBucket: false,
  partBytes: 8_388_608,
  partConcurrency: 2,
  connectTimeoutMs: 5_000,
  socketTimeoutMs: 60_000,
  compressionLevel: 6,
} as const satisfies Partial<PaquetesS3Settings>;
