import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type S3Server, startS3 } from '../../testing/s3-server.ts';
import { satRow, satText } from '../../testing/sat-rows.ts';
import { zipBytes } from '../../testing/zip-bytes.ts';
import { createPaquetesS3, type PaquetesS3, type PaquetesS3Settings, paqueteKey } from '../index.ts';

const UUID = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
const MIB = 1_048_576;
const never = new AbortController().signal;
const origen = { solicitudId: 's1', parteId: 'p1', paquete: 'a' };

let server: S3Server;
const opened: PaquetesS3[] = [];

beforeAll(async () => {
  server = await startS3();
});
afterEach(() => {
  server.intercept = () => false;
  server.requests.length = 0;
  server.uploads.clear();
});
afterAll(async () => {
  for (const paquetes of opened) paquetes.close();
  await server.close();
});

function open(overrides: Partial<PaquetesS3Settings> = {}, now?: () => Date): PaquetesS3 {
  const paquetes = createPaquetesS3(server.settings(overrides), now === undefined ? {} : { now });
  opened.push(paquetes);
  return paquetes;
}

async function fetchObject(paquetes: PaquetesS3, objectKey: string): Promise<Response> {
  return fetch((await paquetes.presign(objectKey, { filename: 'x.zip', ttlSeconds: 60 })).url);
}

/** Chunks of the content, and after each one a turn of the event loop, as a connection gives them. */
async function* slowly(content: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += chunkBytes) {
    yield content.subarray(at, at + chunkBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function count(pattern: RegExp): number {
  return server.requests.filter((line) => pattern.test(line)).length;
}

describe('a multipart upload', () => {
  test('of more than 20 MB arrives whole', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    const content = randomBytes(23 * MIB + 17);
    const saved = await paquetes.saveSat(origen, Readable.from(slowly(content, 100_000)), never);
    expect(saved.bytes).toBe(content.length);
    expect(count(/^PUT .*partNumber=/)).toBe(5);
    const got = Buffer.from(await (await fetchObject(paquetes, saved.objectKey)).arrayBuffer());
    expect(got.equals(content)).toBe(true);
    expect(server.uploads.size).toBe(0);
    expect(await paquetes.findSat(origen, never)).toEqual(saved);
  });

  test('whose source breaks off is given up: no object, no parts', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    const cut = new Error('cut');
    const source = Readable.from(
      (async function* () {
        yield* slowly(randomBytes(12 * MIB), 100_000);
        throw cut;
      })(),
    );
    await expect(paquetes.saveSat({ ...origen, paquete: 'cut' }, source, never)).rejects.toBe(cut);
    expect(count(/^POST .*uploads/)).toBe(1);
    expect(count(/^DELETE .*uploadId/)).toBe(1);
    expect(server.uploads.size).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'cut' }, never)).toBeNull();
  });

  test('whose source is destroyed without an error is given up too', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    const source = new Readable({ read() {} });
    source.push(randomBytes(6 * MIB));
    const saving = paquetes.saveSat({ ...origen, paquete: 'closed' }, source, never);
    server.intercept = (req) => {
      if (/partNumber=1/.test(req.url ?? '')) source.destroy();
      return false;
    };
    await expect(saving).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(server.uploads.size).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'closed' }, never)).toBeNull();
  });

  test('whose signal is raised while a part is on its way ends at once and is given up', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    const controller = new AbortController();
    const reason = new Error('lost the lease');
    // This part never gets an answer: only the signal can end it.
    server.intercept = (req) => {
      if (!/partNumber=1/.test(req.url ?? '')) return false;
      controller.abort(reason);
      return true;
    };
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'late' }, source, controller.signal)).rejects.toBe(
      reason,
    );
    expect(server.uploads.size).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'late' }, never)).toBeNull();
  });

  test('that the storage refuses fails with the storage’s error even when it cannot be given up', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    server.intercept = (req, res) => {
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
    const paquetes = open({ partBytes: 5 * MIB, limits: { maxPackageBytes: 11 * MIB } });
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'big' }, source, never)).rejects.toMatchObject({
      name: 'PaqueteSatInvalido',
      motivo: 'DEMASIADO_GRANDE',
    });
    expect(server.uploads.size).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'big' }, never)).toBeNull();
  });
});

describe('an assembly', () => {
  // Names that do not compress, so that the ZIP has several parts.
  const rows = Array.from({ length: 9_000 }, (_, index) =>
    satRow(index, {
      nombreEmisor: randomBytes(300).toString('hex'),
      nombreReceptor: randomBytes(300).toString('hex'),
    }),
  );
  const sat = zipBytes([{ name: `${UUID}_01.txt`, content: satText(rows) }]);
  const planOf = (solicitudId: string, objectKey: string) => ({
    solicitudId,
    rfc: 'EKU9003173C9',
    tipo: 'emitidos' as const,
    desde: '2024-01-01',
    hasta: '2024-01-31',
    partes: [
      {
        canal: 'soap' as const,
        folio: 'f',
        periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' },
        recortar: false,
        paquetes: [{ objectKey, paquete: 'a' }],
      },
    ],
  });

  test('whose signal is raised half way leaves nothing', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    const { objectKey } = await paquetes.saveSat(
      { ...origen, solicitudId: 's2' },
      Readable.from([sat]),
      never,
    );
    const controller = new AbortController();
    const reason = new Error('shutting down');
    server.intercept = (req) => {
      if (/paquete\.zip.*partNumber=1/.test(req.url ?? '')) controller.abort(reason);
      return false;
    };
    await expect(paquetes.assemble(planOf('s2', objectKey), controller.signal)).rejects.toBe(reason);
    expect(server.uploads.size).toBe(0);
    expect((await fetchObject(paquetes, paqueteKey('s2'))).status).toBe(404);
  });

  test('whose upload is refused fails with that error and leaves nothing', async () => {
    const paquetes = open({ partBytes: 5 * MIB });
    const { objectKey } = await paquetes.saveSat(
      { ...origen, solicitudId: 's3' },
      Readable.from([sat]),
      never,
    );
    server.intercept = (req, res) => {
      if (!/paquete\.zip.*partNumber=2/.test(req.url ?? '')) return false;
      req.resume();
      res.writeHead(403, { connection: 'close' }).end('<Error><Code>AccessDenied</Code></Error>');
      return true;
    };
    await expect(paquetes.assemble(planOf('s3', objectKey), never)).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    expect(server.uploads.size).toBe(0);
    expect((await fetchObject(paquetes, paqueteKey('s3'))).status).toBe(404);
  });

  test('goes on where a connection that gave half of a package was cut', async () => {
    const paquetes = open();
    const { objectKey } = await paquetes.saveSat(
      { ...origen, solicitudId: 's4' },
      Readable.from([sat]),
      never,
    );
    let cuts = 0;
    server.intercept = (req, res) => {
      const range = /^bytes=(\d+)-(\d+)$/.exec(String(req.headers.range));
      const [start, end] = [Number(range?.[1]), Number(range?.[2])];
      if (req.method !== 'GET' || range === null || end - start < MIB || cuts === 3) return false;
      cuts++;
      res.writeHead(206, { 'content-length': end - start + 1 });
      res.write(sat.subarray(start, start + 300_000), () => res.destroy());
      return true;
    };
    const { registros } = await paquetes.assemble(planOf('s4', objectKey), never);
    expect([cuts, registros]).toEqual([3, rows.length]);
  });

  test('gives up when the storage keeps cutting connections without a byte', async () => {
    const paquetes = open();
    const { objectKey } = await paquetes.saveSat(
      { ...origen, solicitudId: 's5' },
      Readable.from([sat]),
      never,
    );
    let cuts = 0;
    server.intercept = (req, res) => {
      const range = /^bytes=(\d+)-(\d+)$/.exec(String(req.headers.range));
      if (req.method !== 'GET' || range === null || Number(range[2]) - Number(range[1]) < MIB) return false;
      cuts++;
      res.writeHead(206, { 'content-length': 1000 }).flushHeaders();
      res.destroy();
      return true;
    };
    await expect(paquetes.assemble(planOf('s5', objectKey), never)).rejects.toThrow();
    expect(cuts).toBeGreaterThanOrEqual(3);
    expect((await fetchObject(paquetes, paqueteKey('s5'))).status).toBe(404);
  });

  test('reads the version of a package that it opened and no other', async () => {
    const paquetes = open();
    const { objectKey } = await paquetes.saveSat(
      { ...origen, solicitudId: 's6' },
      Readable.from([sat]),
      never,
    );
    const conditions = new Set<string>();
    server.intercept = (req) => {
      if (req.method === 'GET' && req.headers.range !== undefined && !/paquete\.zip/.test(req.url ?? '')) {
        conditions.add(String(req.headers['if-match']));
      }
      return false;
    };
    await paquetes.assemble(planOf('s6', objectKey), never);
    expect([...conditions]).toEqual([expect.stringMatching(/^"[0-9a-f-]+"$/)]);
  });

  test('fails when the stored ZIP is not the one that was written', async () => {
    const paquetes = open();
    const { objectKey } = await paquetes.saveSat(
      { ...origen, solicitudId: 's7' },
      Readable.from([sat]),
      never,
    );
    const other = zipBytes([{ name: 'x', content: 'x' }]);
    server.intercept = (req, res) => {
      if (!/paquete\.zip/.test(req.url ?? '') || (req.method !== 'HEAD' && req.method !== 'GET'))
        return false;
      res.writeHead(req.method === 'HEAD' ? 200 : 206, { 'content-length': other.length, etag: '"x"' });
      res.end(req.method === 'HEAD' ? undefined : other);
      return true;
    };
    await expect(paquetes.assemble(planOf('s7', objectKey), never)).rejects.toMatchObject({
      name: 'ZipNoCoincide',
    });
  });
});

describe('a presigned URL', () => {
  test('is made without a request, gives the object as a download, and says when it ends', async () => {
    const now = new Date('2026-03-01T10:00:00.789Z');
    const paquetes = open({}, () => now);
    const saved = await open().saveSat(origen, Readable.from([Buffer.from('content')]), never);
    server.requests.length = 0;
    const { url, expiraEn } = await paquetes.presign(saved.objectKey, {
      filename: 'emisión 1.zip',
      ttlSeconds: 900,
    });
    expect(server.requests).toEqual([]);
    expect(expiraEn.toISOString()).toBe('2026-03-01T10:15:00.000Z');
    const query = new URL(url).searchParams;
    expect([query.get('X-Amz-Expires'), query.get('X-Amz-Date')]).toEqual(['900', '20260301T100000Z']);
    expect(query.get('response-content-disposition')).toBe(
      `attachment; filename="emision 1.zip"; filename*=UTF-8''emisi%C3%B3n%201.zip`,
    );
    const answer = await fetchObject(open(), saved.objectKey);
    expect(await answer.text()).toBe('content');
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="x.zip"');
  });

  test('has the public address, signed for it', async () => {
    const paquetes = open({ publicEndpoint: 'https://descargas.example.com' });
    const { url } = await paquetes.presign('solicitudes/s/paquete.zip', {
      filename: 'x.zip',
      ttlSeconds: 60,
    });
    expect(url).toMatch(/^https:\/\/descargas\.example\.com\/paquetes\/solicitudes\/s\/paquete\.zip\?/);
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  });

  test('never lives longer than seven days, nor than the credentials that sign it', async () => {
    const now = new Date('2026-03-01T10:00:00Z');
    const ttl = async (paquetes: PaquetesS3, ttlSeconds: number) => {
      const { url, expiraEn } = await paquetes.presign('k', { filename: 'x', ttlSeconds });
      expect(expiraEn.getTime() - now.getTime()).toBe(
        Number(new URL(url).searchParams.get('X-Amz-Expires')) * 1000,
      );
      return Number(new URL(url).searchParams.get('X-Amz-Expires'));
    };
    expect(
      await ttl(
        open({}, () => now),
        9_000_000,
      ),
    ).toBe(604_800);
    const expiration = new Date(now.getTime() + 600_500);
    const credentials = async () => ({
      accessKeyId: 'a',
      secretAccessKey: 'b',
      sessionToken: 'c',
      expiration,
    });
    expect(
      await ttl(
        open({ credentials }, () => now),
        3_600,
      ),
    ).toBe(600);
    await expect(
      ttl(
        open({}, () => now),
        0,
      ),
    ).rejects.toThrow(RangeError);
  });
});

describe('the sweep of uploads', () => {
  test('gives up those that are older, on every page, and no other', async () => {
    const initiated = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const key = 'solicitudes/s1/paquete.zip';
    server.uploads.set('old1', { key, initiated: initiated(120) });
    server.uploads.set('new', { key, initiated: initiated(5) });
    server.uploads.set('old2', { key, initiated: initiated(61) });
    server.uploads.set('foreign', { key: 'other/x', initiated: initiated(500) });
    const paquetes = open();
    await paquetes.ping(never);
    expect(await paquetes.sweepUploads(3600)).toBe(2);
    expect([...server.uploads.keys()]).toEqual(['new', 'foreign']);
    await paquetes.remove('s1', 'todo');
    expect([...server.uploads.keys()]).toEqual(['foreign']);
  });

  test('finds none where the storage cannot list them', async () => {
    server.intercept = (req, res) => {
      if (!/\?uploads/.test(req.url ?? '')) return false;
      res.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>');
      return true;
    };
    expect(await open().sweepUploads(0)).toBe(0);
  });
});

describe('the bucket', () => {
  test('is created at the first write when it may be, and otherwise its absence is an error', async () => {
    await expect(open({ bucket: 'missing', createBucket: false }).ping(never)).rejects.toMatchObject({
      name: 'NotFound',
    });
    const paquetes = open({ bucket: 'fresh', createBucket: true });
    await paquetes.saveSat(origen, Readable.from([Buffer.from('x')]), never);
    await open({ bucket: 'fresh', createBucket: false }).ping(never);
  });

  test('that another process creates at the same time is no error', async () => {
    const both = [open({ bucket: 'raced' }), open({ bucket: 'raced' })];
    server.intercept = (req, res) => {
      if (req.method !== 'HEAD') return false;
      res.writeHead(404).end();
      return true;
    };
    await Promise.all(both.map((paquetes) => paquetes.ping(never)));
    await both[0]?.ping(never);
    expect(count(/^PUT \/raced/)).toBe(3);
  });
});

test('removes more objects than fit a page', async () => {
  const paquetes = open();
  await paquetes.ping(never);
  let pages = 0;
  const removed: string[] = [];
  server.intercept = (req, res) => {
    const url = new URL(req.url ?? '', 'http://s3');
    if (req.method === 'DELETE' && !url.searchParams.has('uploadId')) {
      removed.push(url.pathname);
      res.writeHead(204).end();
      return true;
    }
    if (url.searchParams.get('list-type') !== '2') return false;
    pages++;
    const next = url.searchParams.has('continuation-token')
      ? ''
      : '<NextContinuationToken>t</NextContinuationToken>';
    const keys = Array.from(
      { length: 20 },
      (_, index) => `<Contents><Key>solicitudes/s/${pages}-${index}</Key></Contents>`,
    );
    res.end(
      `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${keys.join('')}</ListBucketResult>`,
    );
    return true;
  };
  await paquetes.remove('s', 'todo');
  expect([pages, new Set(removed).size]).toEqual([2, 40]);
});

test('a client makes no warning about the version of Node', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  open();
  process.emitWarning('another warning');
  await once(process, 'warning');
  process.off('warning', listen);
  expect(warnings.map(({ message }) => message)).toEqual(['another warning']);
});
