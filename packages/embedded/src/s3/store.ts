import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3Error } from './exchange.ts';

/** Where buckets, objects and unfinished uploads live below one folder. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens the folder, and creates missing ones. */
export async function openStore(dir: string) {
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
    async createBucket(bucket: string) {
      await mkdir(dirOf(bucket), { recursive: true });
    },
    async deleteBucket(bucket: string) {
      await rmdir(dirOf(bucket)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTEMPTY')
          throw new S3Error('BucketNotEmpty', 'The bucket you tried to delete is not empty.');
        throw error;
      });
    },
    /** Name and moment of creation (ms since 1970) of each bucket, by name. */
    async buckets() {
      const names = (await readdir(bucketsDir)).sort();
      return Promise.all(
        names.map(async (name) => ({ name, createdAt: (await stat(join(bucketsDir, name))).birthtimeMs })),
      );
    },
    /** @throws S3Error NoSuchBucket */
    async requireBucket(bucket: string) {
      if (!(await exists(bucket))) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist.');
    },
    objectPath: (bucket: string, key: string) => pathOfKey(dirOf(bucket), key),
    uploadDir(uploadId: string) {
      if (!/^[0-9a-f]{32}$/.test(uploadId))
        throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
      return join(uploadsDir, uploadId);
    },
    async deleteObject(bucket: string, key: string) {
      const path = pathOfKey(dirOf(bucket), key);
      await rm(path, { force: true });
      await removeEmptyFolders(dirname(path), dirOf(bucket));
    },
    /** All keys of a bucket that begin with a prefix, in the order of their UTF-8 bytes. */
    async keys(bucket: string, prefix: string) {
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

const SUFFIX = '.object';
const MAX_SEGMENT = 240;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * The file of a key below a bucket's folder. Each part between slashes is a folder or, the last, a file; whatever is
 * not a letter, a digit, `-` or `_` is escaped, so that no key reaches outside, and the folder `a` of `a/b` is not the
 * file of `a`.
 */
function pathOfKey(bucketDir: string, key: string): string {
  const segments = key.split('/').map(escapeSegment);
  if (Buffer.byteLength(key) > 1024 || segments.some((segment) => segment.length > MAX_SEGMENT)) {
    throw new S3Error('KeyTooLongError', 'Your key is too long.');
  }
  return join(bucketDir, ...segments) + SUFFIX;
}

/**
 * The key of a file, from its path below the bucket's folder with `/` between the parts; null when it holds no object.
 */
function keyOfPath(path: string): string | null {
  if (!path.endsWith(SUFFIX)) return null;
  return path
    .slice(0, -SUFFIX.length)
    .split('/')
    .map((segment) => (segment === '%' ? '' : decodeURIComponent(segment)))
    .join('/');
}

/** @throws S3Error when it is no name of a bucket, so that it may be the name of a folder. */
function requireBucketName(name: string): string {
  if (!BUCKET.test(name) || name.includes('..'))
    throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.');
  return name;
}

function escapeSegment(segment: string): string {
  if (segment === '') return '%';
  return encodeURIComponent(segment).replace(
    /[.!~*'()]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Metadata of an object. */
export interface ObjectMeta {
  readonly size: number;
  /** With its quotes. */
  readonly etag: string;
  /** ms since 1970. */
  readonly modifiedAt: number;
  /** Content-Type and the like, and x-amz-meta-*, as they are answered. */
  readonly headers: Readonly<Record<string, string>>;
}

const FOOTER_BYTES = 4;
const MAX_META_BYTES = 64 * 1024;
const READ_AHEAD = 256 * 1024;

/**
 * Writes an object: content, then its metadata as JSON, then the length of that JSON (4 bytes). One file, so that a
 * rename makes both appear at once, when they are on disk; an upload that fails leaves nothing. Its ETag is the MD5 of
 * the content unless another is given.
 */
export async function writeObject(
  path: string,
  scratch: string,
  stages: readonly [Readable, ...Transform[]],
  known: Pick<ObjectMeta, 'modifiedAt' | 'headers'> & Partial<Pick<ObjectMeta, 'etag'>>,
): Promise<ObjectMeta> {
  const draft = join(scratch, randomUUID());
  await mkdir(scratch, { recursive: true });
  try {
    const md5 = createHash('md5');
    let size = 0;
    const counter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        md5.update(chunk);
        size += chunk.length;
        done(null, chunk);
      },
    });
    await pipeline([...stages, counter, createWriteStream(draft, { flags: 'wx', highWaterMark: READ_AHEAD })]);
    const meta = { size, etag: `"${md5.digest('hex')}"`, ...known };
    await appendMeta(draft, meta);
    await moveInto(draft, path);
    return meta;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Opens an object, or returns null. The caller closes it, or the end of a stream of its content does. An open object
 * stays readable when it is replaced or deleted.
 */
export async function openObject(path: string) {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return null;
    throw error;
  });
  if (!file) return null;
  try {
    const meta = await readMeta(file);
    return {
      meta,
      /** The bytes from `start` to `end`, both included. */
      stream: (start: number, end: number) => file.createReadStream({ start, end, highWaterMark: READ_AHEAD }),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function appendMeta(path: string, meta: ObjectMeta): Promise<void> {
  const json = Buffer.from(JSON.stringify(meta));
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeUInt32BE(json.length);
  const file = await open(path, 'a');
  try {
    await file.appendFile(Buffer.concat([json, footer]));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Deleting the last object of a folder removes the folder, perhaps in this very moment. */
async function moveInto(draft: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await mkdir(dirname(path), { recursive: true });
    try {
      return await rename(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 5) throw error;
    }
  }
}

async function readMeta(file: FileHandle): Promise<ObjectMeta> {
  const { size } = await file.stat();
  const footer = await readAt(file, size - FOOTER_BYTES, FOOTER_BYTES);
  const length = footer.length === FOOTER_BYTES ? footer.readUInt32BE() : Number.POSITIVE_INFINITY;
  if (length > MAX_META_BYTES) throw new S3Error('InternalError', 'The stored object is damaged.');
  return JSON.parse((await readAt(file, size - FOOTER_BYTES - length, length)).toString('utf8'));
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, position));
  return buffer.subarray(0, bytesRead);
}
