import { randomBytes } from 'node:crypto';
import type { CredencialCiec, CredencialEfirma } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { CredencialIlegible } from '../credencial-bytes.ts';
import {
  type ContextoCredencial,
  needsShredKey,
  openCredencial,
  rewrapCredencial,
  sealCredencial,
} from './credencial-envelope.ts';
import { createKeyring, type Keyring, kidOf } from './keyring.ts';

const keys = new Map([
  ['a', randomBytes(32)],
  ['b', randomBytes(32)],
]);
const keyring = createKeyring({ keys, current: 'a' });
const secret = randomBytes(32);
const claves = { keyring, secret };

const CIEC: CredencialCiec = { tipo: 'ciec', rfc: 'H&E951128469', ciec: Buffer.from('Ñandú-16-octets') };
const EFIRMA: CredencialEfirma = {
  tipo: 'efirma',
  rfc: 'H&E951128469',
  cer: randomBytes(1_400),
  key: randomBytes(1_218),
};
const CONTEXTO: ContextoCredencial = {
  tabla: 'credencial',
  id: '01981c9e-0000-7000-8000-000000000001',
  cuenta: '01981c9e-0000-7000-8000-0000000000aa',
  rfc: 'H&E951128469',
  tipo: 'ciec',
  keyId: 'AAAAbbbb0000',
  expiraEn: new Date('2026-11-21T12:00:00.123Z'),
};

/** Contexts that differ in one field each, including pairs whose fields would run together without lengths. */
const CONTEXTOS: readonly ContextoCredencial[] = [
  CONTEXTO,
  { ...CONTEXTO, tabla: 'credencial_solicitud' },
  { ...CONTEXTO, id: '01981c9e-0000-7000-8000-000000000002' },
  { ...CONTEXTO, cuenta: '01981c9e-0000-7000-8000-0000000000ab' },
  { ...CONTEXTO, rfc: 'HÑE951128469' },
  { ...CONTEXTO, tipo: 'efirma' },
  { ...CONTEXTO, keyId: 'AAAAbbbb0001' },
  { ...CONTEXTO, expiraEn: new Date('2026-11-21T12:00:00.124Z') },
  { ...CONTEXTO, expiraEn: null },
  { ...CONTEXTO, id: 'x', cuenta: 'yz' },
  { ...CONTEXTO, id: 'xy', cuenta: 'z' },
];

function openFailure(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('it opened');
}

describe('stored credential', () => {
  it.each([
    [CIEC, null],
    [CIEC, randomBytes(32)],
    [EFIRMA, null],
    [EFIRMA, randomBytes(32)],
  ])('opens to what was sealed (%#)', (credencial, shredKey) => {
    const contexto = { ...CONTEXTO, tipo: credencial.tipo };
    const sealed = sealCredencial(credencial, contexto, { ...claves, shredKey });
    expect(openCredencial(sealed, contexto, { ...claves, shredKey })).toEqual(credencial);
    expect(needsShredKey(sealed)).toBe(shredKey !== null);
    expect(kidOf(sealed.subarray(2))).toBe('a');
  });

  it('never gives the same bytes twice and shows none of its plaintext', () => {
    const seen = Array.from({ length: 50 }, () => sealCredencial(CIEC, CONTEXTO, claves).toString('latin1'));
    expect(new Set(seen).size).toBe(50);
    const sealed = sealCredencial(
      EFIRMA,
      { ...CONTEXTO, tipo: 'efirma' },
      { ...claves, shredKey: Buffer.alloc(32, 7) },
    );
    expect(sealed.includes(EFIRMA.key.subarray(0, 8))).toBe(false);
    expect(sealed.includes(EFIRMA.cer.subarray(0, 8))).toBe(false);
  });

  it('needs all three: API key, keyring and shred key', () => {
    const shredKey = randomBytes(32);
    const sealed = sealCredencial(CIEC, CONTEXTO, { ...claves, shredKey });
    const foreign = createKeyring({ keys: new Map([['a', randomBytes(32)]]), current: 'a' });
    for (const wrong of [
      { keyring, secret: randomBytes(32), shredKey },
      { keyring: foreign, secret, shredKey },
      { keyring, secret, shredKey: randomBytes(32) },
      { keyring, secret },
    ]) {
      expect(() => openCredencial(sealed, CONTEXTO, wrong)).toThrow(CredencialIlegible);
    }
    const without = sealCredencial(CIEC, CONTEXTO, claves);
    expect(() => openCredencial(without, CONTEXTO, { ...claves, shredKey })).toThrow(CredencialIlegible);
  });

  it('does not open in any context but its own: every pair', () => {
    let refused = 0;
    for (const [from, contexto] of CONTEXTOS.entries()) {
      const credencial = { ...(contexto.tipo === 'ciec' ? CIEC : EFIRMA), rfc: contexto.rfc };
      const sealed = sealCredencial(credencial, contexto, claves);
      for (const [to, other] of CONTEXTOS.entries()) {
        if (from === to) {
          expect(openCredencial(sealed, other, claves)).toEqual(credencial);
          continue;
        }
        expect(() => openCredencial(sealed, other, claves)).toThrow(CredencialIlegible);
        expect(() => rewrapCredencial(sealed, other, keyring)).toThrow(CredencialIlegible);
        refused += 1;
      }
    }
    expect(refused).toBe(CONTEXTOS.length * (CONTEXTOS.length - 1));
  });

  it('is refused with one and the same error whichever bit is flipped or byte is missing', () => {
    const shredKey = randomBytes(32);
    const opened = { ...claves, shredKey };
    const sealed = sealCredencial(CIEC, CONTEXTO, opened);
    const errors: unknown[] = [];
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flipped = Buffer.from(sealed);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      errors.push(openFailure(() => openCredencial(flipped, CONTEXTO, opened)));
    }
    for (let length = 0; length < sealed.length; length += 1) {
      errors.push(openFailure(() => openCredencial(sealed.subarray(0, length), CONTEXTO, opened)));
    }
    errors.push(openFailure(() => openCredencial(sealed, CONTEXTO, { ...opened, secret: randomBytes(32) })));
    expect(errors.length).toBe(sealed.length * 9 + 1);
    for (const error of errors) {
      expect(error).toBeInstanceOf(CredencialIlegible);
      expect(JSON.stringify([String(error), Object.keys(Object(error)), Object(error).cause])).toBe(
        JSON.stringify(['CredencialIlegible: The credential cannot be opened', ['name'], undefined]),
      );
    }
  });

  it('binds its context in the inner layer too: who holds the keyring cannot move it either', () => {
    const transparent: Keyring = {
      current: 'none',
      wrap: (plaintext) => Buffer.from(plaintext),
      unwrap: (wrapped) => Buffer.from(wrapped),
    };
    for (const contexto of CONTEXTOS) {
      const credencial = { ...(contexto.tipo === 'ciec' ? CIEC : EFIRMA), rfc: contexto.rfc };
      const sealed = sealCredencial(credencial, contexto, { keyring: transparent, secret });
      for (const other of CONTEXTOS) {
        const open = () => openCredencial(sealed, other, { keyring: transparent, secret });
        if (other === contexto) expect(open()).toEqual(credencial);
        else expect(open).toThrow(CredencialIlegible);
      }
    }
  });

  it('refuses to seal for a context that is not the credential’s, or under secrets of another length', () => {
    expect(() => sealCredencial(CIEC, { ...CONTEXTO, rfc: 'AAA010101AAA' }, claves)).toThrow(TypeError);
    expect(() => sealCredencial(EFIRMA, CONTEXTO, claves)).toThrow(TypeError);
    for (const wrong of [{ secret: randomBytes(64) }, { shredKey: randomBytes(16) }]) {
      expect(() => sealCredencial(CIEC, CONTEXTO, { ...claves, ...wrong })).toThrow(TypeError);
    }
  });
});

describe('rewrapCredencial', () => {
  const next = createKeyring({ keys, current: 'b' });

  it('moves to the current key without the API key, once', () => {
    const sealed = sealCredencial(CIEC, CONTEXTO, claves);
    const rewrapped = rewrapCredencial(sealed, CONTEXTO, next);
    if (rewrapped === null) throw new Error('not rewrapped');
    expect(kidOf(rewrapped.subarray(2))).toBe('b');
    expect(rewrapCredencial(rewrapped, CONTEXTO, next)).toBeNull();
    const onlyNew = createKeyring({ keys: new Map([...keys].filter(([kid]) => kid === 'b')), current: 'b' });
    expect(openCredencial(rewrapped, CONTEXTO, { keyring: onlyNew, secret })).toEqual(CIEC);
    expect(() => openCredencial(sealed, CONTEXTO, { keyring: onlyNew, secret })).toThrow(CredencialIlegible);
  });

  it('keeps the shred flag', () => {
    const shredKey = randomBytes(32);
    const sealed = sealCredencial(CIEC, CONTEXTO, { ...claves, shredKey });
    const rewrapped = rewrapCredencial(sealed, CONTEXTO, next);
    if (rewrapped === null) throw new Error('not rewrapped');
    expect(needsShredKey(rewrapped)).toBe(true);
    expect(openCredencial(rewrapped, CONTEXTO, { keyring: next, secret, shredKey })).toEqual(CIEC);
  });
});
