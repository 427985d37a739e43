import { randomBytes, randomUUID } from 'node:crypto';
import { type ApiKey, type ApiKeyHash, type ApiKeyHasher, createApiKeyHasher, generateApiKey } from '@acuse/vault';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useDatabase } from '../integration/fixtures/database.ts';
import { newCliente, startPanel } from '../integration/panel/fixtures/panel.ts';
import { createRandom } from './random.ts';
import { sizeOf } from './sizes.ts';

const SAMPLES = 100_000;
/** Standard errors between two means that differ (dudect). */
const TELLING = 4.5;
const LOG_INS = 120;
const AT_ONCE = 20;
const GUESSES = sizeOf('guesses of a password');

interface Sample {
  readonly mean: number;
  /** Variance of the mean. */
  readonly error: number;
}

function sampleOf(values: readonly number[]): Sample {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: variance / values.length };
}

/** A key that is presented, and whether its id is known. */
type Kind = readonly [key: ApiKey, isKnown: boolean];

/**
 * Standard errors between the mean times of the two kinds that are farthest apart (Welch's t). Key and stored hash are
 * copied for each check, whatever its kind: where one copy lies in memory is no matter of the check.
 */
function apart(check: ApiKeyHasher['verifyApiKey'], stored: ApiKeyHash, kinds: readonly Kind[]): number {
  const azar = createRandom(1);
  const times = kinds.map((): number[] => []);
  for (let n = 0; n < SAMPLES; n += 1) {
    const at = azar.below(kinds.length);
    const [key, isKnown] = kinds[at] as Kind;
    const presented = { ...key, secret: Buffer.from(key.secret) };
    const copy = { ...stored, hash: Buffer.from(stored.hash) };
    const known = isKnown ? copy : null;
    const from = process.hrtime.bigint();
    check(presented, known);
    times[at]?.push(Number(process.hrtime.bigint() - from));
  }
  // What the collector or another process interrupts says nothing of the work; whichever kind it is, it is left out.
  const all = times.flat().sort((one, other) => one - other);
  const longest = all[Math.floor(all.length * 0.9)] ?? 0;
  const samples = times.map((some) => sampleOf(some.filter((time) => time <= longest)));
  console.log(samples.map(({ mean }) => `${mean.toFixed(1)} ns`).join(', '));
  return Math.max(
    ...samples.flatMap((one) =>
      samples.map((other) => Math.abs(one.mean - other.mean) / Math.sqrt(one.error + other.error)),
    ),
  );
}

describe('times of the check of a key', { timeout: 600_000 }, () => {
  const hasher = createApiKeyHasher({ peppers: new Map([[1, randomBytes(32)]]), current: 1 });
  const right = generateApiKey('live');
  const wrong = { ...right, secret: randomBytes(right.secret.length) };
  const stored = hasher.hashApiKey(right);

  it('do not tell an unknown id, a wrong secret and the right secret of a revoked key apart', () => {
    const t = apart(hasher.verifyApiKey, stored, [
      [right, false],
      [wrong, true],
      [right, true],
    ]);
    console.log(`${t.toFixed(2)} standard errors between the checks of ${SAMPLES} keys`);
    expect(t).toBeLessThan(TELLING);
  });

  it('would be told apart if an unknown id were refused without that work', () => {
    const lazy: ApiKeyHasher['verifyApiKey'] = (key, known) => known !== null && hasher.verifyApiKey(key, known);
    const t = apart(lazy, stored, [
      [right, false],
      [right, true],
    ]);
    expect(t).toBeGreaterThan(TELLING);
  });
});

describe('refused log-ins', { timeout: 600_000 }, () => {
  const database = useDatabase();
  const RARELY = { ENTRADA_CUENTA_SECONDS: '3600', ENTRADA_IP_SECONDS: '3600', ENTRADAS_IP: '100000' };
  const guesser = async (url: string, email: string) => {
    const cliente = newCliente(url);
    const _csrf = await cliente.csrf();
    return (password: string) => cliente.post('/entrar', { _csrf, email, password });
  };

  it('cost the same processor time, 5 % more or less, whether there is such an account or not', async () => {
    const panel = await startPanel({ database, env: { ...RARELY, ENTRADAS_CUENTA: '100000' } });
    onTestFinished(() => panel.close());
    const { email } = await panel.registrar();
    const guesses = [await guesser(panel.url, email), await guesser(panel.url, `${randomUUID()}@example.com`)];
    const times = guesses.map((): number[] => []);
    for (let n = 0; n < LOG_INS; n += 1)
      for (const [kind, guess] of guesses.entries()) {
        const from = process.cpuUsage();
        expect((await guess(`no es la contraseña ${n}`)).status).toBe(422);
        const { user, system } = process.cpuUsage(from);
        times[kind]?.push(user + system);
      }
    // The fastest quarter: other work of the machine slows some measurements.
    const [known = 0, unknown = 0] = times.map((some) => some.sort((a, b) => a - b)[LOG_INS / 4] ?? 0);
    console.log(`a refused log-in: ${known} µs of processor with an account, ${unknown} µs without`);
    expect(Math.abs(known / unknown - 1)).toBeLessThan(0.05);
  });

  it(`are ${GUESSES} guesses: as many are looked at as allowed, and then not even the right one`, async () => {
    const panel = await startPanel({ database, env: { ...RARELY, ENTRADAS_CUENTA: '5' } });
    onTestFinished(() => panel.close());
    const ana = await panel.registrar();
    const statuses = new Map<number, number>();
    const guess = await guesser(panel.url, ana.email);
    let left = GUESSES;
    const guessOn = async () => {
      while (left > 0) {
        left -= 1;
        const { status } = await guess(`intento ${left}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, guessOn));
    expect([...statuses].sort()).toEqual([
      [422, 5],
      [429, GUESSES - 5],
    ]);
    expect((await guess(ana.password)).status).toBe(429);
  });
});
