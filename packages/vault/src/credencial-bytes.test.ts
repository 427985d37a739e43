import { randomBytes } from 'node:crypto';
import type { Credencial } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CredencialIlegible, decodeCredencial, encodeCredencial } from './credencial-bytes.ts';

const rfc = 'ÑUÑ920208KL4';
const buffer = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));
const credencial: fc.Arbitrary<Credencial> = fc.oneof(
  buffer.map((ciec) => ({ tipo: 'ciec' as const, rfc, ciec })),
  fc.tuple(buffer, buffer).map(([cer, key]) => ({ tipo: 'efirma' as const, rfc, cer, key })),
);

describe('credential bytes', () => {
  it('decode to the credential that was encoded', () => {
    fc.assert(
      fc.property(credencial, (value) => {
        const bytes = encodeCredencial(value);
        expect(decodeCredencial(Buffer.from(bytes), { tipo: value.tipo, rfc })).toEqual(value);
        const otra = value.tipo === 'ciec' ? 'efirma' : 'ciec';
        expect(() => decodeCredencial(bytes, { tipo: otra, rfc })).toThrow(CredencialIlegible);
        expect(bytes.every((byte) => byte === 0)).toBe(true);
      }),
    );
  });

  it('have one length for every CIEC of the SAT', () => {
    const lengths = [1, 8, 12, 16].map(
      (length) => encodeCredencial({ tipo: 'ciec', rfc, ciec: randomBytes(length) }).length,
    );
    expect(new Set(lengths)).toEqual(new Set([32]));
  });

  it('decode into memory of their own', () => {
    const bytes = encodeCredencial({ tipo: 'efirma', rfc, cer: randomBytes(9), key: randomBytes(9) });
    const decoded = decodeCredencial(bytes, { tipo: 'efirma', rfc });
    if (decoded.tipo !== 'efirma') throw new Error('not decoded');
    expect(decoded.key.buffer.byteLength).toBe(9);
  });

  it('are refused when anything is missing, too much or not zero where it must be', () => {
    const good = encodeCredencial({ tipo: 'efirma', rfc, cer: randomBytes(9), key: randomBytes(9) });
    const expectNone = (bytes: Buffer | null) => {
      const copy = bytes && Buffer.from(bytes);
      expect(() => decodeCredencial(copy, { tipo: 'efirma', rfc })).toThrow(CredencialIlegible);
    };
    expectNone(null);
    for (let length = 0; length < 27; length += 1) expectNone(good.subarray(0, length));
    expectNone(Buffer.concat([good, Buffer.alloc(32)]));
    const dirty = Buffer.from(good);
    dirty[dirty.length - 1] = 1;
    expectNone(dirty);
    const long = Buffer.from(good);
    long.writeUInt32BE(0xffffffff, 1);
    expectNone(long);
  });
});
