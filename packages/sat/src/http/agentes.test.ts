import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificadoTls } from '../testing/certificados.ts';
import { listen } from '../testing/servidor.ts';
import type { SatHttpSettings } from './direcciones.ts';
import { createSatHttp } from './sat-http.ts';

const sinDhe = 'cfdiau.sat.gob.mx';
const otro = 'consultaqr.facturaelectronica.sat.gob.mx';
const { cert, key } = createCertificadoTls('localhost');

/** Prefers DHE and has another key exchange. Answers with the cipher in use. */
const server = createServer(
  {
    cert,
    key,
    dhparam: 'auto',
    ciphers: 'DHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384',
    honorCipherOrder: true,
    maxVersion: 'TLSv1.2',
  },
  (request, response) => void response.end((request.socket as TLSSocket).getCipher().name),
);
let port = 0;
beforeAll(async () => {
  port = await listen(server);
});
afterAll(() => server.closeAllConnections());
afterAll(() => server.close());

async function cipher(host: string, settings: SatHttpSettings): Promise<string> {
  const baseUrls = { [host]: `https://localhost:${port}` };
  const http = createSatHttp({ baseUrls, ...settings });
  const { signal } = new AbortController();
  try {
    return (await http.request({ host, path: '/', method: 'GET', signal, expect: 'text' })).body;
  } finally {
    await http.close();
  }
}

describe('TLS', () => {
  it('leaves DHE out where a host is known or said to need it, and only there', async () => {
    expect(await cipher(sinDhe, { tlsCa: cert })).toBe('ECDHE-RSA-AES256-GCM-SHA384');
    expect(await cipher(otro, { tlsCa: cert })).toBe('DHE-RSA-AES256-GCM-SHA384');
    expect(await cipher(otro, { tlsCa: cert, tlsSinDhe: [otro] })).toBe('ECDHE-RSA-AES256-GCM-SHA384');
  });

  it.each([sinDhe, otro])('does not trust a certificate without a known issuer (%s)', async (host) => {
    await expect(cipher(host, {})).rejects.toMatchObject({
      motivo: 'NO_RESPONDE',
      message: expect.stringContaining('SELF_SIGNED'),
    });
  });

  it('does not trust the certificate of another name', async () => {
    const other = createCertificadoTls('otro.example').cert;
    await expect(cipher(sinDhe, { tlsCa: other })).rejects.toMatchObject({ motivo: 'NO_RESPONDE' });
    await expect(
      cipher(sinDhe, { tlsCa: cert, baseUrls: { [sinDhe]: `https://127.0.0.1:${port}` } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') });
  });
});
