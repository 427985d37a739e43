import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Authority,
  type CertificateOptions,
  createAuthority,
  createCertificate,
  ecPair,
  newRsaPair,
  type Pair,
  rsaPair,
} from '../../test/authority.ts';
import {
  CertificadoInvalido,
  checkCertificado,
  createTrustBundle,
  type MotivoCertificado,
  parseSubject,
  readCertificado,
  type TrustBundle,
} from './certificado.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const MORAL = { id: 'H&E951128469 / VADA800927DJ3', curp: ' / VADA800927HSRSRL05', nombre: 'HERRERÍA & ELÉCTRICOS' };
/** The period of the authority. */
const AUTORIDAD = { from: '2019-05-03T00:00:00Z', to: '2027-05-03T00:00:00Z' };
const VIGENTE = { from: '2025-01-01T00:00:00Z', to: '2029-01-01T00:00:00Z' };

let authority: Authority;
let trust: TrustBundle;
let pair: Pair;

beforeAll(() => {
  pair = rsaPair();
  authority = createAuthority({ pair: rsaPair(), ...AUTORIDAD });
  trust = createTrustBundle([authority.pem]);
});

const make = (options: Partial<CertificateOptions> = {}) =>
  createCertificate({ authority, pair, ...MORAL, ...VIGENTE, ...options });

function motivoOf(run: () => unknown): MotivoCertificado | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof CertificadoInvalido) return error.motivo;
    throw error;
  }
}

const check = (bytes: Buffer, rfc = 'H&E951128469', now = NOW, bundle = trust) =>
  motivoOf(() => checkCertificado(bytes, { rfc, now, trust: bundle }));

describe('readCertificado', () => {
  it('reads the e.firma of a legal person with its representative', () => {
    const der = make();
    expect(readCertificado(der)).toMatchObject({
      noSerie: '30001000000500003415',
      rfc: 'H&E951128469',
      curp: null,
      nombre: 'HERRERÍA & ELÉCTRICOS',
      representante: { rfc: 'VADA800927DJ3', curp: 'VADA800927HSRSRL05' },
      vigenteDesde: new Date(VIGENTE.from),
      vigenteHasta: new Date(VIGENTE.to),
      tipo: 'efirma',
      esEfirma: true,
      der,
    });
    expect(readCertificado(der).emisor).toContain('CN=AUTORIDAD CERTIFICADORA DE PRUEBA');
    expect(readCertificado(der).publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  it('reads the e.firma of a natural person, with Ñ', () => {
    const der = make({ id: 'IAÑL750210963', curp: 'IAXL750210MMCXXR04', nombre: 'LÓPEZ, ÑANDÚ "+" <X>' });
    expect(readCertificado(der)).toMatchObject({
      rfc: 'IAÑL750210963',
      curp: 'IAXL750210MMCXXR04',
      representante: null,
      nombre: 'LÓPEZ, ÑANDÚ "+" <X>',
      esEfirma: true,
    });
  });

  it('reads a CSD as what it is', () => {
    expect(readCertificado(make({ unit: 'Sucursal 1' }))).toMatchObject({ tipo: 'csd', esEfirma: false });
  });

  it('takes PEM as well, with blanks and text around it, and gives the same DER', () => {
    const der = make();
    const base64 = der.toString('base64').replaceAll(/.{64}/g, '$&\r\n');
    const pem = `Bag Attributes\n-----BEGIN CERTIFICATE-----\r\n${base64}\r\n-----END CERTIFICATE-----\n`;
    expect(readCertificado(Buffer.from(pem)).der.equals(der)).toBe(true);
  });

  it.each<[string, Buffer, MotivoCertificado]>([
    ['nothing', Buffer.alloc(0), 'NO_ES_CERTIFICADO'],
    ['a text', Buffer.from('hola'), 'NO_ES_CERTIFICADO'],
    ['PEM of a key', Buffer.from('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'), 'NO_ES_CERTIFICADO'],
    ['PEM cut off', Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA'), 'NO_ES_CERTIFICADO'],
    ['16 KiB of zeros', Buffer.alloc(16 * 1024), 'NO_ES_CERTIFICADO'],
    ['a byte more', Buffer.alloc(16 * 1024 + 1), 'DEMASIADO_GRANDE'],
  ])('refuses %s', (_, bytes, motivo) => {
    expect(motivoOf(() => readCertificado(bytes))).toBe(motivo);
  });

  it('refuses an X.509 certificate that is not of the SAT', () => {
    const wrong: readonly Partial<CertificateOptions>[] = [
      { id: 'example.com' },
      { id: 'H&E951128469 / VADA800927DJ3 / OTRO800927DJ3' },
      { more: [['x500UniqueIdentifier', 'AAA010101AAA']] },
      { noSerie: '3000100000050000341' },
      { noSerie: 'X0001000000500003415' },
    ];
    for (const options of wrong) {
      const der = make(options);
      expect(motivoOf(() => readCertificado(der))).toBe('NO_ES_DEL_SAT');
    }
  });
});

describe('checkCertificado', () => {
  it('takes a usable e.firma, at the first and at the last moment too', () => {
    const der = make();
    expect(check(der)).toBeNull();
    expect(check(der, undefined, new Date(VIGENTE.from))).toBeNull();
    expect(check(der, undefined, new Date(VIGENTE.to))).toBeNull();
  });

  it('tells expired, not yet valid and another taxpayer apart', () => {
    const der = make();
    expect(check(der, undefined, new Date('2029-01-01T00:00:01Z'))).toBe('VENCIDO');
    expect(check(der, undefined, new Date('2024-12-31T23:59:59Z'))).toBe('AUN_NO_VIGENTE');
    expect(check(der, 'VADA800927DJ3')).toBe('RFC_DISTINTO');
  });

  it('refuses a CSD, an authority, and a certificate without the uses of an e.firma', () => {
    expect(check(make({ unit: 'Sucursal 1' }))).toBe('ES_CSD');
    expect(check(make({ isAuthority: true }))).toBe('NO_ES_EFIRMA');
    expect(check(make({ withoutUses: true }))).toBe('NO_ES_EFIRMA');
  });

  it('refuses weak and foreign keys', () => {
    expect(check(make({ pair: newRsaPair(1024) }))).toBe('LLAVE_DEBIL');
    expect(check(make({ pair: newRsaPair(2048, 3) }))).toBe('LLAVE_DEBIL');
    expect(check(make({ pair: ecPair() }))).toBe('LLAVE_DEBIL');
  });

  it('never confuses an unknown issuer with an expired certificate', () => {
    const stranger = createAuthority({ pair: rsaPair(), ...AUTORIDAD, commonName: 'OTRA AUTORIDAD' });
    const der = make({ authority: stranger });
    expect(check(der)).toBe('EMISOR_DESCONOCIDO');
    const extended = createTrustBundle([authority.pem, stranger.pem]);
    expect(extended.autoridades).toHaveLength(2);
    expect(check(der, undefined, NOW, extended)).toBeNull();
    const old = make({ authority: stranger, from: '2020-01-01T00:00:00Z', to: '2024-01-01T00:00:00Z' });
    expect(check(old)).toBe('VENCIDO');
  });

  it('checks the signature and not just the name of the issuer', () => {
    const impostor = { ...authority, pair: rsaPair() };
    expect(check(make({ authority: impostor }))).toBe('EMISOR_DESCONOCIDO');
    const der = make();
    const changed = Buffer.from(der);
    changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1);
    expect(check(changed)).toBe('EMISOR_DESCONOCIDO');
  });

  it('checks the name of the issuer and not just the signature', () => {
    const sameKey = createAuthority({ pair: authority.pair, ...AUTORIDAD, commonName: 'OTRA AUTORIDAD' });
    expect(check(make(), undefined, NOW, createTrustBundle([sameKey.pem]))).toBe('EMISOR_DESCONOCIDO');
  });

  it('asks whether the issuer was within its period when it signed, not whether it is now', () => {
    const der = make();
    const afterIssuer = new Date('2028-06-01T00:00:00Z');
    expect(check(der, undefined, afterIssuer)).toBeNull();
    const before = make({ from: '2018-01-01T00:00:00Z' });
    const after = make({ from: '2027-06-01T00:00:00Z', to: '2031-01-01T00:00:00Z' });
    expect(check(before)).toBe('EMISOR_NO_VIGENTE');
    expect(check(after, undefined, afterIssuer)).toBe('EMISOR_NO_VIGENTE');
  });

  it('finds the right one of two authorities of one name', () => {
    const renewed = createAuthority({ pair: authority.pair, from: '2027-05-01T00:00:00Z', to: '2035-01-01T00:00:00Z' });
    const later = make({ from: '2028-01-01T00:00:00Z', to: '2032-01-01T00:00:00Z' });
    const bundle = createTrustBundle([authority.pem + renewed.pem]);
    expect(check(later, undefined, new Date('2029-01-01T00:00:00Z'), bundle)).toBeNull();
  });
});

describe('what may go wrong with a certificate that is taken', () => {
  const advertencias = (options: Partial<CertificateOptions> = {}, bundle = trust) =>
    checkCertificado(make(options), { rfc: 'H&E951128469', now: NOW, trust: bundle }).advertencias;

  it('is the end of AC5, by the day on which the authority ends', () => {
    expect(advertencias()).toEqual(['AUTORIDAD_AC5']);
    const later = createAuthority({ pair: rsaPair(), from: AUTORIDAD.from, to: '2033-05-03T00:00:00Z' });
    expect(advertencias({ authority: later }, createTrustBundle([later.pem]))).toEqual([]);
  });

  it.each([
    ['a letter beyond ASCII', ' / VADA800927HSRSRLÑ5'],
    ['a sign that the type does not allow', ' / VADA800927HSRSRL_5'],
  ])('is a PrintableString with %s', (_name, curp) => {
    const der = make({ curp });
    // Tag 0x13 and the length, then the text as it is.
    const written = Buffer.concat([Buffer.from([0x13, curp.length]), Buffer.from(curp, 'latin1')]);
    expect(der.includes(written)).toBe(true);
    expect(advertencias({ curp })).toEqual(['TEXTO_MAL_FORMADO', 'AUTORIDAD_AC5']);
  });
});

describe('createTrustBundle', () => {
  it('does not trust certificates that are no authority', () => {
    const responder = createAuthority({
      pair: rsaPair(),
      ...AUTORIDAD,
      isAuthority: false,
      commonName: 'OCSP DE PRUEBA',
    });
    const bundle = createTrustBundle([authority.pem, responder.pem]);
    expect(bundle.autoridades).toHaveLength(1);
    expect(check(make({ authority: responder }), undefined, NOW, bundle)).toBe('EMISOR_DESCONOCIDO');
    expect(() => createTrustBundle([responder.pem])).toThrow(RangeError);
  });

  it('refuses a bundle that is empty or damaged', () => {
    expect(() => createTrustBundle([])).toThrow(RangeError);
    expect(() => createTrustBundle(['nada'])).toThrow(RangeError);
    const damaged = authority.pem.replace(/\n[\w+/]{20}/, '\nAAAAAAAAAAAAAAAAAAAA');
    expect(() => createTrustBundle([damaged])).toThrow(RangeError);
  });
});

describe('parseSubject', () => {
  it('reads lines, leading blanks and special characters as Node escapes them', () => {
    const subject = [
      'CN=HERRERÍA & ELECTRICOS S DE CV',
      'O=A\\, B \\+ C\\; \\"D\\" \\\\ \\<E\\>',
      'x500UniqueIdentifier=H&E951128469 / VADA800927DJ3',
      'serialNumber=\\ / VADA800927HSRSRL05',
      'OU=uno + OU=dos',
      'description=con\\0Asalto',
    ].join('\n');
    expect([...parseSubject(subject)]).toEqual([
      ['CN', ['HERRERÍA & ELECTRICOS S DE CV']],
      ['O', ['A, B + C; "D" \\ <E>']],
      ['x500UniqueIdentifier', ['H&E951128469 / VADA800927DJ3']],
      ['serialNumber', [' / VADA800927HSRSRL05']],
      ['OU', ['uno', 'dos']],
      ['description', ['con\nsalto']],
    ]);
  });

  it('does not let a value invent an attribute', () => {
    expect(parseSubject('CN=x\\0Ax500UniqueIdentifier=AAA010101AAA').has('x500UniqueIdentifier')).toBe(false);
    expect(parseSubject('CN=x \\+ OU=y').has('OU')).toBe(false);
  });
});
