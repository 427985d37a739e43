import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { mediaTypeOf } from '../keys.ts';

/** The longest life that a presigned URL of version 4 can have: seven days. */
const MAX_TTL_SECONDS = 604_800;

/**
 * A URL that gives the object as a download until `expiraEn`: `ttlSeconds` after `now`, or sooner when the credentials
 * that sign it live shorter, since the URL dies with them.
 */
export async function presign(
  client: S3Client,
  bucket: string,
  key: string,
  options: { filename: string; ttlSeconds: number },
  now: Date,
): Promise<{ url: string; expiraEn: Date }> {
  const { expiration } = await client.config.credentials();
  // The date that is signed has whole seconds.
  const signedAt = Math.floor(now.getTime() / 1000);
  const left = expiration === undefined ? MAX_TTL_SECONDS : Math.floor(expiration.getTime() / 1000) - signedAt;
  const ttl = Math.min(Math.floor(options.ttlSeconds), MAX_TTL_SECONDS, left);
  if (ttl < 1) throw new RangeError(`no URL can live for ${ttl} seconds`);
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ResponseContentType: mediaTypeOf(key),
    ResponseContentDisposition: attachment(options.filename),
  });
  const url = await getSignedUrl(client, command, { expiresIn: ttl, signingDate: new Date(signedAt * 1000) });
  return { url, expiraEn: new Date((signedAt + ttl) * 1000) };
}

/** RFC 6266: a name in ASCII for everyone, and the true one in UTF-8 for those who read it. */
function attachment(filename: string): string {
  const ascii = filename
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._ -]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return ascii === filename
    ? `attachment; filename="${ascii}"`
    : `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
