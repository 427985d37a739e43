import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Exchange, elements, group, S3Error, sendEmpty, sendXml, tag, textOf } from './exchange.ts';
import { readDocument } from './incoming-body.ts';
import { keptHeaders, requireAbsentIfAsked } from './object-routes.ts';
import { type ObjectMeta, openObject, writeObject } from './store.ts';

const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PART = 10_000;

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly startedAt: number;
}

interface Part {
  readonly number: number;
  readonly path: string;
  readonly meta: ObjectMeta;
}

/** CreateMultipartUpload. */
export async function createUpload(exchange: Exchange): Promise<void> {
  const { store, bucket, key, request, now } = exchange;
  const uploadId = randomBytes(16).toString('hex');
  store.objectPath(bucket, key);
  const upload: Upload = { bucket, key, headers: keptHeaders(request.headers), startedAt: now() };
  await mkdir(store.uploadDir(uploadId));
  await writeFile(join(store.uploadDir(uploadId), 'upload.json'), JSON.stringify(upload));
  const about = [tag('Bucket', bucket), tag('Key', key), tag('UploadId', uploadId)];
  sendXml(exchange, 'InitiateMultipartUploadResult', ...about);
}

/** UploadPart: a part that is sent again takes the place of the earlier one. */
export async function uploadPart(exchange: Exchange): Promise<void> {
  const { store, query, request, body, now } = exchange;
  if (request.headers['x-amz-copy-source'] !== undefined) {
    throw new S3Error('NotImplemented', 'UploadPartCopy is not offered.');
  }
  const number = Number(query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PART) {
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${MAX_PART}, inclusive`);
  }
  await requireUpload(exchange);
  const path = partPath(exchange, number);
  const { etag } = await writeObject(path, store.scratch, body, { modifiedAt: now(), headers: {} });
  sendEmpty(exchange, 200, { etag });
}

/** CompleteMultipartUpload: the object appears whole, or not at all. */
export async function completeUpload(exchange: Exchange): Promise<void> {
  const { store, bucket, key, now } = exchange;
  const upload = await requireUpload(exchange);
  await requireAbsentIfAsked(exchange);
  const parts = await chosenParts(exchange, await readDocument(exchange.body));
  const digests = Buffer.concat(parts.map(({ meta }) => Buffer.from(meta.etag.slice(1, -1), 'hex')));
  const etag = `"${createHash('md5').update(digests).digest('hex')}-${parts.length}"`;
  const known = { etag, modifiedAt: now(), headers: upload.headers };
  await writeObject(store.objectPath(bucket, key), store.scratch, [Readable.from(contentOf(parts))], known);
  await rm(uploadDir(exchange), { recursive: true, force: true });
  const about = [tag('Location', `/${bucket}/${key}`), tag('Bucket', bucket), tag('Key', key), tag('ETag', etag)];
  sendXml(exchange, 'CompleteMultipartUploadResult', ...about);
}

/** AbortMultipartUpload. */
export async function abortUpload(exchange: Exchange): Promise<void> {
  await requireUpload(exchange);
  await rm(uploadDir(exchange), { recursive: true, force: true });
  sendEmpty(exchange, 204);
}

/** ListParts. */
export async function listParts(exchange: Exchange): Promise<void> {
  const { bucket, key, query } = exchange;
  await requireUpload(exchange);
  const numbers = (await readdir(uploadDir(exchange)))
    .map((name) => Number(/^part-(\d+)$/.exec(name)?.[1]))
    .filter(Number.isInteger)
    .sort((a, b) => a - b);
  const parts = await Promise.all(numbers.map((number) => findPart(exchange, number)));
  const inner = parts
    .filter((part) => part !== null)
    .map(({ number, meta }) => {
      const modified = tag('LastModified', new Date(meta.modifiedAt).toISOString());
      return group('Part', tag('PartNumber', number), modified, tag('ETag', meta.etag), tag('Size', meta.size));
    });
  const head = [tag('Bucket', bucket), tag('Key', key), tag('UploadId', query.get('uploadId') ?? '')];
  sendXml(exchange, 'ListPartsResult', ...head, tag('IsTruncated', false), ...inner);
}

/** ListMultipartUploads, on one page. */
export async function listUploads(exchange: Exchange): Promise<void> {
  const { store, bucket, query } = exchange;
  const prefix = query.get('prefix') ?? '';
  const all = await Promise.all(
    (await readdir(store.uploadsDir)).map(async (uploadId) => ({
      uploadId,
      upload: await readUpload(join(store.uploadsDir, uploadId)),
    })),
  );
  const inner = all.flatMap(({ uploadId, upload }) =>
    upload?.bucket === bucket && upload.key.startsWith(prefix)
      ? group(
          'Upload',
          tag('Key', upload.key),
          tag('UploadId', uploadId),
          tag('Initiated', new Date(upload.startedAt).toISOString()),
        )
      : [],
  );
  sendXml(exchange, 'ListMultipartUploadsResult', tag('Bucket', bucket), tag('IsTruncated', false), ...inner);
}

async function chosenParts(exchange: Exchange, xml: string): Promise<Part[]> {
  const parts: Part[] = [];
  for (const element of elements(xml, 'Part')) {
    const number = Number(textOf(element, 'PartNumber'));
    const part = await findPart(exchange, number);
    const etag = textOf(element, 'ETag')?.replaceAll('"', '');
    if (part?.meta.etag !== `"${etag}"`)
      throw new S3Error('InvalidPart', `Part ${number} could not be found, or its ETag is another.`);
    if (number <= (parts.at(-1)?.number ?? 0))
      throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.');
    parts.push(part);
  }
  if (parts.length === 0)
    throw new S3Error('MalformedXML', 'The XML you provided was not well-formed or lists no parts.');
  if (parts.slice(0, -1).some(({ meta }) => meta.size < MIN_PART_BYTES)) {
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
  }
  return parts;
}

async function* contentOf(parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { path, meta, number } of parts) {
    const part = await openObject(path);
    if (!part) throw new S3Error('InvalidPart', `Part ${number} is gone.`);
    if (meta.size === 0) await part.close();
    else yield* part.stream(0, meta.size - 1);
  }
}

async function findPart(exchange: Exchange, number: number): Promise<Part | null> {
  const path = partPath(exchange, number);
  const part = await openObject(path);
  await part?.close();
  return part && { number, path, meta: part.meta };
}

async function requireUpload(exchange: Exchange): Promise<Upload> {
  const upload = await readUpload(uploadDir(exchange));
  if (upload?.bucket !== exchange.bucket || upload.key !== exchange.key) {
    throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
  }
  return upload;
}

function readUpload(dir: string): Promise<Upload | null> {
  return readFile(join(dir, 'upload.json'), 'utf8').then(JSON.parse, () => null);
}

function uploadDir({ store, query }: Exchange): string {
  return store.uploadDir(query.get('uploadId') ?? '');
}

function partPath(exchange: Exchange, number: number): string {
  return join(uploadDir(exchange), `part-${number}`);
}
