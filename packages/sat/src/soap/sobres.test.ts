import { createPrivateKey, X509Certificate } from 'node:crypto';
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
import type { Element } from '@xmldom/xmldom';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { createEfirma } from '../testing/certificados.ts';
import { canonicalize, checkAutentica, checkOperacion, find, parseDom, textOf } from '../testing/oraculo-firma.ts';
import { type Operacion, type SoapRig, startSoapRig } from '../testing/soap-rig.ts';
import { openEfirma } from './efirma.ts';
import { sobreAutentica, sobreFirmado } from './sobres.ts';

const credencial = createEfirma({ rfc: 'EKU9003173C9', numero: '30001000000500003415' });
const firmante = openEfirma(credencial);
const periodo = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' };
const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
const good = { digest: true, firma: true };

describe('signatures', () => {
  it('of the authentication hold for an independent canonicaliser', () => {
    expect(checkAutentica(sobreAutentica(firmante, new Date('2026-05-05T10:00:00.123Z')))).toMatchObject(good);
  });

  it('of the authentication hold for a generic xmldsig library', () => {
    const xml = sobreAutentica(firmante, new Date('2026-05-05T10:00:00Z'));
    const signed = new SignedXml({
      publicCert: new X509Certificate(credencial.cer).toString(),
      idMode: 'wssecurity',
    });
    signed.loadSignature(find(parseDom(xml), 'Signature').toString());
    expect(signed.checkSignature(xml)).toBe(true);
    expect(signed.getSignedReferences()).toEqual([canonicalize(find(parseDom(xml), 'Timestamp'))]);
  });

  it('of the operations hold for any value of an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(fc.constantFrom(...'&<>"\'\t\n\r Ñ'), fc.string()) }), (value) => {
        // Characters that XML 1.0 cannot carry are no part of any id or RFC.
        const legal = value.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
        const xml = sobreFirmado(firmante, 'VerificaSolicitudDescarga', 'solicitud', {
          RfcSolicitante: 'H&E951128469',
          IdSolicitud: legal,
        });
        expect(checkOperacion(xml)).toMatchObject(good);
        expect(find(parseDom(xml), 'solicitud').getAttribute('IdSolicitud')).toBe(legal);
      }),
      { numRuns: 50 },
    );
  });

  it('break when what was signed is changed', () => {
    const xml = sobreFirmado(firmante, 'VerificaSolicitudDescarga', 'solicitud', { IdSolicitud: folio });
    expect(checkOperacion(xml.replace(folio, folio.replace('4e', '5e')))).toMatchObject({ digest: false });
    const other = xml.replace(/<DigestValue>./, (text) => (text.endsWith('A') ? '<DigestValue>B' : '<DigestValue>A'));
    expect(checkOperacion(other)).toMatchObject({ digest: false, firma: false });
  });

  it('name the certificate by its decimal serial and its issuer', () => {
    const xml = sobreFirmado(firmante, 'VerificaSolicitudDescarga', 'solicitud', { IdSolicitud: folio });
    const root = parseDom(xml);
    const ascii = Buffer.from('30001000000500003415', 'ascii').toString('hex');
    expect(textOf(root, 'X509SerialNumber')).toBe(BigInt(`0x${ascii}`).toString());
    expect(textOf(root, 'X509IssuerName')).toBe('C=MX,O=Autoridad\\, de prueba & \\"hijos\\",CN=AC DE PRUEBA');
    expect(textOf(root, 'X509Certificate')).toBe(credencial.cer.toString('base64'));
  });
});

describe('messages beside those of an independent client', () => {
  let rig: SoapRig;
  beforeEach(async () => {
    rig = await startSoapRig({ credencial });
  });
  afterEach(() => rig.close());

  const builder = new FielRequestBuilder(fielOf(credencial));
  const query = (tipo: 'issued' | 'received') =>
    builder.query(
      QueryParameters.create(
        DateTimePeriod.createFromValues(periodo.inicio, periodo.fin),
        new DownloadType(tipo),
        new RequestType('metadata'),
      ),
    );

  /** What our channel really sends for a consulta; the stub refuses it, which does not matter here. */
  async function sent(operacion: Operacion, consulta: Parameters<SoapRig['sat']['send']>[0]): Promise<string> {
    const { signal } = new AbortController();
    await rig.sat.send(consulta, credencial, { signal }).catch(() => {});
    return rig.last(operacion).body;
  }
  const base = { rfc: 'EKU9003173C9', tipo: 'emitidos', periodo, folio } as const;

  it('request of issued ones', async () => {
    const ours = await sent('SolicitaDescargaEmitidos', { ...base, consulta: 'solicitar-metadata' });
    expectSameMessage(ours, query('issued'));
  });

  it('request of received ones', async () => {
    const ours = await sent('SolicitaDescargaRecibidos', {
      ...base,
      tipo: 'recibidos',
      consulta: 'solicitar-metadata',
    });
    expectSameMessage(ours, query('received'));
  });

  it('verify', async () => {
    const ours = await sent('VerificaSolicitudDescarga', { ...base, consulta: 'verificar-metadata' });
    expectSameMessage(ours, builder.verify(folio));
  });

  it('download', async () => {
    const ours = await sent('Descargar', { ...base, consulta: 'descargar-paquete', paquete: `${folio}_01` });
    expectSameMessage(ours, builder.download(`${folio}_01`));
  });

  it('authenticate', () => {
    const now = new Date('2026-05-05T10:00:00.000Z');
    const ours = sobreAutentica(firmante, now);
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
