import { createVerify, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createEfirma } from '../testing/certificados.ts';
import { openEfirma, readKey } from './efirma.ts';

const [una, otra] = [createEfirma(), createEfirma()];

test('an e.firma signs with its own key and certificate, whichever was opened before', () => {
  for (const efirma of [una, otra, una]) {
    const signer = openEfirma(efirma);
    const cert = new X509Certificate(efirma.cer);
    expect(signer.huella).toBe(cert.fingerprint256);
    const verify = createVerify('RSA-SHA1').update('texto', 'utf8');
    expect(verify.verify(cert.publicKey, signer.sign('texto'), 'base64')).toBe(true);
  }
});

test('a key of another certificate is refused, and so is a key that is cut or no key', () => {
  const half = una.key.subarray(0, una.key.length / 2);
  for (const key of [otra.key, half, una.key.subarray(0, 24), Buffer.from('no'), Buffer.alloc(0)])
    expect(() => openEfirma({ ...una, key })).toThrow('EFIRMA_RECHAZADA');
});

test('a key of PKCS#8 is read with and without RSA', () => {
  expect(readKey(una.key).asymmetricKeyType).toBe('rsa');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(readKey(privateKey.export({ format: 'der', type: 'pkcs8' })).equals(privateKey)).toBe(true);
});
