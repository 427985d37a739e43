import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, test } from 'vitest';
import { useS3 } from '../../testing/s3-fixture.ts';
import { documentoKey, type PaquetesS3 } from '../index.ts';
import { createS3Client, DEFAULT_S3_SETTINGS } from './client.ts';
import { createPresign } from './presign.ts';

const never = new AbortController().signal;
const origen = { solicitudId: 's1', parteId: 'p1', paquete: 'a' };
const s3 = useS3();

describe('a presigned URL', () => {
  test.each([
    { endpoint: undefined, forcePathStyle: false },
    { endpoint: 'https://objetos.example:9443/base', forcePathStyle: true },
    { endpoint: undefined, forcePathStyle: false, region: 'cn-north-1', sessionToken: 'a+b/c=' },
  ])('is the one that the SDK makes: $endpoint $region', async ({ sessionToken, ...given }) => {
    const keys = { accessKeyId: 'a', secretAccessKey: 'b', ...(sessionToken ? { sessionToken } : {}) };
    const settings = {
      ...DEFAULT_S3_SETTINGS,
      region: 'mx-central-1',
      bucket: 'paquetes',
      ...given,
      credentials: keys,
    };
    const client = createS3Client(settings, settings.endpoint);
    const presign = createPresign(client, 'paquetes', () => new Date('2026-03-01T10:00:00Z'));
    // The second URL repeats the first one with another key.
    for (const key of ['documentos/1.pdf', "solicitudes/a=C3 (1)*'!/paquete.zip"]) {
      const command = new GetObjectCommand({
        Bucket: 'paquetes',
        Key: key,
        ResponseContentType: key.endsWith('.pdf') ? 'application/pdf' : 'application/zip',
        ResponseContentDisposition: `attachment; filename="n_.zip"; filename*=UTF-8''n%CE%A9.zip`,
      });
      const signingDate = new Date('2026-03-01T10:00:00Z');
      const { url } = await presign(key, { filename: 'nΩ.zip', ttlSeconds: 60 });
      expect(url).toBe(await getSignedUrl(client, command, { expiresIn: 60, signingDate }));
    }
  });

  test('is made without a request, gives the object as a download, and says when it ends', async () => {
    const now = new Date('2026-03-01T10:00:00.789Z');
    const paquetes = s3.open({}, () => now);
    const saved = await s3.open().saveSat(origen, Readable.from([Buffer.from('content')]), never);
    s3.server.requests.length = 0;
    const { url, expiraEn } = await paquetes.presign(saved.objectKey, { filename: 'emisión 1.zip', ttlSeconds: 900 });
    expect(s3.server.requests).toEqual([]);
    expect(expiraEn.toISOString()).toBe('2026-03-01T10:15:00.000Z');
    const query = new URL(url).searchParams;
    expect([query.get('X-Amz-Expires'), query.get('X-Amz-Date')]).toEqual(['900', '20260301T100000Z']);
    expect(query.get('response-content-disposition')).toBe(
      `attachment; filename="emision 1.zip"; filename*=UTF-8''emisi%C3%B3n%201.zip`,
    );
    const answer = await s3.fetchObject(s3.open(), saved.objectKey);
    expect(await answer.text()).toBe('content');
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="x.zip"');
  });

  test('calls a document a PDF', async () => {
    const paquetes = s3.open();
    const objectKey = documentoKey('01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f');
    await paquetes.saveDocumento(objectKey, Buffer.from('%PDF-1.7'), never);
    const answer = await s3.fetchObject(paquetes, objectKey);
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['application/pdf', '%PDF-1.7']);
  });

  test('has the public address, signed for it', async () => {
    const paquetes = s3.open({ publicEndpoint: 'https://descargas.example.com' });
    const { url } = await paquetes.presign('solicitudes/s/paquete.zip', { filename: 'x.zip', ttlSeconds: 60 });
    expect(url).toMatch(/^https:\/\/descargas\.example\.com\/paquetes\/solicitudes\/s\/paquete\.zip\?/);
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  });

  test('never lives longer than seven days, nor than the credentials that sign it', async () => {
    const now = new Date('2026-03-01T10:00:00Z');
    const ttl = async (paquetes: PaquetesS3, ttlSeconds: number) => {
      const { url, expiraEn } = await paquetes.presign('k', { filename: 'x', ttlSeconds });
      expect(expiraEn.getTime() - now.getTime()).toBe(Number(new URL(url).searchParams.get('X-Amz-Expires')) * 1000);
      return Number(new URL(url).searchParams.get('X-Amz-Expires'));
    };
    expect(
      await ttl(
        s3.open({}, () => now),
        9_000_000,
      ),
    ).toBe(604_800);
    const expiration = new Date(now.getTime() + 600_500);
    const credentials = async () => ({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c', expiration });
    expect(
      await ttl(
        s3.open({ credentials }, () => now),
        3_600,
      ),
    ).toBe(600);
    await expect(
      ttl(
        s3.open({}, () => now),
        0,
      ),
    ).rejects.toThrow(RangeError);
  });
});
