import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Aes128Gcm, Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { describe, expect, it, vi } from 'vitest';
import { decryptGcm } from '../crypto/aes-gcm.ts';
import {
  AES_128_GCM,
  AES_256_GCM,
  createHpke,
  createHpkeSender,
  decapsulate,
  encapsulate,
  generateX25519,
  type HpkeKeys,
  importX25519Private,
  importX25519Public,
  MAX_SEQUENCE,
  nonceOf,
} from './hpke.ts';
import { generateWorkerKeyPair, importWorkerPrivateKey } from './worker-keys.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const NONE = Buffer.alloc(0);
const INFO = hex('4f6465206f6e2061204772656369616e2055726e');
const PLAINTEXT = hex('4265617574792069732074727574682c20747275746820626561757479');
const AAD = hex('436f756e742d30');

// RFC 9180, A.1.1 and A.1.2: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM.
const VECTORS = [
  {
    name: 'A.1.1, base',
    psk: null,
    skE: '52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736',
    skR: '4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8',
    pkR: '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
    enc: '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431',
    sharedSecret: 'fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc',
    ciphertexts: new Map([
      [0, 'f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a'],
      [1, 'af2d7e9ac9ae7e270f46ba1f975be53c09f8d875bdc8535458c2494e8a6eab251c03d0c22a56b8ca42c2063b84'],
      [2, '498dfcabd92e8acedc281e85af1cb4e3e31c7dc394a1ca20e173cb72516491588d96a19ad4a683518973dcc180'],
      [4, '583bd32bc67a5994bb8ceaca813d369bca7b2a42408cddef5e22f880b631215a09fc0012bc69fccaa251c0246d'],
      [255, '7175db9717964058640a3a11fb9007941a5d1757fda1a6935c805c21af32505bf106deefec4a49ac38d71c9e0a'],
      [256, '957f9800542b0b8891badb026d79cc54597cb2d225b54c00c5238c25d05c30e3fbeda97d2e0e1aba483a2df9f2'],
    ]),
  },
  {
    name: 'A.1.2, psk',
    psk: {
      psk: hex('0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82'),
      pskId: hex('456e6e796e20447572696e206172616e204d6f726961'),
    },
    skE: '463426a9ffb42bb17dbe6044b9abd1d4e4d95f9041cef0e99d7824eef2b6f588',
    skR: 'c5eb01eb457fe6c6f57577c5413b931550a162c71a03ac8d196babbd4e5ce0fd',
    pkR: '9fed7e8c17387560e92cc6462a68049657246a09bfa8ade7aefe589672016366',
    enc: '0ad0950d9fb9588e59690b74f1237ecdf1d775cd60be2eca57af5a4b0471c91b',
    sharedSecret: '727699f009ffe3c076315019c69648366b69171439bd7dd0807743bde76986cd',
    ciphertexts: new Map([
      [0, 'e52c6fed7f758d0cf7145689f21bc1be6ec9ea097fef4e959440012f4feb73fb611b946199e681f4cfc34db8ea'],
      [1, '49f3b19b28a9ea9f43e8c71204c00d4a490ee7f61387b6719db765e948123b45b61633ef059ba22cd62437c8ba'],
      [2, '257ca6a08473dc851fde45afd598cc83e326ddd0abe1ef23baa3baa4dd8cde99fce2c1e8ce687b0b47ead1adc9'],
      [255, '55f84b030b7f7197f7d7d552365b6b932df5ec1abacd30241cb4bc4ccea27bd2b518766adfa0fb1b71170e9392'],
    ]),
  },
];

describe.each(VECTORS)('RFC 9180 $name', (vector) => {
  const hpke = createHpke({ aead: AES_128_GCM, info: INFO, psk: vector.psk });
  const recipient = importX25519Private(hex(vector.skR));
  const ephemeral = importX25519Private(hex(vector.skE));

  it('encapsulates and decapsulates', () => {
    expect(recipient.publicRaw.toString('hex')).toBe(vector.pkR);
    const encapsulated = encapsulate(importX25519Public(hex(vector.pkR)), ephemeral);
    expect(encapsulated?.enc.toString('hex')).toBe(vector.enc);
    expect(encapsulated?.sharedSecret.toString('hex')).toBe(vector.sharedSecret);
    expect(decapsulate(hex(vector.enc), recipient)?.toString('hex')).toBe(vector.sharedSecret);
  });

  it('seals and opens under sequence numbers 0 to 256', () => {
    const sender = hpke.sender(importX25519Public(hex(vector.pkR)), 257, ephemeral);
    expect(sender.enc.toString('hex')).toBe(vector.enc);
    for (let seq = 0; seq <= 256; seq += 1) {
      const aad = Buffer.from(`Count-${seq}`);
      const message = sender.seal(aad, PLAINTEXT);
      expect(message.seq).toBe(seq);
      const published = vector.ciphertexts.get(seq);
      if (published !== undefined) expect(message.ciphertext.toString('hex')).toBe(published);
      const opened = hpke.open(recipient, { enc: sender.enc, seq }, aad, message.ciphertext);
      expect(opened?.equals(PLAINTEXT)).toBe(true);
    }
  });
});

describe.each([
  { aead: AES_128_GCM, theirs: new Aes128Gcm() },
  { aead: AES_256_GCM, theirs: new Aes256Gcm() },
])('with AEAD $aead.id', ({ aead, theirs }) => {
  const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: theirs });

  it.each([
    { name: 'base', psk: null },
    { name: 'psk', psk: { psk: randomBytes(32), pskId: Buffer.from('compartida') } },
  ])('agrees both ways with an independent implementation, mode $name', async ({ psk }) => {
    const hpke = createHpke({ aead, info: INFO, psk });
    const shared = psk === null ? {} : { psk: { key: bytesOf(psk.psk), id: bytesOf(psk.pskId) } };
    for (let count = 0; count < 25; count += 1) {
      const { publicKey: x, privateKey: d } = generateWorkerKeyPair();
      const recipient = importWorkerPrivateKey(d);
      const [aad, plaintext] = [randomBytes(count), randomBytes(count * 97)];
      const jwk = { kty: 'OKP', crv: 'X25519', x: base64url(x), d: base64url(d) };
      const privateKey = await suite.kem.importKey('jwk', jwk, false);
      const publicKey = await suite.kem.importKey('raw', bytesOf(recipient.publicRaw), true);

      const ours = hpke.sender(importX25519Public(recipient.publicRaw), 3);
      const context = await suite.createRecipientContext({
        recipientKey: privateKey,
        enc: bytesOf(ours.enc),
        info: bytesOf(INFO),
        ...shared,
      });
      for (let seq = 0; seq < 3; seq += 1) {
        const { ciphertext } = ours.seal(aad, plaintext);
        const opened = await context.open(bytesOf(ciphertext), bytesOf(aad));
        expect(Buffer.from(opened).equals(plaintext)).toBe(true);
      }

      const sender = await suite.createSenderContext({ recipientPublicKey: publicKey, info: bytesOf(INFO), ...shared });
      const enc = Buffer.from(sender.enc);
      for (let seq = 0; seq < 3; seq += 1) {
        const ciphertext = Buffer.from(await sender.seal(bytesOf(plaintext), bytesOf(aad)));
        expect(hpke.open(recipient, { enc, seq }, aad, ciphertext)?.equals(plaintext)).toBe(true);
      }
    }
  });
});

function base64url(base64: string): string {
  return Buffer.from(base64, 'base64').toString('base64url');
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}

describe('HPKE', () => {
  const psk = { psk: randomBytes(32), pskId: Buffer.from('1') };
  const hpke = createHpke({ aead: AES_256_GCM, info: INFO, psk });
  const recipient = generateX25519();
  const publicKey = importX25519Public(recipient.publicRaw);

  it('opens only with the same PSK, PSK id, info, mode, AEAD, AAD, key, encapsulated key and sequence number', () => {
    const sender = hpke.sender(publicKey, 2);
    const { enc } = sender;
    sender.seal(AAD, PLAINTEXT);
    const { seq, ciphertext } = sender.seal(AAD, PLAINTEXT);
    expect(hpke.open(recipient, { enc, seq }, AAD, ciphertext)?.equals(PLAINTEXT)).toBe(true);
    expect(hpke.open(recipient, { enc, seq: 0 }, AAD, ciphertext)).toBeNull();
    expect(hpke.open(recipient, { enc, seq: 2 }, AAD, ciphertext)).toBeNull();
    expect(hpke.open(recipient, { enc: hpke.sender(publicKey, 2).enc, seq }, AAD, ciphertext)).toBeNull();
    expect(hpke.open(recipient, { enc, seq }, NONE, ciphertext)).toBeNull();
    expect(hpke.open(generateX25519(), { enc, seq }, AAD, ciphertext)).toBeNull();
    for (const other of [
      { aead: AES_256_GCM, info: INFO, psk: { ...psk, psk: randomBytes(32) } },
      { aead: AES_256_GCM, info: INFO, psk: { ...psk, pskId: Buffer.from('2') } },
      { aead: AES_256_GCM, info: NONE, psk },
      { aead: AES_256_GCM, info: INFO, psk: null },
      { aead: AES_128_GCM, info: INFO, psk },
    ]) {
      expect(createHpke(other).open(recipient, { enc, seq }, AAD, ciphertext)).toBeNull();
    }
  });

  // u = 0, u = 1, the two points of order 8, and p - 1, p, p + 1 (RFC 7748, 6.1; RFC 9180, 7.1.4).
  it.each([
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ])('stops at the point of small order %s', (point) => {
    expect(() => hpke.sender(importX25519Public(hex(point)), 1)).toThrow(RangeError);
    expect(decapsulate(hex(point), recipient)).toBeNull();
    expect(hpke.open(recipient, { enc: hex(point), seq: 0 }, AAD, randomBytes(45))).toBeNull();
  });

  it('never exports a key it has generated, which can hang Node 20', () => {
    const generated = generateKeyPairSync('x25519');
    const spies = Object.values(generated).map((key) => vi.spyOn(Object.getPrototypeOf(key), 'export'));
    try {
      const sender = hpke.sender(publicKey, 1);
      const { seq, ciphertext } = sender.seal(AAD, PLAINTEXT);
      expect(hpke.open(recipient, { enc: sender.enc, seq }, AAD, ciphertext)?.equals(PLAINTEXT)).toBe(true);
      generateWorkerKeyPair();
      for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  it('opens nothing that is too short', () => {
    const sender = hpke.sender(publicKey, 1);
    const { enc } = sender;
    const { seq, ciphertext } = sender.seal(AAD, PLAINTEXT);
    for (let length = 0; length < ciphertext.length; length += 1) {
      expect(hpke.open(recipient, { enc, seq }, AAD, ciphertext.subarray(0, length))).toBeNull();
    }
    for (let length = 0; length < enc.length; length += 1) {
      expect(hpke.open(recipient, { enc: enc.subarray(0, length), seq }, AAD, ciphertext)).toBeNull();
    }
  });

  it('demands 32 bytes of PSK and an id', () => {
    const make = (wrong: { psk: Buffer; pskId: Buffer }) => () =>
      createHpke({ aead: AES_256_GCM, info: INFO, psk: wrong });
    expect(make({ ...psk, psk: randomBytes(31) })).toThrow(RangeError);
    expect(make({ ...psk, pskId: NONE })).toThrow(RangeError);
  });
});

describe('nonceOf', () => {
  it('gives every sequence number of a context a nonce of its own', () => {
    const baseNonce = Buffer.from('0123456789abcdeffedcba98', 'hex');
    const nonces = new Set<string>();
    for (let seq = 0; seq < MAX_SEQUENCE; seq += 1) nonces.add(nonceOf(baseNonce, seq).toString('latin1'));
    expect(nonces.size).toBe(MAX_SEQUENCE);
    expect(nonceOf(baseNonce, 0).equals(baseNonce)).toBe(true);
    expect(nonceOf(baseNonce, 0xffff).toString('hex')).toBe('0123456789abcdeffedc4567');
    expect(baseNonce.toString('hex')).toBe('0123456789abcdeffedcba98');
  });
});

describe('a sender', () => {
  const keysOf = (): HpkeKeys => ({ key: randomBytes(32), baseNonce: randomBytes(12) });

  it('numbers its messages and stops at its limit, with its key wiped', () => {
    const keys = keysOf();
    const copy = { key: Buffer.from(keys.key), baseNonce: Buffer.from(keys.baseNonce) };
    const sender = createHpkeSender(Buffer.alloc(32), keys, 3);
    for (let seq = 0; seq < 3; seq += 1) {
      expect(sender.isSpent).toBe(false);
      const message = sender.seal(AAD, PLAINTEXT);
      expect(message.seq).toBe(seq);
      const nonce = nonceOf(copy.baseNonce, seq);
      expect(decryptGcm(copy.key, nonce, AAD, message.ciphertext)?.equals(PLAINTEXT)).toBe(true);
    }
    expect(sender.isSpent).toBe(true);
    expect(() => sender.seal(AAD, PLAINTEXT)).toThrow(RangeError);
    expect([...keys.key, ...keys.baseNonce].every((byte) => byte === 0)).toBe(true);
  });

  it('never seals under a wiped key', () => {
    const keys = keysOf();
    const sender = createHpkeSender(Buffer.alloc(32), keys, 3);
    sender.seal(AAD, PLAINTEXT);
    sender.wipe();
    expect(keys.key.equals(Buffer.alloc(32))).toBe(true);
    expect(sender.isSpent).toBe(true);
    expect(() => sender.seal(AAD, PLAINTEXT)).toThrow(RangeError);
  });

  it('uses a number up even when the encryption under it fails', () => {
    const sender = createHpkeSender(Buffer.alloc(32), { key: randomBytes(5), baseNonce: randomBytes(12) }, 2);
    expect(() => sender.seal(AAD, PLAINTEXT)).toThrow(TypeError);
    expect(() => sender.seal(AAD, PLAINTEXT)).toThrow(TypeError);
    expect(() => sender.seal(AAD, PLAINTEXT)).toThrow(RangeError);
  });

  it.each([0, -1, 1.5, Number.NaN, MAX_SEQUENCE + 1])('takes no limit of %d messages', (limit) => {
    expect(() => createHpkeSender(Buffer.alloc(32), keysOf(), limit)).toThrow(RangeError);
  });
});
