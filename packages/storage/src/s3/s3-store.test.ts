import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useS3 } from '../../testing/s3-fixture.ts';

const MIB = 1_048_576;
const never = new AbortController().signal;
const origen = { solicitudId: 's1', parteId: 'p1', paquete: 'a' };
const s3 = useS3();

/** Chunks of the content, and after each one a turn of the event loop, as a connection gives them. */
async function* slowly(content: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += chunkBytes) {
    yield content.subarray(at, at + chunkBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a multipart upload', { timeout: 120_000 }, () => {
  test('of more than 20 MB arrives whole', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const content = randomBytes(23 * MIB + 17);
    const saved = await paquetes.saveSat(origen, Readable.from(slowly(content, 100_000)), never);
    expect(saved.bytes).toBe(content.length);
    expect(s3.count(/^PUT .*partNumber=/)).toBe(5);
    const got = Buffer.from(await (await s3.fetchObject(paquetes, saved.objectKey)).arrayBuffer());
    expect(got.equals(content)).toBe(true);
    expect(await s3.server.openUploads('solicitudes/s1/sat/p1/a.zip')).toBe(0);
    expect(await paquetes.findSat(origen, never)).toEqual(saved);
  });

  test('whose source breaks off is given up: no object, no parts', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const cut = new Error('cut');
    const source = Readable.from(
      (async function* () {
        yield* slowly(randomBytes(12 * MIB), 100_000);
        throw cut;
      })(),
    );
    await expect(paquetes.saveSat({ ...origen, paquete: 'cut' }, source, never)).rejects.toBe(cut);
    expect(s3.count(/^POST .*uploads/)).toBe(1);
    expect(s3.count(/^DELETE .*uploadId/)).toBe(1);
    expect(await s3.server.openUploads('solicitudes/s1/sat/p1/cut.zip')).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'cut' }, never)).toBeNull();
  });

  test('whose source is destroyed without an error is given up too', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const source = new Readable({ read() {} });
    source.push(randomBytes(6 * MIB));
    const saving = paquetes.saveSat({ ...origen, paquete: 'closed' }, source, never);
    s3.server.intercept = (req) => {
      if (/partNumber=1/.test(req.url ?? '')) source.destroy();
      return false;
    };
    await expect(saving).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(await s3.server.openUploads('solicitudes/s1/sat/p1/closed.zip')).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'closed' }, never)).toBeNull();
  });

  test('whose signal is raised while a part is on its way ends at once and is given up', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const controller = new AbortController();
    const reason = new Error('lost the lease');
    // This part never gets an answer: only the signal can end it.
    s3.server.intercept = (req) => {
      if (!/partNumber=1/.test(req.url ?? '')) return false;
      controller.abort(reason);
      return true;
    };
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'late' }, source, controller.signal)).rejects.toBe(reason);
    expect(await s3.server.openUploads('solicitudes/s1/sat/p1/late.zip')).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'late' }, never)).toBeNull();
  });

  test('that the storage refuses fails with the storage’s error even when it cannot be given up', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    s3.server.intercept = (req, res) => {
      const isPart = /partNumber=/.test(req.url ?? '');
      const isAbort = req.method === 'DELETE';
      if (!isPart && !isAbort) return false;
      req.resume();
      res.writeHead(isPart ? 403 : 405, { connection: 'close' });
      res.end(`<Error><Code>${isPart ? 'AccessDenied' : 'MethodNotAllowed'}</Code></Error>`);
      return true;
    };
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'no' }, source, never)).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    expect(source.destroyed).toBe(true);
  });

  test('of more than the limit is given up', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB, limits: { maxPackageBytes: 11 * MIB } });
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'big' }, source, never)).rejects.toMatchObject({
      name: 'PaqueteSatInvalido',
      motivo: 'DEMASIADO_GRANDE',
    });
    expect(await s3.server.openUploads('solicitudes/s1/sat/p1/big.zip')).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'big' }, never)).toBeNull();
  });
});

describe('a small package', () => {
  test('whose bucket fails once all of it has come fails with that error, and with no other', async () => {
    const fallen: Error[] = [];
    const fell = (error: Error) => void fallen.push(error);
    process.on('uncaughtExceptionMonitor', fell);
    const paquetes = s3.open();
    s3.server.intercept = (req, res) => {
      if (req.method !== 'HEAD') return false;
      res.writeHead(403, { connection: 'close' }).end();
      return true;
    };
    const saving = paquetes.saveSat({ ...origen, paquete: 'early' }, Readable.from([randomBytes(100)]), never);
    await expect(saving).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtExceptionMonitor', fell);
    expect(fallen).toEqual([]);
  });
});

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
      if (!/[?&]uploads/.test(req.url ?? '')) return false;
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
  const module = new URL('client.ts', import.meta.url).href;
  // In a process of its own: the SDK warns once in the life of a process.
  const script = `
    const { createS3Client, DEFAULT_S3_SETTINGS } = await import(${JSON.stringify(module)});
    createS3Client({ ...DEFAULT_S3_SETTINGS, region: 'us-east-1', bucket: 'b' }, 'http://127.0.0.1:1');
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
