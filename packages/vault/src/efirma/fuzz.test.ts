import { randomBytes, randomInt } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createAuthority, createCertificate, encryptLlave, type Pair, pemOf, rsaPair } from '../../test/authority.ts';
import { CertificadoInvalido, checkCertificado, createTrustBundle, readCertificado } from './certificado.ts';
import { keyMatches, LlaveInvalida, openLlave } from './llave.ts';

const PERIOD = { from: '2025-01-01T00:00:00Z', to: '2029-01-01T00:00:00Z' };

/** Damages a text in one to four places, half of the time in its first bytes, where the structure is. */
function mutate(original: Buffer): Buffer {
  const bytes = [...original];
  for (let edit = randomInt(1, 5); edit > 0; edit -= 1) {
    const where = randomInt(randomInt(2) === 0 ? Math.min(100, bytes.length) : bytes.length);
    const what = randomInt(5);
    if (what === 0) bytes.splice(where, randomInt(1, 40));
    else if (what === 1) bytes.splice(where, 0, ...randomBytes(randomInt(1, 40)));
    else if (what === 2) bytes.length = Math.max(1, where);
    else bytes[where] = randomInt(256);
    if (bytes.length === 0) break;
  }
  return Buffer.from(bytes);
}

function outcome(run: () => unknown): string {
  try {
    run();
    return 'accepted';
  } catch (error) {
    if (error instanceof CertificadoInvalido || error instanceof LlaveInvalida) return error.motivo;
    throw error;
  }
}

function tally(rounds: number, run: (round: number) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const result = run(round);
    counts.set(result, (counts.get(result) ?? 0) + 1);
  }
  return counts;
}

describe.each([
  ['some', 500, 1, []],
  ['many', inject('isDeep') ? 100_000 : 10_000, 3, ['slow']],
])('%s damaged files', (_, rounds, kinds, tags) => {
  let pair: Pair;
  let cer: Buffer;
  let pem: Buffer;
  let authorityPem: string;

  beforeAll(() => {
    pair = rsaPair();
    const authority = createAuthority({ pair: rsaPair(), ...PERIOD });
    const person = { id: 'H&E951128469 / VADA800927DJ3', curp: ' / VADA800927HSRSRL05', nombre: 'X' };
    cer = createCertificate({ authority, pair, ...person, ...PERIOD });
    pem = Buffer.from(pemOf(cer, 'CERTIFICATE'));
    authorityPem = authority.pem;
  });

  it('certificates give a typed answer, and never pass once a signed byte is changed', { tags }, () => {
    const trust = createTrustBundle([authorityPem]);
    const expected = { rfc: 'H&E951128469', now: new Date('2026-06-01'), trust };
    const counts = tally(rounds, (round) => {
      const damaged = mutate(round % 4 === 0 ? pem : cer);
      const read = outcome(() => readCertificado(damaged));
      const checked = outcome(() => {
        const { der } = checkCertificado(damaged, expected);
        // Damage outside of the certificate (text around PEM, bytes behind DER) is no damage.
        if (!der.equals(cer)) throw new Error('a changed certificate passed');
      });
      return `${read} ${checked}`;
    });
    expect(counts.size).toBeGreaterThan(kinds + 1);
  });

  it('keys give a typed answer', { tags }, () => {
    const encrypted = encryptLlave(pair, '12345678a');
    const password = Buffer.from('12345678a');
    const certificado = readCertificado(cer);
    const counts = tally(rounds, (round) => {
      const damaged = mutate(round % 2 === 0 ? encrypted : pair.pkcs8);
      return outcome(() => {
        const key = openLlave(damaged, password);
        if (round % 10 === 1) keyMatches(certificado, key);
      });
    });
    expect(counts.size).toBeGreaterThan(kinds);
  });
});
