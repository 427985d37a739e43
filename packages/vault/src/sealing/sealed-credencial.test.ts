import { randomBytes } from 'node:crypto';
import type { CredencialCiec, CredencialEfirma, Presigned } from '@acuse/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredencialIlegible } from '../credencial-bytes.ts';
import { createHpkeSender, type HpkeSender } from './hpke.ts';
import {
  type ContextoSolicitud,
  createOpener,
  createSealer,
  createShortLived,
  splitSealed,
} from './sealed-credencial.ts';
import {
  generateWorkerKeyPair,
  importWorkerPrivateKey,
  importWorkerPublicKey,
  publicHalfOf,
  publicKeyOf,
} from './worker-keys.ts';

const psk = randomBytes(32);
const first = generateWorkerKeyPair();
const second = generateWorkerKeyPair();

const sealerFor = (pair: { publicKey: string }, kid: string, pskId = 'p1', shared = psk) =>
  createSealer({ publicKey: importWorkerPublicKey(pair.publicKey), kid, psk: shared, pskId });

const sealer = sealerFor(first, 'w1');
const opener = createOpener({
  keys: new Map([
    ['w1', importWorkerPrivateKey(first.privateKey)],
    ['w2', importWorkerPrivateKey(second.privateKey)],
  ]),
  psks: new Map([
    ['p1', psk],
    ['p2', randomBytes(32)],
  ]),
});

const RFC = 'ZUÑ920208KL4';
const CIEC: CredencialCiec = { tipo: 'ciec', rfc: RFC, ciec: Buffer.from('0123456789abcdef') };
const EFIRMA: CredencialEfirma = { tipo: 'efirma', rfc: RFC, cer: randomBytes(1_500), key: randomBytes(1_218) };
const CONTEXTO: ContextoSolicitud = {
  solicitudId: '01981c9e-0000-7000-8000-000000000001',
  cuenta: '01981c9e-0000-7000-8000-0000000000aa',
  rfc: RFC,
  tipo: 'ciec',
  expiraEn: new Date('2026-11-24T12:00:00.000Z'),
};
const CONTEXTOS: readonly ContextoSolicitud[] = [
  CONTEXTO,
  { ...CONTEXTO, solicitudId: '01981c9e-0000-7000-8000-000000000002' },
  { ...CONTEXTO, cuenta: '01981c9e-0000-7000-8000-0000000000ab' },
  { ...CONTEXTO, rfc: 'ZUN920208KL4' },
  { ...CONTEXTO, tipo: 'efirma' },
  { ...CONTEXTO, expiraEn: new Date('2026-11-24T12:00:00.001Z') },
  { ...CONTEXTO, solicitudId: 'a', cuenta: 'bc' },
  { ...CONTEXTO, solicitudId: 'ab', cuenta: 'c' },
];

const PRESIGNED: Presigned = {
  tipo: 'presigned',
  rfc: RFC,
  cer: randomBytes(1_500),
  firmas: new Map([1, 2].map(() => [randomBytes(16).toString('hex'), randomBytes(256)])),
};

describe('signatures sealed for the workers', () => {
  it('opens for its own solicitud, account, RFC and expiry, and for no other', () => {
    const { tipo: _, ...contexto } = CONTEXTO;
    const sealed = sealer.sealPresigned(PRESIGNED, contexto);
    expect(opener.openPresigned(sealed, contexto)).toEqual(PRESIGNED);
    for (const { tipo, ...other } of CONTEXTOS.filter((each) => each.tipo === 'ciec' && each !== CONTEXTO)) {
      expect(() => opener.openPresigned(sealed, other)).toThrow(CredencialIlegible);
      expect(() => opener.open(sealed, { ...other, tipo })).toThrow(CredencialIlegible);
    }
    expect(() => sealer.sealPresigned({ ...PRESIGNED, rfc: 'ZUN920208KL4' }, contexto)).toThrow(TypeError);
  });

  it('do not open as a credential, nor a credential as signatures', () => {
    const { tipo: _, ...contexto } = CONTEXTO;
    const sealed = sealer.sealPresigned(PRESIGNED, contexto);
    for (const tipo of ['ciec', 'efirma'] as const) {
      expect(() => opener.open(sealed, { ...contexto, tipo })).toThrow(CredencialIlegible);
    }
    expect(() => opener.openPresigned(sealer.seal(CIEC, CONTEXTO), contexto)).toThrow(CredencialIlegible);
  });

  it('does not open once a byte of it has changed', () => {
    const { tipo: _, ...contexto } = CONTEXTO;
    const sealed = sealer.sealPresigned(PRESIGNED, contexto);
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((changed[at] ?? 0) ^ 1, at);
      expect(() => opener.openPresigned(changed, contexto)).toThrow(CredencialIlegible);
    }
  });

  it('is sealed by a worker with the public half of its own key', () => {
    const { tipo: _, ...contexto } = CONTEXTO;
    const own = createSealer({
      publicKey: publicHalfOf(importWorkerPrivateKey(first.privateKey)),
      kid: 'w1',
      psk,
      pskId: 'p1',
    });
    expect(opener.openPresigned(own.sealPresigned(PRESIGNED, contexto), contexto)).toEqual(PRESIGNED);
  });
});

describe('credential sealed for the workers', () => {
  it.each([CIEC, EFIRMA])('opens to the original: $tipo', (credencial) => {
    const contexto = { ...CONTEXTO, tipo: credencial.tipo };
    const sealed = sealer.seal(credencial, contexto);
    expect(opener.open(sealed, contexto)).toEqual(credencial);
    expect(opener.open(new Uint8Array(sealed), contexto)).toEqual(credencial);
    expect(sealer.seal(credencial, contexto).equals(sealed)).toBe(false);
  });

  it('does not open for any other solicitud, account, RFC, type or expiry: every pair', () => {
    for (const contexto of CONTEXTOS) {
      const credencial = { ...(contexto.tipo === 'ciec' ? CIEC : EFIRMA), rfc: contexto.rfc };
      const sealed = sealer.seal(credencial, contexto);
      for (const other of CONTEXTOS) {
        if (other === contexto) expect(opener.open(sealed, other)).toEqual(credencial);
        else expect(() => opener.open(sealed, other)).toThrow(CredencialIlegible);
      }
    }
  });

  it('shares one encapsulated key among many, each under a number of its own, and changes it after 1,000', async () => {
    const own = sealerFor(first, 'w1');
    const sealed = await Promise.all(Array.from({ length: 2_500 }, async () => own.seal(CIEC, CONTEXTO)));
    const origins = sealed.map((bytes) => splitSealed(bytes));
    const encs = new Set(origins.map((origin) => origin?.enc.toString('hex')));
    expect(encs.size).toBe(3);
    expect(new Set(origins.map((origin) => `${origin?.enc.toString('hex')} ${origin?.seq}`)).size).toBe(2_500);
    expect(Math.max(...origins.map((origin) => origin?.seq ?? 0))).toBeLessThan(1_000);
    for (const bytes of [sealed[0], sealed[999], sealed[1_000], sealed[2_499]]) {
      expect(opener.open(bytes ?? Buffer.alloc(0), CONTEXTO)).toEqual(CIEC);
    }
  });

  it('leaves no key of the API behind a second after the last one was sealed', () => {
    vi.useFakeTimers();
    try {
      const own = sealerFor(first, 'w1');
      const encOf = () => splitSealed(own.seal(CIEC, CONTEXTO))?.enc.toString('hex');
      const before = encOf();
      expect(encOf()).toBe(before);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(1_000);
      expect(encOf()).not.toBe(before);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is refused whichever bit is flipped or byte is missing', () => {
    const sealed = sealer.seal(CIEC, CONTEXTO);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flipped = Buffer.from(sealed);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => opener.open(flipped, CONTEXTO)).toThrow(CredencialIlegible);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => opener.open(sealed.subarray(0, length), CONTEXTO)).toThrow(CredencialIlegible);
    }
  });

  it('tells a key that is missing here from a copy that no key opens', () => {
    const sealed = sealerFor(first, 'w1').seal(CIEC, CONTEXTO);
    const others = new Map([['w9', importWorkerPrivateKey(first.privateKey)]]);
    expect(createOpener({ keys: others, psks: new Map([['p1', psk]]) }).lacksKey(sealed)).toBe(true);
    const same = new Map([['w1', importWorkerPrivateKey(first.privateKey)]]);
    expect(createOpener({ keys: same, psks: new Map([['p9', psk]]) }).lacksKey(sealed)).toBe(true);
    const altered = Buffer.from(sealed);
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
    for (const each of [sealed, altered, sealed.subarray(0, 3)]) expect(opener.lacksKey(each)).toBe(false);
  });

  it('rotates: old and new worker keys open side by side, a destroyed one no longer', () => {
    const before = sealer.seal(CIEC, CONTEXTO);
    const after = sealerFor(second, 'w2').seal(CIEC, CONTEXTO);
    expect([splitSealed(before)?.kid, splitSealed(after)?.kid]).toEqual(['w1', 'w2']);
    expect(opener.open(before, CONTEXTO)).toEqual(CIEC);
    expect(opener.open(after, CONTEXTO)).toEqual(CIEC);
    const later = createOpener({
      keys: new Map([['w2', importWorkerPrivateKey(second.privateKey)]]),
      psks: new Map([['p1', psk]]),
    });
    expect(later.open(after, CONTEXTO)).toEqual(CIEC);
    expect(() => later.open(before, CONTEXTO)).toThrow(CredencialIlegible);
  });

  it('is not accepted from a sender without the PSK, even for the right public key', () => {
    const forged = sealerFor(first, 'w1', 'p1', randomBytes(32)).seal(CIEC, CONTEXTO);
    expect(() => opener.open(forged, CONTEXTO)).toThrow(CredencialIlegible);
    const unknown = sealerFor(first, 'w1', 'p9').seal(CIEC, CONTEXTO);
    expect(() => opener.open(unknown, CONTEXTO)).toThrow(CredencialIlegible);
  });

  it('binds the name of the worker key, even when two names had the same key', () => {
    const twice = createOpener({
      keys: new Map(['w1', 'w2'].map((kid) => [kid, importWorkerPrivateKey(first.privateKey)])),
      psks: new Map([['p1', psk]]),
    });
    const sealed = sealer.seal(CIEC, CONTEXTO);
    expect(twice.open(sealed, CONTEXTO)).toEqual(CIEC);
    sealed.write('w2', 2, 'latin1');
    expect(splitSealed(sealed)?.kid).toBe('w2');
    expect(() => twice.open(sealed, CONTEXTO)).toThrow(CredencialIlegible);
  });

  it('refuses a credential of another context', () => {
    expect(() => sealer.seal(EFIRMA, CONTEXTO)).toThrow(TypeError);
    expect(() => sealer.seal({ ...CIEC, rfc: 'AAA010101AAA' }, CONTEXTO)).toThrow(TypeError);
  });
});

describe('worker keys', () => {
  it('survive the settings, and a private key tells its public one', () => {
    for (let count = 0; count < 20; count += 1) {
      const pair = generateWorkerKeyPair();
      expect(Buffer.from(pair.publicKey, 'base64')).toHaveLength(32);
      expect(publicKeyOf(importWorkerPrivateKey(pair.privateKey))).toBe(pair.publicKey);
    }
  });

  it('are refused at the start when wrong', () => {
    expect(() => importWorkerPublicKey('AAAA')).toThrow(RangeError);
    expect(() => importWorkerPrivateKey(`${first.privateKey} `)).toThrow(RangeError);
    const zero = { publicKey: Buffer.alloc(32).toString('base64') };
    expect(() => sealerFor(zero, 'w1')).toThrow(RangeError);
    expect(() => sealerFor(first, 'w 1')).toThrow(RangeError);
    expect(() => sealerFor(first, 'w1', '')).toThrow(RangeError);
    const keys = new Map([['w1', importWorkerPrivateKey(first.privateKey)]]);
    expect(() => createOpener({ keys, psks: new Map() })).toThrow(RangeError);
    expect(() => createOpener({ keys: new Map(), psks: new Map([['p1', psk]]) })).toThrow(RangeError);
    expect(() => createOpener({ keys, psks: new Map([['p1', randomBytes(16)]]) })).toThrow(RangeError);
  });
});

describe('short-lived senders', () => {
  const NONE = Buffer.alloc(0);
  const made: { readonly sender: HpkeSender; readonly key: Buffer }[] = [];
  const make = (limit: number) => {
    const key = randomBytes(32);
    const sender = createHpkeSender(randomBytes(32), { key, baseNonce: randomBytes(12) }, limit);
    made.push({ sender, key });
    return sender;
  };
  beforeEach(() => {
    made.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are shared until their messages are used up', () => {
    const senderForNext = createShortLived(make, { messages: 5, ms: 1_000 });
    const seen = new Set<string>();
    for (let count = 0; count < 23; count += 1) {
      const sender = senderForNext();
      seen.add(`${sender.enc.toString('hex')} ${sender.seal(NONE, NONE).seq}`);
    }
    expect(seen.size).toBe(23);
    expect(made).toHaveLength(5);
    expect(made.slice(0, 4).every(({ key }) => key.equals(Buffer.alloc(32)))).toBe(true);
  });

  it('are wiped when their time is over, used again or not, and no message goes to a wiped one', () => {
    const senderForNext = createShortLived(make, { messages: 5, ms: 1_000 });
    const first = senderForNext();
    first.seal(NONE, NONE);
    vi.advanceTimersByTime(999);
    expect(senderForNext()).toBe(first);
    vi.advanceTimersByTime(1);
    expect(made[0]?.key.equals(Buffer.alloc(32))).toBe(true);
    expect(senderForNext()).not.toBe(first);
    expect(senderForNext().seal(NONE, NONE).seq).toBe(0);
  });

  it('leave their successor alone when an old timer goes off', () => {
    const senderForNext = createShortLived(make, { messages: 1, ms: 1_000 });
    senderForNext().seal(NONE, NONE);
    vi.advanceTimersByTime(500);
    const second = senderForNext();
    vi.advanceTimersByTime(600);
    expect(second.isSpent).toBe(false);
    expect(senderForNext()).toBe(second);
  });
});
