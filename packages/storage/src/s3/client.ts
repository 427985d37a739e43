import { S3Client } from '@aws-sdk/client-s3';
import type { PaquetesS3Settings } from './settings.ts';

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
