import { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { beforeAll, describe, expect, test } from 'vitest';
import { Bucket, errorOf, fetchCode, useS3 } from './testing/s3-fixture.ts';

const s3 = useS3();

describe('signatures', () => {
  const Key = 'secret/paquete.zip';
  const signed = (options: { expiresIn?: number; disposition?: string } = {}) =>
    getSignedUrl(
      s3.client,
      new GetObjectCommand({
        Bucket,
        Key,
        ...(options.disposition ? { ResponseContentDisposition: options.disposition } : {}),
      }),
      { expiresIn: options.expiresIn ?? 60 },
    );
  beforeAll(() => s3.put(Key, 'for the owner only'));

  test('without one nothing is given, whatever is asked', async () => {
    const base = `${s3.server.endpoint}/${Bucket}`;
    for (const [url, init] of [
      [`${base}/${Key}`],
      [`${base}/never-there`],
      [base],
      [s3.server.endpoint],
      [`${base}/new`, { method: 'PUT', body: 'x' }],
      [`${base}/${Key}`, { headers: { authorization: 'Basic YTpi' } }],
      [`${base}/${Key}`, { headers: { authorization: 'AWS4-HMAC-SHA256 ' } }],
    ] satisfies [string, RequestInit?][]) {
      expect([url, ...(await fetchCode(url, init))]).toEqual([url, 403, 'AccessDenied']);
    }
  });

  test('a signed address opens, with the asked name, for GET only', async () => {
    const url = await signed({ disposition: 'attachment; filename="mi paquete (1).zip"' });
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([200, 'for the owner only']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="mi paquete (1).zip"');
    const part = await fetch(await signed(), { headers: { range: 'bytes=4-6' } });
    expect([part.status, await part.text()]).toEqual([206, 'the']);
    expect(await fetchCode(await signed(), { method: 'DELETE' })).toEqual([403, 'SignatureDoesNotMatch']);
  });

  test('a signed address that was tampered with does not open', async () => {
    await s3.put('secret/other.zip', 'not yours');
    const url = await signed();
    for (const [from, to] of [
      [Key, 'secret/other.zip'],
      ['X-Amz-Expires=60', 'X-Amz-Expires=6000'],
      ['x-id=GetObject', 'x-id=GetObject&response-content-type=text%2Fhtml'],
      [/X-Amz-Signature=../, 'X-Amz-Signature=00'],
      [/X-Amz-Signature=\w+/, 'X-Amz-Signature=zz'],
    ] as const) {
      const changed = url.replace(from, to);
      expect(changed).not.toBe(url);
      expect(await fetchCode(changed)).toEqual([403, 'SignatureDoesNotMatch']);
    }
    expect(await fetchCode(url, { headers: { 'x-amz-meta-extra': '1' } })).toEqual([403, 'AccessDenied']);
    expect(await fetchCode(url.replace('127.0.0.1', 'localhost'))).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await fetchCode(`${url}&%zz`)).toEqual([400, 'InvalidArgument']);
  });

  test('a signed address closes at its second', async () => {
    const url = await signed({ expiresIn: 600 });
    s3.offsetMs = 570_000;
    expect((await fetchCode(url))[0]).toBe(200);
    s3.offsetMs = 601_000;
    expect(await fetchCode(url)).toEqual([403, 'AccessDenied']);
    s3.offsetMs = -16 * 60_000;
    expect(await fetchCode(url)).toEqual([403, 'AccessDenied']);
  });

  test('another key or another secret does not open, in the address or in the headers', async () => {
    for (const [wrong, code] of [
      [{ secretAccessKey: 'guessed' }, 'SignatureDoesNotMatch'],
      [{ accessKeyId: 'someone' }, 'InvalidAccessKeyId'],
    ] as const) {
      const stranger = s3.connect(wrong);
      const get = new GetObjectCommand({ Bucket, Key });
      expect(await fetchCode(await getSignedUrl(stranger, get))).toEqual([403, code]);
      expect(await errorOf(stranger.send(get))).toBe(code);
      expect(
        await errorOf(
          stranger.send(new PutObjectCommand({ Bucket, Key, Body: Readable.from(['x']), ContentLength: 1 })),
        ),
      ).toBe(code);
      stranger.destroy();
    }
    expect(String(await s3.read(Key))).toBe('for the owner only');
  });

  test('signed headers are good for a quarter of an hour', async () => {
    s3.offsetMs = 14 * 60_000;
    expect(String(await s3.read(Key))).toBe('for the owner only');
    s3.offsetMs = 16 * 60_000;
    const other = s3.connect();
    expect(await errorOf(other.send(new GetObjectCommand({ Bucket, Key })))).toBe('RequestTimeTooSkewed');
    other.destroy();
  });
});
