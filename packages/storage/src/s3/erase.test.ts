import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useS3 } from '../../testing/s3-fixture.ts';
import { openEraser } from './erase.ts';

const never = new AbortController().signal;
const S3 = { S3_REGION: 'us-east-1', S3_FORCE_PATH_STYLE: true };

describe('a bucket without versions', () => {
  const s3 = useS3();

  test('loses what begins with a key, uploads that never ended too, and nothing else', async () => {
    const paquetes = s3.open();
    const { endpoint, bucket, credentials } = s3.server.settings();
    const { accessKeyId, secretAccessKey } = credentials as { accessKeyId: string; secretAccessKey: string };
    const eraser = openEraser({
      ...S3,
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    });
    const save = (solicitudId: string, paquete: string) =>
      paquetes.saveSat({ solicitudId, parteId: 'p', paquete }, Readable.from([Buffer.from('x')]), never);
    for (let n = 0; n < 20; n += 1) await save('s1', String(n));
    const { objectKey } = await save('s10', 'other');
    expect(await eraser.open(never)).toEqual({ hasVersions: false });
    expect(await eraser.erase('solicitudes/s1/')).toBe(20);
    expect(await eraser.erase('solicitudes/s1/')).toBe(0);
    const keys: string[] = [];
    for await (const key of eraser.keys()) keys.push(key);
    expect(keys).toEqual([objectKey]);
    eraser.close();
  });
});

describe('a bucket that keeps versions', () => {
  /** Answers as the protocol says of a bucket with versioning, two to a page, of objects in memory. */
  let stored: { key: string; version: string; isMark: boolean }[] = [];
  let isHeld = false;
  const server = createServer((request, answer) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://storage');
    const key = decodeURIComponent(pathname.slice('/b/'.length));
    const send = (xml: string) => answer.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
    if (request.method === 'HEAD') answer.writeHead(200).end();
    else if (request.method === 'DELETE') {
      if (!isHeld) stored = stored.filter((each) => each.key !== key || each.version !== query.get('versionId'));
      answer.writeHead(204).end();
    } else if (query.has('versioning'))
      send('<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>');
    else if (query.has('uploads')) answer.writeHead(501).end();
    else {
      const all = stored.filter((each) => each.key.startsWith(query.get('prefix') ?? ''));
      const at = all.findIndex((each) => each.version === query.get('version-id-marker')) + 1;
      const page = all.slice(at, at + 2);
      const last = page.at(-1);
      const rows = page.map(({ key, version, isMark }) => {
        const name = isMark ? 'DeleteMarker' : 'Version';
        return `<${name}><Key>${key}</Key><VersionId>${version}</VersionId></${name}>`;
      });
      const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextVersionIdMarker>${last?.version}</NextVersionIdMarker>`;
      send(
        `<ListVersionsResult><IsTruncated>${at + 2 < all.length}</IsTruncated>${next}${rows.join('')}</ListVersionsResult>`,
      );
    }
  });
  beforeEach(() => {
    isHeld = false;
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const open = () =>
    openEraser({
      ...S3,
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      S3_BUCKET: 'b',
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 's',
    });

  test('loses every version and every mark of a deletion, page after page', async () => {
    stored = [1, 2, 3, 4, 5].map((n) => ({ key: `solicitudes/s1/${n % 2}`, version: `v${n}`, isMark: n > 3 }));
    stored.push({ key: 'solicitudes/s2/0', version: 'v6', isMark: false });
    const eraser = open();
    expect(await eraser.open(never)).toEqual({ hasVersions: true });
    expect(await eraser.erase('solicitudes/s1/')).toBe(5);
    expect(stored.map(({ key }) => key)).toEqual(['solicitudes/s2/0']);
    eraser.close();
  });

  test('that holds a version against its deletion is not said to have lost it', async () => {
    isHeld = true;
    stored = [{ key: 'solicitudes/s1/0', version: 'v1', isMark: false }];
    const eraser = open();
    await eraser.open(never);
    await expect(eraser.erase('solicitudes/s1/')).rejects.toThrow('still has solicitudes/s1/0');
    eraser.close();
  });
});
