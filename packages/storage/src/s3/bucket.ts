import { CreateBucketCommand, HeadBucketCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';

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
export function hasStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof S3ServiceException && statuses.includes(error.$metadata.httpStatusCode ?? 0);
}
