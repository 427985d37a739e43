import { Hono } from 'hono';
import { attend } from '../web/http.ts';
import type { World } from '../world/world.ts';

const ADDRESS = /\/rccf\/(\d{6})\/(\d{6})\/(\d{2})\/(\d{2})\/(\d{2})\/(\1\2\3\4\5\d{2})\.cer$/;

/**
 * The SAT's repository of certificates, mounted at `/rdc`: the DER of a number, cut as in
 * `/rccf/300010/000069/38/94/95/30001000006938949512.cer`; 404 for an unknown one. Sources of the address:
 * SAT-CFDI/python-satcfdi `recover_certificate`, eclipxe13/CfdiUtils `SatCertificateNumber`.
 */
export function createRepository(world: World): Hono {
  return new Hono().get('/rccf/*', (c) => {
    const numero = ADDRESS.exec(c.req.path)?.[6] ?? '';
    return attend(world, { service: 'rdc', operation: 'Certificado', rfc: '', detail: { numero } }, async () => {
      const der = world.cfdis.findCertificate(numero) ?? (await world.pki.find(numero))?.x509.raw;
      if (!der) return new Response('', { status: 404 });
      return new Response(new Uint8Array(der), { headers: { 'content-type': 'application/x-x509-ca-cert' } });
    });
  });
}
