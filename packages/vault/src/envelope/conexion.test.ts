import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { describe, expect, it } from 'vitest';
import { generateApiKey } from '../api-key/api-key.ts';
import { CredencialIlegible, encodeCredencial } from '../credencial-bytes.ts';
import { canonicalBytes } from '../crypto/canonical.ts';
import { openDelNavegador } from '../sealing/browser-sealed.ts';
import { importX25519Public } from '../sealing/hpke.ts';
import { createOpener, createSealer } from '../sealing/sealed-credencial.ts';
import { generateWorkerKeyPair, importWorkerPrivateKey, importWorkerPublicKey } from '../sealing/worker-keys.ts';
import {
  llaveDeConexion,
  openCredencial,
  rewrapCredencial,
  sealConectada,
  wrapConectada,
} from './credencial-envelope.ts';
import { createKeyring } from './keyring.ts';

const RFC = 'ACU200101DB1';
const ID = '01936f5e-7c3a-4b1e-8f00-2a4b6c8d0e1f';
const pair = generateWorkerKeyPair();
const psk = Buffer.alloc(32, 9);
const sealer = createSealer({ publicKey: importWorkerPublicKey(pair.publicKey), kid: 'w1', psk, pskId: 'p1' });
const opener = createOpener({
  keys: new Map([['w1', importWorkerPrivateKey(pair.privateKey)]]),
  psks: new Map([['p1', psk]]),
});
const keys = new Map([['k1', Buffer.alloc(32, 8)]]);
const keyring = createKeyring({ keys, current: 'k1' });
const apiKey = generateApiKey('test');
const hasta = new Date('2027-01-01T00:00:00.000Z');
const fila = {
  tabla: 'credencial',
  id: ID,
  cuenta: 'c1',
  rfc: RFC,
  tipo: 'ciec',
  keyId: apiKey.keyId,
  expiraEn: hasta,
} as const;
const ciec = () => ({ tipo: 'ciec', rfc: RFC, ciec: Buffer.from('Ciec-de-16-letra') }) as const;

describe('a credential of a connection', () => {
  const destino = () => importX25519Public(llaveDeConexion(apiKey, ID).publicRaw);
  const stored = () => wrapConectada(sealConectada(ciec(), fila, destino()), fila, keyring);

  it('opens with the API key and the keyring together, also under a new keyring', () => {
    expect(openCredencial(stored(), fila, { keyring, secret: apiKey.secret })).toEqual(ciec());
    const next = createKeyring({ keys: new Map([...keys, ['k2', Buffer.alloc(32, 5)]]), current: 'k2' });
    const moved = rewrapCredencial(stored(), fila, next);
    expect(openCredencial(moved ?? Buffer.alloc(0), fila, { keyring: next, secret: apiKey.secret })).toEqual(ciec());
  });

  it('opens with no other API key, keyring, row or end', () => {
    const other = createKeyring({ keys: new Map([['k1', Buffer.alloc(32, 1)]]), current: 'k1' });
    const secret = apiKey.secret;
    for (const [contexto, claves] of [
      [fila, { keyring, secret: generateApiKey('test').secret }],
      [fila, { keyring: other, secret }],
      [
        { ...fila, id: ID.replace('0', '1') },
        { keyring, secret },
      ],
      [
        { ...fila, cuenta: 'c2' },
        { keyring, secret },
      ],
      [
        { ...fila, expiraEn: new Date('2028-01-01T00:00:00.000Z') },
        { keyring, secret },
      ],
    ] as const)
      expect(() => openCredencial(stored(), contexto, claves)).toThrow(CredencialIlegible);
  });

  it('goes to the API key that the API named, and to none that a writer of the database planted', () => {
    const contexto = { solicitudId: ID, cuenta: 'c1', rfc: RFC, expiraEn: hasta };
    const boleto = sealer.sealDestino(destino().raw, contexto);
    expect(opener.openDestino(boleto, contexto).raw).toEqual(destino().raw);
    const forger = createSealer({
      publicKey: importWorkerPublicKey(pair.publicKey),
      kid: 'w1',
      psk: Buffer.alloc(32, 1),
      pskId: 'p1',
    });
    const forged = forger.sealDestino(Buffer.alloc(32, 3), contexto);
    expect(() => opener.openDestino(forged, contexto)).toThrow(CredencialIlegible);
    expect(() => opener.openDestino(boleto, { ...contexto, solicitudId: `${ID}0` })).toThrow(CredencialIlegible);
  });
});

describe('what a browser seals', () => {
  /** As another implementation of RFC 9180 seals it. */
  async function sealed(contexto = { conexionId: ID, rfc: RFC }): Promise<Buffer> {
    const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
    const publicKey = new Uint8Array(sealer.publicKey).buffer;
    const sender = await suite.createSenderContext({
      recipientPublicKey: await suite.kem.deserializePublicKey(publicKey),
      info: new TextEncoder().encode('acuse/v1/conexion'),
    });
    const aad = canonicalBytes(Uint8Array.of(2), contexto.conexionId, contexto.rfc, 'w1');
    const text = await sender.seal(new Uint8Array(encodeCredencial(ciec())), new Uint8Array(aad));
    return Buffer.concat([Uint8Array.of(2, 2), Buffer.from('w1'), Buffer.from(sender.enc), Buffer.from(text)]);
  }

  it('opens for its connection and RFC alone', async () => {
    const contexto = { conexionId: ID, rfc: RFC };
    const sobre = await sealed();
    expect(openDelNavegador(sobre, contexto, opener)).toEqual(ciec());
    for (const other of [{ conexionId: ID.replace('0', '1') }, { rfc: 'EKU9003173C9' }])
      expect(() => openDelNavegador(sobre, { ...contexto, ...other }, opener)).toThrow(CredencialIlegible);
  });

  it.each([0, 1, 2, 40, 80])('does not open with a byte %i changed, or cut there', async (at) => {
    const sobre = await sealed();
    const cut = sobre.subarray(0, at);
    sobre[at] = (sobre[at] ?? 0) ^ 1;
    for (const wrong of [sobre, cut])
      expect(() => openDelNavegador(wrong, { conexionId: ID, rfc: RFC }, opener)).toThrow(CredencialIlegible);
  });
});
