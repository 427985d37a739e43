import { randomBytes } from 'node:crypto';
import { type Presigned, wipeCredencial } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { decodeCapsula, encodeCapsula } from './capsula-bytes.ts';
import { CredencialIlegible, encodeCredencial } from './credencial-bytes.ts';

const RFC = 'ZUÑ920208KL4';
const capsulaOf = (firmas: number, size = 256): Presigned => ({
  tipo: 'presigned',
  rfc: RFC,
  cer: randomBytes(1_500),
  firmas: new Map(Array.from({ length: firmas }, () => [randomBytes(16).toString('hex'), randomBytes(size)])),
});

describe('a capsula as bytes', () => {
  it.each([
    [0, 256],
    [1, 256],
    [1_200, 512],
  ])('comes back whole: %i signatures of %i bytes', (firmas, size) => {
    const capsula = capsulaOf(firmas, size);
    const bytes = encodeCapsula(capsula);
    const back = decodeCapsula(bytes, RFC);
    expect(back).toEqual(capsula);
    expect([...back.firmas.keys()]).toEqual([...capsula.firmas.keys()]);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });

  it('is wiped with all its signatures', () => {
    const capsula = capsulaOf(2);
    wipeCredencial(capsula);
    for (const firma of capsula.firmas.values()) expect(firma.every((byte) => byte === 0)).toBe(true);
  });

  it('is refused when it is cut, longer, of another type, or nothing', () => {
    const bytes = encodeCapsula(capsulaOf(2));
    const efirma = encodeCredencial({ tipo: 'efirma', rfc: RFC, cer: randomBytes(9), key: randomBytes(9) });
    const wrong = [null, Buffer.alloc(0), Buffer.from([3]), Buffer.concat([bytes, Buffer.alloc(1)]), efirma];
    for (let length = 0; length < bytes.length; length += 61) wrong.push(Buffer.from(bytes.subarray(0, length)));
    const lying = Buffer.from(bytes);
    lying.writeUInt32BE(0xff_ff_ff_ff, 1);
    for (const each of [...wrong, lying]) expect(() => decodeCapsula(each, RFC)).toThrow(CredencialIlegible);
  });

  it('holds signatures of one length only', () => {
    const capsula = capsulaOf(1);
    const firmas = new Map([...capsula.firmas, ['00'.repeat(16), randomBytes(128)] as const]);
    expect(() => encodeCapsula({ ...capsula, firmas })).toThrow(RangeError);
  });
});
