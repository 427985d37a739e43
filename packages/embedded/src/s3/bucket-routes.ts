import { type Exchange, elements, group, queryNumber, sendEmpty, sendXml, tag, textOf } from './exchange.ts';
import { readDocument } from './incoming-body.ts';
import { encode } from './sigv4.ts';
import { openObject } from './store.ts';

/** ListBuckets. */
export async function listBuckets(exchange: Exchange): Promise<void> {
  const buckets = (await exchange.store.buckets()).map(({ name, createdAt }) =>
    group('Bucket', tag('Name', name), tag('CreationDate', new Date(createdAt).toISOString())),
  );
  sendXml(exchange, 'ListAllMyBucketsResult', group('Buckets', ...buckets));
}

/** CreateBucket; also 200 when it is there. */
export async function createBucket(exchange: Exchange): Promise<void> {
  await exchange.store.createBucket(exchange.bucket);
  sendEmpty(exchange, 200, { location: `/${exchange.bucket}` });
}

/** HeadBucket. */
export async function headBucket(exchange: Exchange): Promise<void> {
  sendEmpty(exchange, 200, { 'x-amz-bucket-region': 'us-east-1' });
}

/** DeleteBucket: only an empty one. */
export async function deleteBucket(exchange: Exchange): Promise<void> {
  await exchange.store.deleteBucket(exchange.bucket);
  sendEmpty(exchange, 204);
}

/** GetBucketLocation. */
export async function getLocation(exchange: Exchange): Promise<void> {
  sendXml(exchange, 'LocationConstraint');
}

/** ListObjectsV2, and ListObjects when `list-type` is not 2. */
export async function listObjects(exchange: Exchange): Promise<void> {
  const { store, bucket, query } = exchange;
  const isV2 = query.get('list-type') === '2';
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const maxKeys = queryNumber(exchange, 'max-keys', 1000, 1000);
  const token = query.get('continuation-token');
  const after = isV2
    ? token === undefined
      ? (query.get('start-after') ?? '')
      : Buffer.from(token, 'base64url').toString('utf8')
    : (query.get('marker') ?? '');
  const page = paginate(await store.keys(bucket, prefix), { prefix, delimiter, maxKeys, after });
  const shown = (text: string) => (query.get('encoding-type') === 'url' ? encode(text).replaceAll('%2F', '/') : text);

  const contents = await Promise.all(page.keys.map((key) => describeObject(exchange, key, shown(key))));
  const prefixes = page.prefixes.map((each) => group('CommonPrefixes', tag('Prefix', shown(each))));
  const next = Buffer.from(page.last).toString('base64url');
  const continuation = isV2 ? tag('NextContinuationToken', next) : tag('NextMarker', shown(page.last));
  sendXml(
    exchange,
    'ListBucketResult',
    tag('Name', bucket),
    tag('Prefix', shown(prefix)),
    tag('MaxKeys', maxKeys),
    delimiter === '' ? '' : tag('Delimiter', shown(delimiter)),
    tag('KeyCount', page.keys.length + page.prefixes.length),
    tag('IsTruncated', page.isTruncated),
    page.isTruncated ? continuation : '',
    ...contents,
    ...prefixes,
  );
}

/** DeleteObjects. */
export async function deleteObjects(exchange: Exchange): Promise<void> {
  const xml = await readDocument(exchange.body);
  const keys = elements(xml, 'Object')
    .map((each) => textOf(each, 'Key'))
    .filter((key) => key !== null);
  for (const key of keys) await exchange.store.deleteObject(exchange.bucket, key);
  const quiet = textOf(xml, 'Quiet') === 'true';
  const deleted = quiet ? [] : keys.map((key) => group('Deleted', tag('Key', key)));
  sendXml(exchange, 'DeleteResult', ...deleted);
}

interface PageOptions {
  readonly prefix: string;
  readonly delimiter: string;
  readonly maxKeys: number;
  readonly after: string;
}

/** One page of sorted keys: those after `after`, with everything up to the next delimiter rolled up into one prefix. */
function paginate(keys: readonly string[], { prefix, delimiter, maxKeys, after }: PageOptions) {
  const page = { keys: [] as string[], prefixes: [] as string[], last: '', isTruncated: false };
  for (const key of keys) {
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const entry = cut === -1 ? key : key.slice(0, cut + delimiter.length);
    if (Buffer.compare(Buffer.from(entry), Buffer.from(after)) <= 0 || (cut !== -1 && entry === page.last)) continue;
    if (page.keys.length + page.prefixes.length === maxKeys) {
      page.isTruncated = maxKeys > 0;
      break;
    }
    (cut === -1 ? page.keys : page.prefixes).push(entry);
    page.last = entry;
  }
  return page;
}

async function describeObject({ store, bucket }: Exchange, key: string, shown: string): Promise<string> {
  const object = await openObject(store.objectPath(bucket, key));
  if (!object) return '';
  await object.close();
  const { modifiedAt, etag, size } = object.meta;
  return group(
    'Contents',
    tag('Key', shown),
    tag('LastModified', new Date(modifiedAt).toISOString()),
    tag('ETag', etag),
    tag('Size', size),
    tag('StorageClass', 'STANDARD'),
  );
}
