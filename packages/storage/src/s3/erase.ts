import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { type AjustesS3, createS3Client, settingsS3Of } from './client.ts';
import { abortUploads, ensureBucket } from './s3-store.ts';

/** An object of a bucket, or one of its versions, or the mark that a deletion left. */
interface Stored {
  readonly key: string;
  readonly version: string | undefined;
}

/** Deletions on their way at the same time. */
const CONCURRENCY = 8;
/** What storages answer that know nothing of versions. */
const WITHOUT_VERSIONS = [400, 404, 405, 501];
const EVER = new Date(8_640_000_000_000_000);

/** Object store that can delete for good, earlier versions of an object included. */
export interface Eraser {
  /** True when the bucket keeps overwritten and deleted objects. Rejects when the bucket does not exist. */
  open(signal: AbortSignal): Promise<{ readonly hasVersions: boolean }>;
  /**
   * Deletes what begins with a key, every version of it and uploads that never ended, and looks again. Returns how many
   * objects, versions and marks were deleted. Rejects when any is still there: something in the storage holds it.
   */
  erase(prefix: string): Promise<number>;
  /** The keys of everything that is in the bucket, versions too. */
  keys(): AsyncIterable<string>;
  close(): void;
}

/** Opens the storage of a process's settings to delete from it. */
export function openEraser(ajustes: AjustesS3): Eraser {
  const settings = settingsS3Of(ajustes);
  const client = createS3Client(settings, settings.endpoint);
  const { bucket } = settings;
  let hasVersions = true;

  return {
    async open(signal) {
      await ensureBucket(client, bucket, false, signal);
      hasVersions = await keepsVersions(client, bucket, signal);
      return { hasVersions };
    },
    async erase(prefix) {
      let gone = 0;
      let some: Stored[] = [];
      const remove = async () => {
        await Promise.all(
          some.map(({ key, version }) =>
            client.send(
              new DeleteObjectCommand({
                Bucket: bucket,
                Key: key,
                ...(version === undefined ? {} : { VersionId: version }),
              }),
            ),
          ),
        );
        gone += some.length;
        some = [];
      };
      for await (const stored of list(client, bucket, prefix, hasVersions)) {
        some.push(stored);
        if (some.length === CONCURRENCY) await remove();
      }
      await remove();
      gone += await abortUploads(client, bucket, prefix, EVER);
      for await (const { key } of list(client, bucket, prefix, hasVersions))
        throw new Error(`the storage still has ${key} after its deletion`);
      return gone;
    },
    async *keys() {
      for await (const { key } of list(client, bucket, '', hasVersions)) yield key;
    },
    close: () => client.destroy(),
  };
}

async function keepsVersions(client: S3Client, bucket: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }), { abortSignal: signal });
    return Status !== undefined;
  } catch (error) {
    if (error instanceof S3ServiceException && WITHOUT_VERSIONS.includes(error.$metadata.httpStatusCode ?? 0))
      return false;
    throw error;
  }
}

async function* list(client: S3Client, bucket: string, prefix: string, versions: boolean): AsyncGenerator<Stored> {
  if (!versions) {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
      for (const { Key } of Contents) if (Key !== undefined) yield { key: Key, version: undefined };
    return;
  }
  let from: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | null = {};
  while (from !== null) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...from }),
    );
    for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
      if (Key !== undefined) yield { key: Key, version: VersionId };
    from =
      page.IsTruncated === true ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : null;
  }
}
