import { join } from 'node:path';
import { S3Error } from './s3-error.ts';

const SUFFIX = '.object';
const MAX_SEGMENT = 240;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * The file of a key below a bucket's folder. Each part between slashes is a folder or, the last, a file; whatever is
 * not a letter, a digit, `-` or `_` is escaped, so that no key reaches outside, and the folder `a` of `a/b` is not the
 * file of `a`.
 */
export function pathOfKey(bucketDir: string, key: string): string {
  const segments = key.split('/').map(escapeSegment);
  if (Buffer.byteLength(key) > 1024 || segments.some((segment) => segment.length > MAX_SEGMENT)) {
    throw new S3Error('KeyTooLongError', 'Your key is too long.');
  }
  return join(bucketDir, ...segments) + SUFFIX;
}

/**
 * The key of a file, from its path below the bucket's folder with `/` between the parts; null when it holds no object.
 */
export function keyOfPath(path: string): string | null {
  if (!path.endsWith(SUFFIX)) return null;
  return path
    .slice(0, -SUFFIX.length)
    .split('/')
    .map((segment) => (segment === '%' ? '' : decodeURIComponent(segment)))
    .join('/');
}

/** @throws S3Error when it is no name of a bucket, so that it may be the name of a folder. */
export function requireBucketName(name: string): string {
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
