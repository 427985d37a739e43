import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { hasStatus } from './bucket.ts';

/**
 * Gives up every multipart upload under a prefix that began before `before`. Returns how many. Storages that cannot
 * list uploads (405, 501) have none that could be seen, so 0.
 */
export async function abortUploads(client: S3Client, bucket: string, prefix: string, before: Date): Promise<number> {
  let aborted = 0;
  let page: ListMultipartUploadsCommandOutput | null = null;
  do {
    const marker: { KeyMarker?: string; UploadIdMarker?: string } = {
      ...(page?.NextKeyMarker === undefined ? {} : { KeyMarker: page.NextKeyMarker }),
      ...(page?.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }),
    };
    try {
      page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }));
    } catch (error) {
      if (hasStatus(error, 405, 501)) return aborted;
      throw error;
    }
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated >= before) continue;
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
        aborted++;
      } catch (error) {
        // It ended, one way or the other, since it was listed.
        if (!hasStatus(error, 404)) throw error;
      }
    }
  } while (page.IsTruncated === true);
  return aborted;
}
