import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { keyOfPath, pathOfKey, requireBucketName } from './key-path.ts';
import { S3Error } from './s3-error.ts';

/** Where buckets, objects and unfinished uploads live below one folder. */
export interface Store {
  readonly scratch: string;
  createBucket(bucket: string): Promise<void>;
  deleteBucket(bucket: string): Promise<void>;
  /** Name and moment of creation (ms since 1970) of each bucket, by name. */
  buckets(): Promise<readonly { readonly name: string; readonly createdAt: number }[]>;
  /** @throws S3Error NoSuchBucket */
  requireBucket(bucket: string): Promise<void>;
  objectPath(bucket: string, key: string): string;
  uploadDir(uploadId: string): string;
  uploadsDir: string;
  deleteObject(bucket: string, key: string): Promise<void>;
  /** All keys of a bucket that begin with a prefix, in the order of their UTF-8 bytes. */
  keys(bucket: string, prefix: string): Promise<string[]>;
}

/** Opens the folder, making what is missing. */
export async function openStore(dir: string): Promise<Store> {
  const bucketsDir = join(dir, 'buckets');
  const uploadsDir = join(dir, 'uploads');
  const scratch = join(dir, 'scratch');
  await rm(scratch, { recursive: true, force: true });
  await Promise.all([bucketsDir, uploadsDir, scratch].map((path) => mkdir(path, { recursive: true, mode: 0o700 })));
  const dirOf = (bucket: string) => join(bucketsDir, requireBucketName(bucket));
  const exists = async (bucket: string) => (await stat(dirOf(bucket)).catch(() => undefined))?.isDirectory() === true;

  return {
    scratch,
    uploadsDir,
    async createBucket(bucket) {
      await mkdir(dirOf(bucket), { recursive: true });
    },
    async deleteBucket(bucket) {
      await rmdir(dirOf(bucket)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTEMPTY')
          throw new S3Error('BucketNotEmpty', 'The bucket you tried to delete is not empty.');
        throw error;
      });
    },
    async buckets() {
      const names = (await readdir(bucketsDir)).sort();
      return Promise.all(
        names.map(async (name) => ({ name, createdAt: (await stat(join(bucketsDir, name))).birthtimeMs })),
      );
    },
    async requireBucket(bucket) {
      if (!(await exists(bucket))) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist.');
    },
    objectPath: (bucket, key) => pathOfKey(dirOf(bucket), key),
    uploadDir(uploadId) {
      if (!/^[0-9a-f]{32}$/.test(uploadId))
        throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
      return join(uploadsDir, uploadId);
    },
    async deleteObject(bucket, key) {
      const path = pathOfKey(dirOf(bucket), key);
      await rm(path, { force: true });
      await removeEmptyFolders(dirname(path), dirOf(bucket));
    },
    async keys(bucket, prefix) {
      const root = dirOf(bucket);
      const start = dirname(pathOfKey(root, `${prefix.slice(0, prefix.lastIndexOf('/') + 1)}x`));
      return (await filesBelow(start))
        .map((path) => keyOfPath(relative(root, path).split(sep).join('/')))
        .filter((key) => key !== null)
        .filter((key) => key.startsWith(prefix))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    },
  };
}

/** Every file below a folder. A folder that is deleted meanwhile has none, and hides none beside it. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

async function removeEmptyFolders(from: string, root: string): Promise<void> {
  for (let dir = from; dir !== root && dir.startsWith(root); dir = dirname(dir)) {
    try {
      await rmdir(dir);
    } catch {
      return;
    }
  }
}
