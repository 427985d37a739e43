import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import { issue } from '../testing/start-with-efirma.ts';

const simulador = await startForTests();
const addressOf = (numero: string) => {
  const parts = [
    numero.slice(0, 6),
    numero.slice(6, 12),
    numero.slice(12, 14),
    numero.slice(14, 16),
    numero.slice(16, 18),
  ];
  return `${simulador.url}/rdc/rccf/${parts.join('/')}/${numero}.cer`;
};

it('serves certificates of e.firmas, of issuers and of the SAT by their number', async () => {
  const [row] = simulador.world.taxpayers.rows('EKU9003173C9', 'emitidos', 1_780_000_000, 1_790_000_000);
  const xml = row ? simulador.world.cfdis.xmlOf(row) : '';
  const efirma = new X509Certificate((await issue(simulador, { rfc: 'EKU9003173C9' })).cer);
  const numbers = [
    ...[Buffer.from(efirma.serialNumber, 'hex').toString(), / NoCertificado="(\d+)"/.exec(xml)?.[1]],
    / NoCertificadoSAT="(\d+)"/.exec(xml)?.[1],
  ];
  const rfcs = [];
  for (const numero of numbers) {
    const response = await fetch(addressOf(numero ?? ''));
    expect(response.headers.get('content-type')).toBe('application/x-x509-ca-cert');
    const found = simulador.world.pki.inspect(new Uint8Array(await response.arrayBuffer()));
    expect([found.numero, found.isOwn]).toEqual([numero, true]);
    rfcs.push(found.rfc);
  }
  expect(rfcs).toEqual(['EKU9003173C9', 'EKU9003173C9', 'SAT970701NN3']);
});

it('answers 404 for an unknown number and for one that is cut in other places', async () => {
  expect((await fetch(addressOf('30001000009999999999'))).status).toBe(404);
  expect((await fetch(`${simulador.url}/rdc/rccf/30001000009999999999.cer`)).status).toBe(404);
});
