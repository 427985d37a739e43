import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useS3 } from '../../testing/s3-fixture.ts';

const never = new AbortController().signal;
const origen = { solicitudId: 's1', parteId: 'p1', paquete: 'a' };
const s3 = useS3();

describe('the sweep of uploads', () => {
  test('gives up those that are older, on every page, and no other', async () => {
    const key = 'solicitudes/s1/paquete.zip';
    const uploads = new Map([
      ['old1', { key, minutes: 120 }],
      ['new', { key, minutes: 5 }],
      ['old2', { key, minutes: 61 }],
      ['foreign', { key: 'other/x', minutes: 500 }],
    ]);
    s3.server.intercept = (req, res) => answerUploads(req, res, uploads);
    const paquetes = s3.open();
    await paquetes.ping(never);
    expect(await paquetes.sweepUploads(3600)).toBe(2);
    expect([...uploads.keys()]).toEqual(['new', 'foreign']);
    await paquetes.remove('s1', 'todo');
    expect([...uploads.keys()]).toEqual(['foreign']);
  });

  test('finds none where the storage cannot list them', async () => {
    s3.server.intercept = (req, res) => {
      if (!/\?uploads/.test(req.url ?? '')) return false;
      res.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>');
      return true;
    };
    expect(await s3.open().sweepUploads(0)).toBe(0);
  });
});

/** Lists and gives up uploads as a store with pages of one does. */
function answerUploads(
  req: IncomingMessage,
  res: ServerResponse,
  uploads: Map<string, { readonly key: string; readonly minutes: number }>,
): boolean {
  const { searchParams: query } = new URL(req.url ?? '', 'http://s3');
  if (req.method === 'DELETE' && query.has('uploadId')) {
    const existed = uploads.delete(query.get('uploadId') ?? '');
    res.writeHead(existed ? 204 : 404).end(existed ? '' : '<Error><Code>NoSuchUpload</Code></Error>');
    return true;
  }
  if (req.method !== 'GET' || !query.has('uploads')) return false;
  const all = [...uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''));
  const from = all.findIndex(([id]) => id === query.get('upload-id-marker')) + 1;
  const [found] = all.slice(from);
  const tag = (name: string, value: string) => `<${name}>${value}</${name}>`;
  const upload = found
    ? tag(
        'Upload',
        tag('Key', found[1].key) +
          tag('UploadId', found[0]) +
          tag('Initiated', new Date(Date.now() - found[1].minutes * 60_000).toISOString()),
      ) +
      tag('NextKeyMarker', found[1].key) +
      tag('NextUploadIdMarker', found[0])
    : '';
  const isTruncated = tag('IsTruncated', String(from + 1 < all.length));
  res.end(tag('ListMultipartUploadsResult', upload + isTruncated));
  return true;
}

describe('the bucket', () => {
  test('is created at the first write when it may be, and otherwise its absence is an error', async () => {
    await expect(s3.open({ bucket: 'missing', createBucket: false }).ping(never)).rejects.toMatchObject({
      name: 'NotFound',
    });
    const paquetes = s3.open({ bucket: 'fresh', createBucket: true });
    await paquetes.saveSat(origen, Readable.from([Buffer.from('x')]), never);
    await s3.open({ bucket: 'fresh', createBucket: false }).ping(never);
  });

  test('that another process creates at the same time is no error', async () => {
    const both = [s3.open({ bucket: 'raced' }), s3.open({ bucket: 'raced' })];
    s3.server.intercept = (req, res) => {
      if (req.method !== 'HEAD') return false;
      res.writeHead(404).end();
      return true;
    };
    await Promise.all(both.map((paquetes) => paquetes.ping(never)));
    await both[0]?.ping(never);
    expect(s3.count(/^PUT \/raced/)).toBe(3);
  });
});

test('removes more objects than fit a page', async () => {
  const paquetes = s3.open();
  await paquetes.ping(never);
  let pages = 0;
  const removed: string[] = [];
  s3.server.intercept = (req, res) => {
    const url = new URL(req.url ?? '', 'http://s3');
    if (req.method === 'DELETE' && !url.searchParams.has('uploadId')) {
      removed.push(url.pathname);
      res.writeHead(204).end();
      return true;
    }
    if (url.searchParams.get('list-type') !== '2') return false;
    pages++;
    const next = url.searchParams.has('continuation-token') ? '' : '<NextContinuationToken>t</NextContinuationToken>';
    const keys = Array.from(
      { length: 20 },
      (_, index) => `<Contents><Key>solicitudes/s/${pages}-${index}</Key></Contents>`,
    );
    res.end(`<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${keys.join('')}</ListBucketResult>`);
    return true;
  };
  await paquetes.remove('s', 'todo');
  expect([pages, new Set(removed).size]).toEqual([2, 40]);
});

test('a client silences the warning about the version of Node and no other', async () => {
  const module = new URL('paquetes-s3.ts', import.meta.url).href;
  // In a process of its own: the SDK warns once in the life of a process.
  const script = `
    const { createPaquetesS3, DEFAULT_S3_SETTINGS } = await import(${JSON.stringify(module)});
    createPaquetesS3({ ...DEFAULT_S3_SETTINGS, region: 'us-east-1', bucket: 'b', endpoint: 'http://127.0.0.1:1' });
    process.emitWarning('another warning');`;
  const { stderr } = await promisify(execFile)(process.execPath, [
    '--conditions=acuse-source',
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(stderr).toContain('another warning');
  expect(stderr).not.toContain('NodeVersionSupportWarning');
});
