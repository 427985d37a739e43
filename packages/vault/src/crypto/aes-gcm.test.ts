import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decryptGcm, encryptGcm, openGcm, sealGcm } from './aes-gcm.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const FEFFE9 = 'feffe9928665731c6d6a8f9467308308';
const PLAINTEXT =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
  '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39';

// The test cases of the GCM submission to NIST (McGrew and Viega, appendix B): 4, 13, 14 and 16.
const VECTORS = [
  {
    name: 'case 4, 128 bits with AAD',
    key: FEFFE9,
    iv: 'cafebabefacedbaddecaf888',
    aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    plaintext: PLAINTEXT,
    sealed:
      '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e' +
      '21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091' +
      '5bc94fbc3221a5db94fae95ae7121a47',
  },
  {
    name: 'case 13, empty',
    key: '00'.repeat(32),
    iv: '00'.repeat(12),
    aad: '',
    plaintext: '',
    sealed: '530f8afbc74536b9a963b4f1c4cb738b',
  },
  {
    name: 'case 14, one block',
    key: '00'.repeat(32),
    iv: '00'.repeat(12),
    aad: '',
    plaintext: '00'.repeat(16),
    sealed: 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    name: 'case 16, 256 bits with AAD',
    key: FEFFE9 + FEFFE9,
    iv: 'cafebabefacedbaddecaf888',
    aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    plaintext: PLAINTEXT,
    sealed:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa' +
      '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662' +
      '76fc6ece0f4e1768cddf8853bb2d551b',
  },
];

describe('AES-GCM', () => {
  it.each(VECTORS)('gives the published answer: $name', ({ key, iv, aad, plaintext, sealed }) => {
    expect(encryptGcm(hex(key), hex(iv), hex(aad), hex(plaintext)).toString('hex')).toBe(sealed);
    expect(decryptGcm(hex(key), hex(iv), hex(aad), hex(sealed))?.toString('hex')).toBe(plaintext);
  });

  it.each([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])('refuses an authentic tag cut to %i bytes', (tagLength) => {
    const [key, iv, aad] = [randomBytes(32), randomBytes(12), randomBytes(8)];
    // No plaintext, so that the sealed bytes are the tag alone and cutting it leaves nothing ambiguous.
    const tag = encryptGcm(key, iv, aad, Buffer.alloc(0));
    expect(decryptGcm(key, iv, aad, tag)).not.toBeNull();
    expect(decryptGcm(key, iv, aad, tag.subarray(0, tagLength))).toBeNull();
  });

  it('opens only with the same key, IV, AAD and bytes', () => {
    const [key, aad] = [randomBytes(32), randomBytes(8)];
    const sealed = sealGcm(key, aad, Buffer.from('contenido'));
    expect(openGcm(key, aad, sealed)?.toString()).toBe('contenido');
    expect(openGcm(randomBytes(32), aad, sealed)).toBeNull();
    expect(openGcm(key, randomBytes(8), sealed)).toBeNull();
    for (let length = 0; length < sealed.length; length += 1) {
      expect(openGcm(key, aad, sealed.subarray(0, length))).toBeNull();
    }
  });

  it('never repeats an IV in 100,000 encryptions', { tags: ['slow'] }, () => {
    const key = randomBytes(32);
    const ivs = new Set<string>();
    for (let count = 0; count < 100_000; count += 1) {
      ivs.add(sealGcm(key, Buffer.alloc(0), Buffer.alloc(1)).subarray(0, 12).toString('latin1'));
    }
    expect(ivs.size).toBe(100_000);
  });

  it('takes keys of 16 and 32 bytes and IVs of 12 only', () => {
    expect(() => encryptGcm(randomBytes(24), randomBytes(12), Buffer.alloc(0), Buffer.alloc(1))).toThrow(TypeError);
    expect(() => encryptGcm(randomBytes(32), randomBytes(16), Buffer.alloc(0), Buffer.alloc(1))).toThrow(TypeError);
    expect(decryptGcm(randomBytes(32), randomBytes(16), Buffer.alloc(0), randomBytes(32))).toBeNull();
  });
});
