import type { Paquetes } from '@acuse/core';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { mediaTypeOf } from '../keys.ts';

/** The longest life that a presigned URL of version 4 can have: seven days. */
const MAX_TTL_SECONDS = 604_800;
const MODEL_KEY = 'x';

/**
 * Makes URLs that give an object as a download until `expiraEn`: `ttlSeconds` after `now`, or sooner when the credentials
 * that sign it live shorter, since the URL dies with them. The SDK makes the first URL and thereby decides address and
 * region; the others repeat it with another key, a tenth of the work. The signer derives its key once a day.
 */
export function createPresign(client: S3Client, bucket: string, now: () => Date): Paquetes['presign'] {
  const signer = new S3RequestPresigner({ ...client.config });
  let model: URL | undefined;
  return async (key, { filename, ttlSeconds }) => {
    const { expiration } = await client.config.credentials();
    // The date that is signed has whole seconds.
    const signedAt = Math.floor(now().getTime() / 1000);
    const left = expiration === undefined ? MAX_TTL_SECONDS : Math.floor(expiration.getTime() / 1000) - signedAt;
    const ttl = Math.min(Math.floor(ttlSeconds), MAX_TTL_SECONDS, left);
    if (ttl < 1) throw new RangeError(`no URL can live for ${ttl} seconds`);
    model ??= new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: MODEL_KEY })));
    const { protocol, hostname, port, host, pathname, searchParams } = model;
    const [, , signingRegion = ''] = searchParams.get('X-Amz-Credential')?.split('/') ?? [];
    const path = pathname.slice(0, -MODEL_KEY.length) + key.split('/').map(escaped).join('/');
    const { query = {} } = await signer.presign(
      {
        method: 'GET',
        protocol,
        hostname,
        ...(port === '' ? {} : { port: Number(port) }),
        path,
        headers: { host },
        query: {
          'x-id': 'GetObject',
          'response-content-type': mediaTypeOf(key),
          'response-content-disposition': attachment(filename),
        },
      },
      { expiresIn: ttl, signingDate: new Date(signedAt * 1000), signingRegion, signingService: 's3' },
    );
    const search = Object.keys(query)
      .sort()
      .map((name) => `${escaped(name)}=${escaped(String(query[name]))}`);
    return { url: `${protocol}//${host}${path}?${search.join('&')}`, expiraEn: new Date((signedAt + ttl) * 1000) };
  };
}

/** Every byte but the unreserved ones of RFC 3986, as version 4 of the signature demands. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

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
