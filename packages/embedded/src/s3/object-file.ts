import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3Error } from './s3-error.ts';

/** What is known of an object beside its content. */
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
 * rename makes both appear at once, when they are on disk; an upload that fails leaves nothing.
 * @param describe makes the metadata from what was written; `md5` in hexadecimal.
 */
export async function writeObject(
  path: string,
  scratch: string,
  stages: readonly [Readable, ...Transform[]],
  describe: (written: { readonly size: number; readonly md5: string }) => ObjectMeta,
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
    const meta = describe({ size, md5: md5.digest('hex') });
    await appendMeta(draft, meta);
    await moveInto(draft, path);
    return meta;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** An open object. Whoever opens it closes it; a stream of its content closes it at its end. */
export interface OpenObject {
  readonly meta: ObjectMeta;
  /** The bytes from `start` to `end`, both included. */
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/**
 * Opens an object, or gives null when there is none. What is opened stays readable though it be replaced or deleted.
 */
export async function openObject(path: string): Promise<OpenObject | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return null;
    throw error;
  });
  if (!file) return null;
  try {
    const meta = await readMeta(file);
    return {
      meta,
      stream: (start, end) => file.createReadStream({ start, end, highWaterMark: READ_AHEAD }),
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
