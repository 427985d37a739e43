import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKitWithAlta, unknownKey } from '../../apps/api/test/kit.ts';
import { cuerpoValido, TABLA } from './tabla.ts';

/** Free queries whose valid calls answer 503 while their channel is not connected. */
const SIN_CANAL = new Set(['tax/opinion-cumplimiento-publica', 'efos/consultar', 'efos/consultar-lote']);

const pick = <T>(items: readonly T[]): T => {
  const item = items[randomInt(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const ATOMS: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1e308,
    1e-7,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    'ñ',
    '𝕏',
    '__proto__',
    '../..',
    '%00',
  ],
  ...["' OR 1=1 --", '<script>', '{{7*7}}', '0x41', '-0', 'NaN', '2026-13-45', '9999-99-99', 'ACU200101DB1', [], {}],
  ...[
    [[[[[]]]]],
    { a: { a: { a: {} } } },
    'x'.repeat(5_000),
    Array(300).fill(1),
    Object.fromEntries(Array(200).entries()),
  ],
];

/** A valid body with something broken: a value, a field, or bytes of its text. */
function mutated(valid: Record<string, unknown>): string | Buffer {
  const kind = randomInt(8);
  const field = pick(Object.keys(valid));
  if (kind <= 2) return JSON.stringify({ ...valid, [field]: pick(ATOMS) });
  if (kind === 3) return JSON.stringify(pick(ATOMS)) ?? '';
  const bytes = Buffer.from(JSON.stringify(valid));
  if (kind === 4) return bytes.subarray(0, randomInt(bytes.length));
  if (kind === 5) return Buffer.concat([bytes, randomBytes(randomInt(1, 40))]);
  if (kind === 6) return `${'{"a":['.repeat(randomInt(1, 60))}${bytes}`;
  for (let flips = randomInt(1, 6); flips > 0; flips -= 1) bytes[randomInt(bytes.length)] = randomInt(256);
  return bytes;
}

const HEADERS: readonly (readonly [string, () => string])[] = [
  [
    'authorization',
    () => pick(['', 'Bearer', 'Basic eA==', `Bearer ${unknownKey()}`, 'bearer acuse_test_x', '\u00ff']),
  ],
  ['content-type', () => pick(['', 'application/json;', 'text/json', 'application/json; charset=utf-7', 'x/y', '*/*'])],
  ['user-agent', () => pick(['', 'x'.repeat(600), '\u00e1', '{}'])],
  ['x-request-id', () => pick(['', 'a b', 'x'.repeat(400), '\u00f1', '"'])],
  ['x-forwarded-for', () => pick(['', ',', '::', '999.1.1.1', '1.1.1.1,'.repeat(200), '[::1', 'a'])],
  ['idempotency-key', () => pick(['', 'x y', 'x'.repeat(300), 'k', '\u00e9'])],
  ['content-length', () => pick(['-1', '0', '999999999999999999', 'x', '1e3'])],
  ['content-encoding', () => pick(['gzip', 'identity', '', 'br, gzip'])],
];

async function callMalformed(times: number): Promise<void> {
  const { kit, a } = await createKitWithAlta(
    { settings: { wrongKeysPerMinute: 1_000_000, trustedProxies: ['198.51.100.0/24'] } },
    { saldo: 0 },
  );
  const seen = new Map<string, number>();
  for (let call = 0; call < times; call += 1) {
    const fila = pick(TABLA);
    const headers = new Headers({
      'user-agent': 'pruebas/1.0',
      'content-type': 'application/json',
      authorization: `Bearer ${a.key}`,
    });
    const body = mutated(cuerpoValido(fila, a.rfc));
    if (call % 3 === 0) {
      const [name, value] = pick(HEADERS);
      headers.set(name, value());
    }
    const request = { method: 'POST', headers, body: new Uint8Array(Buffer.from(body as string)) };
    const env = { incoming: { socket: { remoteAddress: '198.51.100.7' } } };
    const response = await kit.api.app.request(`/api/v1/${fila.path}`, request, env);
    const text = await response.text();
    const { cfdi_codigo: codigo, cfdi_texto: textoError } = JSON.parse(text);
    const isQuiet = SIN_CANAL.has(fila.path) && codigo === 5041;
    if (response.status >= 500 && !isQuiet) {
      throw new Error(`${response.status} ${text} for ${fila.path}: ${Buffer.from(body as string).toString('hex')}`);
    }
    if (!Number.isInteger(codigo) || typeof textoError !== 'string') throw new Error(`no envelope: ${text}`);
    seen.set(`${response.status}/${codigo}`, (seen.get(`${response.status}/${codigo}`) ?? 0) + 1);
  }
  expect(kit.store.movimientos).toEqual([]);
  // The mutations have to reach every kind of refusal, or they prove little.
  for (const answer of ['400/2001', '400/2002', '401/1001', '403/6001', '415/9415', '413/9413', '404/2002']) {
    expect([answer, seen.has(answer)]).toEqual([answer, true]);
  }
}

test('2,000 malformed calls: never a 5xx, always the envelope, nothing charged', { timeout: 180_000 }, () =>
  callMalformed(2_000),
);
test('20,000 malformed calls', { tags: ['slow'] }, () => callMalformed(20_000));
