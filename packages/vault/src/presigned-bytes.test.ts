import { randomBytes } from 'node:crypto';
import { type Presigned, wipeCredencial } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { CredencialIlegible, encodeCredencial } from './credencial-bytes.ts';
import { decodePresigned, encodePresigned } from './presigned-bytes.ts';

const RFC = 'ZUÑ920208KL4';
const presignedOf = (firmas: number, size = 256): Presigned => ({
  tipo: 'presigned',
  rfc: RFC,
  cer: randomBytes(1_500),
  firmas: new Map(Array.from({ length: firmas }, () => [randomBytes(16).toString('hex'), randomBytes(size)])),
});

describe('presigned requests as bytes', () => {
  it.each([
    [0, 256],
    [1, 256],
    [1_200, 512],
  ])('comes back whole: %i signatures of %i bytes', (firmas, size) => {
    const presigned = presignedOf(firmas, size);
    const bytes = encodePresigned(presigned);
    const back = decodePresigned(bytes, RFC);
    expect(back).toEqual(presigned);
    expect([...back.firmas.keys()]).toEqual([...presigned.firmas.keys()]);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });

  it('is wiped with all its signatures', () => {
    const presigned = presignedOf(2);
    wipeCredencial(presigned);
    for (const firma of presigned.firmas.values()) expect(firma.every((byte) => byte === 0)).toBe(true);
  });

  it('is refused when it is cut, longer, of another type, or nothing', () => {
    const bytes = encodePresigned(presignedOf(2));
    const efirma = encodeCredencial({ tipo: 'efirma', rfc: RFC, cer: randomBytes(9), key: randomBytes(9) });
    const wrong = [null, Buffer.alloc(0), Buffer.from([3]), Buffer.concat([bytes, Buffer.alloc(1)]), efirma];
    for (let length = 0; length < bytes.length; length += 61) wrong.push(Buffer.from(bytes.subarray(0, length)));
    const lying = Buffer.from(bytes);
    lying.writeUInt32BE(0xff_ff_ff_ff, 1);
    for (const each of [...wrong, lying]) expect(() => decodePresigned(each, RFC)).toThrow(CredencialIlegible);
  });

  it('holds signatures of one length only', () => {
    const presigned = presignedOf(1);
    const firmas = new Map([...presigned.firmas, ['00'.repeat(16), randomBytes(128)] as const]);
    expect(() => encodePresigned({ ...presigned, firmas })).toThrow(RangeError);
  });
});
