import { describe, expect, it } from 'vitest';
import type { AuthenticationChange } from '../testing/signed-client.ts';
import { issue, startWithEfirma } from '../testing/start-with-efirma.ts';

/** Another letter of base64. */
const another = (letter: string) => (letter === 'A' ? 'B' : 'A');

const RFC = 'XIQB891116QE4';

const { simulador, client } = await startWithEfirma(RFC);

describe('Autentica', () => {
  it('answers a token of the form clients know, good for five minutes', async () => {
    const { status, text, token } = await client.authenticate();
    expect(status).toBe(200);
    const [created = '', expires = ''] = [...text.matchAll(/<u:(?:Created|Expires)>([^<]+)</g)].map((m) => m[1]);
    expect(Date.parse(expires) - Date.parse(created)).toBe(300_000);
    const [, payload = ''] = token.split('.');
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(content).toMatchObject({ iss: 'LoadSolicitudDecargaMasivaTerceros', exp: content.iat + 600 });
    expect(token).toMatch(/%26wrap_subject%3d3330303031/);
  });

  it('finds the Timestamp by whatever id it has', async () => {
    expect((await client.authenticate({ id: 'Timestamp' })).status).toBe(200);
  });

  it.each<[string, AuthenticationChange]>([
    ['a Timestamp of an hour ago', { created: new Date(Date.now() - 3_600_000) }],
    ['a Timestamp of tomorrow', { created: new Date(Date.now() + 86_400_000) }],
    ['an end before its beginning', { expires: new Date(Date.now() - 1000) }],
    ['a changed Timestamp', { tamper: (m) => m.replace(/(<u:Expires>)2/, '$13') }],
    ['a changed digest', { tamper: (m) => m.replace(/(?<=<DigestValue>)./, another) }],
    ['a changed signature value', { tamper: (m) => m.replace(/(?<=<SignatureValue>.{9})./, another) }],
    ['a reference to another id', { reference: '_1' }],
    ['a key reference to another token', { tamper: (m) => m.replace('URI="#BinarySecurityToken"', 'URI="#x"') }],
    ['no signature', { tamper: (m) => m.replace(/<Signature .*<\/Signature>/, '') }],
    ['no certificate', { tamper: (m) => m.replace(/(BinarySecurityToken" V[^>]+>)[^<]+/, '$1AAAA') }],
    ['no security header', { tamper: (m) => m.replace(/<o:Security.*<\/o:Security>/, '') }],
  ])('answers a:InvalidSecurity with HTTP 500 to %s', async (_, change) => {
    const { status, text } = await client.authenticate(change);
    expect(status).toBe(500);
    expect(text).toContain('>a:InvalidSecurity</faultcode>');
  });

  it('refuses another certificate than the one that signed', async () => {
    const other = await issue(simulador, { rfc: RFC });
    const tamper = (message: string) =>
      message.replace(/(BinarySecurityToken" V[^>]+>)[^<]+/, `$1${other.cer.toString('base64')}`);
    expect((await client.authenticate({ tamper })).text).toContain('a:InvalidSecurity');
  });
});

describe('the endpoint', () => {
  const post = (body: string, action: string) =>
    fetch(`${simulador.url}/cfdidescargamasivasolicitud/SolicitaDescargaService.svc`, {
      method: 'POST',
      headers: { soapaction: action },
      body,
    });
  const DES = 'http://DescargaMasivaTerceros.sat.gob.mx';

  it('answers a:ActionNotSupported to the operation of version 1.4', async () => {
    const { status, text } = await client.send('SolicitaDescarga', { RfcSolicitante: RFC }, { token: 'x' });
    expect(status).toBe(500);
    expect(text).toContain('>a:ActionNotSupported</faultcode>');
    expect(text).toContain('ContractFilter mismatch');
  });

  it('answers 400 to a body that is no SOAP message, and to a document type', async () => {
    const action = `${DES}/ISolicitaDescargaService/SolicitaDescargaEmitidos`;
    expect((await post('<html>', action)).status).toBe(400);
    const envelope =
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><a/></s:Body></s:Envelope>';
    expect((await post(`<!DOCTYPE a>${envelope}`, action)).status).toBe(400);
    expect((await post(envelope, action)).status).toBe(500);
  });

  it('answers 301 when the attributes are missing', async () => {
    const { token } = await client.authenticate();
    const { attributes } = await client.send('SolicitaDescargaEmitidos', {}, { token });
    expect(attributes['CodEstatus']).toBe('301');
  });
});
