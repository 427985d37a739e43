import { createHash, createPrivateKey, createVerify, X509Certificate } from 'node:crypto';
import type { CredencialEfirma } from '@acuse/core';
import {
  DateTime,
  DateTimePeriod,
  DownloadType,
  Fiel,
  FielRequestBuilder,
  QueryParameters,
  RequestType,
} from '@nodecfdi/sat-ws-descarga-masiva';
import { DOMParser, type Element } from '@xmldom/xmldom';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExclusiveCanonicalization, SignedXml } from 'xml-crypto';
import { openEfirma } from '../../packages/sat/src/soap/efirma.ts';
import { sobreAutentica, sobreFirmado } from '../../packages/sat/src/soap/sobres.ts';
import { createEfirma } from '../../packages/sat/src/testing/certificados.ts';
import { errorOf } from './setup.ts';
import { DESCARGAR, RFC, SOLICITAR, setUp, VERIFICAR } from './soap-setup.ts';

const credencial = createEfirma({ rfc: RFC, numero: '30001000000500003415' });
const signer = openEfirma(credencial);
const { folio, periodo } = VERIFICAR;
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const good = { digest: true, firma: true };

describe('signatures', () => {
  it('of the authentication hold for an independent canonicaliser', () => {
    expect(checkAutentica(sobreAutentica(signer, new Date('2026-05-05T10:00:00.123Z')))).toMatchObject(good);
  });

  it('of the authentication hold for a generic xmldsig library', () => {
    const xml = sobreAutentica(signer, new Date('2026-05-05T10:00:00Z'));
    const signed = new SignedXml({ publicCert: new X509Certificate(credencial.cer).toString(), idMode: 'wssecurity' });
    signed.loadSignature(find(parseDom(xml), 'Signature').toString());
    expect(signed.checkSignature(xml)).toBe(true);
    expect(signed.getSignedReferences()).toEqual([canonicalize(find(parseDom(xml), 'Timestamp'))]);
  });

  it('of the operations hold for any value of an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(fc.constantFrom(...'&<>"\'\t\n\r Ñ'), fc.string()) }), (value) => {
        // Characters that XML 1.0 cannot carry are no part of any id or RFC.
        const legal = value.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
        const xml = sobreFirmado(signer, 'VerificaSolicitudDescarga', 'solicitud', {
          RfcSolicitante: 'H&E951128469',
          IdSolicitud: legal,
        });
        expect(checkOperacion(xml)).toMatchObject(good);
        expect(find(parseDom(xml), 'solicitud').getAttribute('IdSolicitud')).toBe(legal);
      }),
      { numRuns: 50 },
    );
  });

  it('of a request with receivers hold, with the receivers before the signature', () => {
    const RfcReceptores = ['Ñ&A010203AB1', 'EKU9003173C9'];
    const xml = sobreFirmado(signer, 'SolicitaDescargaEmitidos', 'solicitud', { RfcEmisor: RFC, RfcReceptores });
    expect(checkOperacion(xml)).toMatchObject(good);
    const [list] = [...find(parseDom(xml), 'solicitud').childNodes];
    expect([...(list?.childNodes ?? [])].map((each) => [each.nodeName, each.textContent])).toEqual(
      RfcReceptores.map((rfc) => ['des:RfcReceptor', rfc]),
    );
  });

  it('break when what was signed is changed', () => {
    const xml = sobreFirmado(signer, 'VerificaSolicitudDescarga', 'solicitud', { IdSolicitud: folio });
    expect(checkOperacion(xml.replace(folio, folio.replace('4e', '5e')))).toMatchObject({ digest: false });
    const other = xml.replace(/<DigestValue>./, (text) => (text.endsWith('A') ? '<DigestValue>B' : '<DigestValue>A'));
    expect(checkOperacion(other)).toMatchObject({ digest: false, firma: false });
  });

  it('name the certificate by its decimal serial and its issuer', () => {
    const xml = sobreFirmado(signer, 'VerificaSolicitudDescarga', 'solicitud', { IdSolicitud: folio });
    const root = parseDom(xml);
    const ascii = Buffer.from('30001000000500003415', 'ascii').toString('hex');
    expect(textOf(root, 'X509SerialNumber')).toBe(BigInt(`0x${ascii}`).toString());
    expect(textOf(root, 'X509IssuerName')).toBe('C=MX,O=Autoridad\\, de prueba & \\"hijos\\",CN=AC DE PRUEBA');
    expect(textOf(root, 'X509Certificate')).toBe(credencial.cer.toString('base64'));
  });
});

describe('messages beside those of an independent client', () => {
  const builder = new FielRequestBuilder(fielOf(credencial));
  const query = (tipo: 'issued' | 'received') =>
    builder.query(
      QueryParameters.create(
        DateTimePeriod.createFromValues(periodo.inicio, periodo.fin),
        new DownloadType(tipo),
        new RequestType('metadata'),
      ),
    );

  // The authority does not know the certificate and refuses the request, which does not matter here.
  it.each([
    ['request of issued ones', { ...SOLICITAR, tipo: 'emitidos' } as const, () => query('issued')],
    ['request of received ones', SOLICITAR, () => query('received')],
    ['verify', VERIFICAR, () => builder.verify(folio)],
    ['download', DESCARGAR, () => builder.download(DESCARGAR.paquete)],
  ])('%s', async (_name, consulta, theirs) => {
    const { ask, requests } = await setUp();
    expect(await errorOf(ask(consulta, credencial))).toMatchObject({ motivo: 'EFIRMA_RECHAZADA' });
    expectSameMessage(String(requests.at(-1)?.body), theirs());
  });

  it('authenticate', () => {
    const now = new Date('2026-05-05T10:00:00.000Z');
    const ours = sobreAutentica(signer, now);
    const created = DateTime.create(now.toISOString());
    const theirs = builder.authorization(created, created.modify({ minutes: 5 }), 'uuid-1');
    expect(checkAutentica(ours)).toMatchObject(good);
    expect(checkAutentica(theirs)).toMatchObject(good);
    expect(shape(parseDom(ours))).toEqual(shape(parseDom(theirs)));
  });
});

/** Both verify, and both say the same; only the issuer's name may be written otherwise. */
function expectSameMessage(ours: string, theirs: string): void {
  expect(checkOperacion(ours)).toMatchObject(good);
  expect(checkOperacion(theirs)).toMatchObject(good);
  expect(textOf(parseDom(ours), 'DigestValue')).toBe(textOf(parseDom(theirs), 'DigestValue'));
  expect(shape(parseDom(ours))).toEqual(shape(parseDom(theirs)));
}

/** Elements, attributes and texts without prefixes and order of attributes; what differs by nature is masked. */
function shape(element: Element): unknown {
  const attributes = Array.from(element.attributes)
    .filter((a) => !a.name.startsWith('xmlns'))
    .map((a) => `${a.namespaceURI ?? ''}:${a.localName}=${a.value.replace(/uuid-[0-9a-f-]+/, 'uuid')}`)
    .sort();
  const children = Array.from(element.childNodes).filter((node) => node.nodeType === 1) as Element[];
  const masked = ['SignatureValue', 'X509IssuerName', 'DigestValue'].includes(element.localName ?? '');
  return {
    name: `${element.namespaceURI}:${element.localName}`,
    attributes,
    ...(children.length > 0 ? { children: children.map(shape) } : { text: masked ? '' : element.textContent }),
  };
}

function fielOf({ cer, key }: CredencialEfirma): Fiel {
  const passphrase = 'contrasena';
  const pem = createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'des-ede3-cbc',
    passphrase,
  });
  return Fiel.create(cer.toString('binary'), String(pem), passphrase);
}

// What a message says about itself, checked with a DOM and a canonicaliser that the product does not use.

/** Parses strictly: any complaint of the parser is an error. */
function parseDom(xml: string): Element {
  const document = new DOMParser({
    onError: (_level, message) => {
      throw new Error(message);
    },
  }).parseFromString(xml, 'text/xml');
  if (document.documentElement === null) throw new Error('no root');
  return document.documentElement;
}

/** The first element of that local name, prefix or not. */
function find(root: Element, name: string): Element {
  const found = root.getElementsByTagNameNS('*', name).item(0);
  if (found === null) throw new Error(`no ${name}`);
  return found;
}

function canonicalize(element: Element): string {
  // The canonicaliser is typed for its own copy of the DOM; it only walks nodes.
  return String(new ExclusiveCanonicalization().process(element as never, {}));
}

/** Checks the signature over the operation element, the grandparent of `Signature`, without the signature. */
function checkOperacion(xml: string): { digest: boolean; firma: boolean } {
  const root = parseDom(xml);
  const signature = find(root, 'Signature');
  const operacion = signature.parentNode?.parentNode as Element;
  const signedInfo = canonicalize(find(signature, 'SignedInfo'));
  const certificado = new X509Certificate(Buffer.from(textOf(signature, 'X509Certificate'), 'base64'));
  signature.parentNode?.removeChild(signature);
  return verdict(signature, canonicalize(operacion), signedInfo, certificado);
}

/** Checks the signature over the Timestamp of an authentication, found by the id that the reference names. */
function checkAutentica(xml: string): { digest: boolean; firma: boolean } {
  const root = parseDom(xml);
  const signature = find(root, 'Signature');
  const timestamp = find(root, 'Timestamp');
  const token = find(root, 'BinarySecurityToken');
  const ids = [timestamp, token].map((element) => `#${element.getAttribute('u:Id')}`);
  const named = [
    find(signature, 'Reference').getAttribute('URI'),
    find(find(signature, 'KeyInfo'), 'Reference').getAttribute('URI'),
  ];
  if (ids.join() !== named.join()) throw new Error(`references ${named} do not name ${ids}`);
  const certificado = new X509Certificate(Buffer.from(token.textContent ?? '', 'base64'));
  return verdict(signature, canonicalize(timestamp), canonicalize(find(signature, 'SignedInfo')), certificado);
}

function verdict(
  signature: Element,
  digested: string,
  signedInfo: string,
  certificado: X509Certificate,
): { digest: boolean; firma: boolean } {
  if (!signedInfo.startsWith(`<SignedInfo xmlns="${DSIG}">`)) throw new Error('SignedInfo is not of xmldsig');
  return {
    digest: createHash('sha1').update(digested).digest('base64') === textOf(signature, 'DigestValue'),
    firma: createVerify('RSA-SHA1')
      .update(signedInfo)
      .verify(certificado.publicKey, textOf(signature, 'SignatureValue'), 'base64'),
  };
}

function textOf(root: Element, name: string): string {
  return find(root, name).textContent ?? '';
}
