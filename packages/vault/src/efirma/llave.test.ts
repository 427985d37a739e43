import { createPrivateKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createAuthority,
  createCertificate,
  ecPair,
  encryptLlave,
  type Pair,
  pemOf,
  rsaPair,
} from '../../test/authority.ts';
import { integer, octets, oid, sequence } from '../../test/der-writer.ts';
import { type Certificado, readCertificado } from './certificado.ts';
import { keyMatches, LlaveInvalida, MAX_ROUNDS, type MotivoLlave, openLlave, pkcs8Kind } from './llave.ts';

const PASSWORD = 'contraseña-Ñ&';
let pair: Pair;
let encrypted: Buffer;

beforeAll(() => {
  pair = rsaPair();
  encrypted = encryptLlave(pair, PASSWORD);
});

const open = (bytes: Buffer, password = PASSWORD) => openLlave(bytes, Buffer.from(password));

function motivoOf(run: () => unknown): MotivoLlave | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof LlaveInvalida) return error.motivo;
    throw error;
  }
}

// Schemes that OpenSSL 3 does not write.
const encryptedInfo = (scheme: Buffer) => sequence(scheme, octets(randomBytes(1_224)));
const pbkdf2 = (rounds: number) =>
  sequence(oid('1.2.840.113549.1.5.12'), sequence(octets(randomBytes(8)), integer(rounds)));
const pbes2 = (derivation: Buffer, cipher: Buffer) =>
  encryptedInfo(sequence(oid('1.2.840.113549.1.5.13'), sequence(derivation, cipher)));
const TRIPLE_DES = sequence(oid('1.2.840.113549.3.7'), octets(randomBytes(8)));
const SINGLE_DES = sequence(oid('1.3.14.3.2.7'), octets(randomBytes(8)));
const scrypt = sequence(oid('1.3.6.1.4.1.11591.4.11'), sequence(octets(randomBytes(8)), integer(2_048)));
const pbe = (scheme: string, rounds: number) =>
  encryptedInfo(sequence(oid(scheme), sequence(octets(randomBytes(8)), integer(rounds))));

describe('openLlave', () => {
  it.each(['des-ede3-cbc', 'aes-128-cbc', 'aes-256-cbc'])('opens a key encrypted with %s', (cipher) => {
    expect(open(encryptLlave(pair, PASSWORD, cipher)).equals(pair.pkcs8)).toBe(true);
  });

  it('opens a key without a password and a key in PEM', () => {
    expect(open(pair.pkcs8).equals(pair.pkcs8)).toBe(true);
    for (const [label, bytes] of [
      ['ENCRYPTED PRIVATE KEY', encrypted],
      ['PRIVATE KEY', pair.pkcs8],
    ] as const) {
      expect(open(Buffer.from(pemOf(bytes, label))).equals(pair.pkcs8)).toBe(true);
    }
  });

  it('says PASSWORD_INCORRECTA for 600 wrong passwords, whichever way OpenSSL fails', () => {
    for (let count = 0; count < 600; count += 1) {
      expect(motivoOf(() => open(encrypted, `incorrecta ${count}`))).toBe('PASSWORD_INCORRECTA');
    }
    expect(motivoOf(() => open(encrypted, ''))).toBe('PASSWORD_INCORRECTA');
    expect(motivoOf(() => open(encrypted, 'x'.repeat(5_000)))).toBe('PASSWORD_INCORRECTA');
  });

  it('says PASSWORD_INCORRECTA also when the padding happens to fit', () => {
    const codes = new Set<unknown>();
    // It fits for one password in 255, whatever the key: 20,000 in a row that do not are not to be expected.
    for (let count = 0; count < 20_000 && codes.size < 2; count += 1) {
      const passphrase = Buffer.from(`intento ${count}`);
      try {
        createPrivateKey({ key: encrypted, format: 'der', type: 'pkcs8', passphrase });
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : null;
        if (code !== 'ERR_OSSL_BAD_DECRYPT')
          expect(motivoOf(() => openLlave(encrypted, passphrase))).toBe('PASSWORD_INCORRECTA');
        codes.add(code === 'ERR_OSSL_BAD_DECRYPT' ? code : 'ASN.1');
      }
    }
    expect(codes).toEqual(new Set(['ERR_OSSL_BAD_DECRYPT', 'ASN.1']));
  });

  it('says CIFRADO_NO_SOPORTADO for schemes that are no longer opened', () => {
    for (const [name, bytes] of Object.entries({
      'PBES2 with DES': pbes2(pbkdf2(2_048), SINGLE_DES),
      'PBE with MD5 and DES': pbe('1.2.840.113549.1.5.3', 2_048),
      'PBE with SHA-1 and RC2': pbe('1.2.840.113549.1.12.1.6', 2_048),
      'PBES2 with scrypt': pbes2(scrypt, TRIPLE_DES),
    })) {
      expect([name, motivoOf(() => open(bytes))]).toEqual([name, 'CIFRADO_NO_SOPORTADO']);
    }
  });

  it('does not compute more rounds than it can afford', () => {
    const rounds = (count: number) => motivoOf(() => open(pbes2(pbkdf2(count), TRIPLE_DES)));
    expect(rounds(MAX_ROUNDS)).toBe('PASSWORD_INCORRECTA');
    expect(rounds(MAX_ROUNDS + 1)).toBe('CIFRADO_NO_SOPORTADO');
    expect(rounds(0x7fffffff)).toBe('CIFRADO_NO_SOPORTADO');
    expect(rounds(0xffffffff)).toBe('CIFRADO_NO_SOPORTADO');
    expect(motivoOf(() => open(pbe('1.2.840.113549.1.12.1.3', 0x7fffffff)))).toBe('CIFRADO_NO_SOPORTADO');
    expect(pkcs8Kind(pbe('1.2.840.113549.1.12.1.3', 2_048))).toBe('encrypted');
  });

  it('says NO_ES_LLAVE for bytes that are not PKCS#8, before it tries the password', () => {
    const authority = createAuthority({ pair, from: '2020-01-01', to: '2030-01-01' });
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('hola'),
      Buffer.from('-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----'),
      Buffer.from('-----BEGIN PRIVATE KEY-----\n*\n-----END PRIVATE KEY-----'),
      authority.der,
      randomBytes(1_300),
      encrypted.subarray(0, -1),
      sequence(integer(0), sequence(oid('1.2.840.113549.1.1.1')), octets(randomBytes(9))),
    ]) {
      expect(motivoOf(() => open(bytes))).toBe('NO_ES_LLAVE');
    }
    expect(motivoOf(() => open(Buffer.alloc(16 * 1024 + 1)))).toBe('DEMASIADO_GRANDE');
  });

  it('says NO_ES_RSA for a key of another kind', () => {
    expect(motivoOf(() => open(encryptLlave(ecPair(), PASSWORD)))).toBe('NO_ES_RSA');
  });

  it('carries no cause and no text of the input in its error', () => {
    try {
      open(encrypted, 'secreta');
      throw new Error('it opened');
    } catch (error) {
      expect(error).toBeInstanceOf(LlaveInvalida);
      expect(Object(error).cause).toBeUndefined();
      expect(String(error)).toBe('LlaveInvalida: PASSWORD_INCORRECTA');
    }
  });
});

describe('keyMatches', () => {
  let certificado: Certificado;
  let cer: Buffer;

  beforeAll(() => {
    const authority = createAuthority({ pair: rsaPair(), from: '2020-01-01', to: '2030-01-01' });
    cer = createCertificate({
      authority,
      pair,
      id: 'IAÑL750210963',
      curp: 'IAXL750210MMCXXR04',
      nombre: 'X',
      from: '2025-01-01',
      to: '2029-01-01',
    });
    certificado = readCertificado(cer);
  });

  it('knows the pair from any other key', () => {
    expect(keyMatches(certificado, pair.pkcs8)).toBe(true);
    expect(keyMatches(certificado, rsaPair().pkcs8)).toBe(false);
    expect(keyMatches(certificado, ecPair().pkcs8)).toBe(false);
    expect(keyMatches(certificado, Buffer.from('nada'))).toBe(false);
  });

  it('refuses a key that only claims the modulus of the certificate', () => {
    const open = (key: Buffer) => createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const modulusOf = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url');
    const other = open(rsaPair().pkcs8);
    // Node 24 refuses such a key as JWK.
    const key = other.export({ type: 'pkcs1', format: 'der' });
    modulusOf(open(pair.pkcs8)).copy(key, key.indexOf(modulusOf(other)));
    const forged = createPrivateKey({ key, format: 'der', type: 'pkcs1' });
    // Comparing the public halves, as Node's own check does, is fooled.
    expect(new X509Certificate(cer).checkPrivateKey(forged)).toBe(true);
    expect(keyMatches(certificado, forged.export({ type: 'pkcs8', format: 'der' }))).toBe(false);
  });
});
