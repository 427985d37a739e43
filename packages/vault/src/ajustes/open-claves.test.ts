import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, rsaPair } from '../../test/authority.ts';
import { generateApiKey } from '../api-key/api-key.ts';
import { generateWorkerKeyPair } from '../sealing/worker-keys.ts';
import { firstKey, openClaves, openHasher, openKeyring, parseKeys } from './open-claves.ts';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'acuse-claves-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('keys in settings', () => {
  const read = (text: string) => text;

  it('come in order, the first in force', () => {
    const keys = parseKeys('KEYRING', 'b:2==, a:1', read);
    expect([...keys]).toEqual([
      ['b', '2=='],
      ['a', '1'],
    ]);
    expect(firstKey(keys)).toEqual({ id: 'b', key: '2==' });
  });

  it.each(['', ':', 'a', 'a:', ':1', 'a:1,a:2', 'a:1,'])('refuses %j without quoting it', (list) => {
    expect(() => parseKeys('KEYRING', list, read)).toThrow(/^KEYRING: se espera id:base64, sin ids repetidos$/);
  });
});

describe('what the settings open', () => {
  const ajustes = () => ({
    API_KEY_PEPPERS: `2:${key(2)},1:${key(1)}`,
    KEYRING: `k2:${key(4)},k1:${key(3)}`,
    WORKER_PUBLIC_KEY: `w1:${generateWorkerKeyPair().publicKey}`,
    WORKER_PSK: `p1:${key(5)}`,
    EFIRMA_AUTORIDADES: [path.join(folder, 'autoridades.pem')],
    EFIRMA_AUTORIDADES_PRUEBAS: [],
  });

  it('writes with the first of each list and reads with all', async () => {
    const span = { from: '2019-01-01T00:00:00Z', to: '2031-01-01T00:00:00Z' };
    await writeFile(path.join(folder, 'autoridades.pem'), createAuthority({ pair: rsaPair(), ...span }).pem);
    const { hasher, keyring, trust } = await openClaves(ajustes());
    const apiKey = generateApiKey('test');
    const stored = openHasher(`1:${key(1)}`).hashApiKey(apiKey);
    expect(hasher.hashApiKey(apiKey).pepperVersion).toBe(2);
    expect(hasher.verifyApiKey(apiKey, stored)).toBe(true);
    expect(keyring.current).toBe('k2');
    expect(trust.autoridades).toHaveLength(1);
  });

  it.each(['x', '0', '-1', '1.5', '2147483648'])('refuses %s as the version of a pepper', (version) => {
    expect(() => openHasher(`${version}:${key(1)}`)).toThrow(/^the version of a pepper/);
  });

  it('refuses a key of another length, and authorities that are not there', async () => {
    expect(() => openKeyring('KEYRING', 'k1:AAAA')).toThrow(RangeError);
    const missing = { ...ajustes(), EFIRMA_AUTORIDADES: [path.join(folder, 'falta.pem')] };
    await expect(openClaves(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
