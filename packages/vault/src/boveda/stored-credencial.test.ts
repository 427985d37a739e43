import { randomBytes } from 'node:crypto';
import type { CredencialCiec } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { generateApiKey } from '../api-key/api-key.ts';
import { CredencialIlegible } from '../credencial-bytes.ts';
import { needsShredKey, sealCredencial } from '../envelope/credencial-envelope.ts';
import { createKeyring } from '../envelope/keyring.ts';
import { contextoDe, openGuardada, resealGuardada } from './stored-credencial.ts';

const keyring = createKeyring({ keys: new Map([['k1', randomBytes(32)]]), current: 'k1' });
const access = { cuentaId: 'cuenta-1', rfc: 'ACU200101DB1' };
const [from, to] = [generateApiKey('live'), generateApiKey('live')];
const credencial = (): CredencialCiec => ({ tipo: 'ciec', rfc: access.rfc, ciec: Buffer.from('Secreta-CIEC-016') });

function stored(shred: Buffer | null) {
  const fila = { id: 'fila-1', apiKeyId: from.keyId, expiraEn: new Date('2027-01-01T00:00:00.123Z') };
  const claves = { keyring, secret: from.secret, shredKey: shred };
  return { ...fila, shred, sobre: sealCredencial(credencial(), contextoDe(access, fila, 'ciec'), claves) };
}

describe('a credential sealed under another key', () => {
  it.each([null, randomBytes(32)])('opens under that one only, with the same expiry and shred key (%#)', (shred) => {
    const guardada = stored(shred);
    const { id, kid, sobre } = resealGuardada('ciec', guardada, { from, to }, access, keyring);
    expect([id, kid, needsShredKey(sobre)]).toEqual([guardada.id, 'k1', shred !== null]);
    const after = { ...guardada, apiKeyId: to.keyId, sobre };
    expect(openGuardada('ciec', after, { access, apiKey: to }, keyring)).toEqual(credencial());
    for (const wrong of [
      () => openGuardada('ciec', after, { access, apiKey: from }, keyring),
      () => openGuardada('ciec', { ...after, apiKeyId: from.keyId }, { access, apiKey: from }, keyring),
      () => openGuardada('ciec', { ...after, expiraEn: null }, { access, apiKey: to }, keyring),
      () => openGuardada('ciec', { ...after, shred: randomBytes(32) }, { access, apiKey: to }, keyring),
    ])
      expect(wrong).toThrow(CredencialIlegible);
  });

  it('is not made from what the typed key does not open', () => {
    const other = generateApiKey('live');
    const reseal = () => resealGuardada('ciec', stored(null), { from: other, to }, access, keyring);
    expect(reseal).toThrow(CredencialIlegible);
  });
});
