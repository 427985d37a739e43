import { expect, test } from 'vitest';
import { createKitWithAlta, unknownKey } from '../../apps/api/test/kit.ts';
import { createRandom, type Random, seed } from '../faults/random.ts';
import { cuerpoValido } from './fila.ts';
import { TABLA } from './tabla.ts';

/** Free queries whose valid calls answer 503 while their channel is not connected. */
const SIN_CANAL = new Set(['tax/opinion-cumplimiento-publica', 'efos/consultar', 'efos/consultar-lote']);

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
function mutated(valid: Record<string, unknown>, azar: Random): string | Buffer {
  const kind = azar.below(8);
  const field = azar.pick(Object.keys(valid));
  if (kind <= 2) return JSON.stringify({ ...valid, [field]: azar.pick(ATOMS) });
  if (kind === 3) return JSON.stringify(azar.pick(ATOMS));
  const bytes = Buffer.from(JSON.stringify(valid));
  if (kind === 4) return bytes.subarray(0, azar.below(bytes.length));
  if (kind === 5) return Buffer.concat([bytes, azar.bytes(1 + azar.below(39))]);
  if (kind === 6) return `${'{"a":['.repeat(1 + azar.below(59))}${bytes}`;
  for (let flips = 1 + azar.below(5); flips > 0; flips -= 1) bytes[azar.below(bytes.length)] = azar.below(256);
  return bytes;
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['authorization', ['', 'Bearer', 'Basic eA==', `Bearer ${unknownKey()}`, 'bearer acuse_test_x', '\u00ff']],
  ['content-type', ['', 'application/json;', 'text/json', 'application/json; charset=utf-7', 'x/y', '*/*']],
  ['user-agent', ['', 'x'.repeat(600), '\u00e1', '{}']],
  ['x-request-id', ['', 'a b', 'x'.repeat(400), '\u00f1', '"']],
  ['x-forwarded-for', ['', ',', '::', '999.1.1.1', '1.1.1.1,'.repeat(200), '[::1', 'a']],
  ['idempotency-key', ['', 'x y', 'x'.repeat(300), 'k', '\u00e9']],
  ['content-length', ['-1', '0', '999999999999999999', 'x', '1e3']],
  ['content-encoding', ['gzip', 'identity', '', 'br, gzip']],
];

async function callMalformed(times: number): Promise<void> {
  const { kit, a } = await createKitWithAlta(
    { settings: { wrongKeysPerMinute: 1_000_000, trustedProxies: ['198.51.100.0/24'] } },
    { saldo: 0 },
  );
  const azar = createRandom(seed);
  const seen = new Map<string, number>();
  for (let call = 0; call < times; call += 1) {
    const fila = azar.pick(TABLA);
    const headers = new Headers({
      'user-agent': 'pruebas/1.0',
      'content-type': 'application/json',
      authorization: `Bearer ${a.key}`,
    });
    const body = mutated(cuerpoValido(fila, a.rfc), azar);
    if (call % 3 === 0) {
      const [name, values] = azar.pick(HEADERS);
      headers.set(name, azar.pick(values));
    }
    const request = { method: 'POST', headers, body: new Uint8Array(Buffer.from(body as string)) };
    const env = { incoming: { socket: { remoteAddress: '198.51.100.7' } } };
    const response = await kit.api.app.request(`/api/v1/${fila.path}`, request, env);
    const text = await response.text();
    const { cfdi_codigo: codigo, cfdi_texto: textoError } = JSON.parse(text);
    const isQuiet = SIN_CANAL.has(fila.path) && codigo === 5041;
    if (response.status >= 500 && !isQuiet) {
      throw new Error(
        `FAULTS_SEED=${seed}: ${response.status} ${text} for ${fila.path}: ${Buffer.from(body as string).toString('hex')}`,
      );
    }
    if (!Number.isInteger(codigo) || typeof textoError !== 'string')
      throw new Error(`FAULTS_SEED=${seed}: no envelope: ${text}`);
    seen.set(`${response.status}/${codigo}`, (seen.get(`${response.status}/${codigo}`) ?? 0) + 1);
  }
  expect(await kit.movimientos(a)).toEqual([]);
  // The mutations have to reach every kind of refusal, or they prove little.
  for (const answer of ['400/2001', '400/2002', '401/1001', '403/6001', '415/9415', '413/9413', '404/2002']) {
    expect([seed, answer, seen.has(answer)]).toEqual([seed, answer, true]);
  }
}

test('every valid call, also after all others, of what they made: no failure but the SAT’s, so that no random one meets a port that only throws', async () => {
  const { kit, a } = await createKitWithAlta();
  const kept = TABLA.filter(({ path }) => !path.endsWith('/borrar'));
  const made: Record<string, unknown> = {};
  const reached = new Set<string>();
  for (const fila of [...kept, ...kept, ...TABLA]) {
    const body = Object.entries(cuerpoValido(fila, a.rfc)).map(([campo, valor]) => [campo, made[campo] ?? valor]);
    const { status, text, json } = await kit.call(fila.path, Object.fromEntries(body), { key: a.key });
    if (status >= 500 && json.cfdi_codigo !== 5041) throw new Error(`${status} ${text} for ${fila.path}`);
    if (status === 200) reached.add(fila.path);
    for (const [campo, valor] of Object.entries(json.data ?? {})) if (campo.endsWith('_id')) made[campo] = valor;
  }
  for (const path of [
    'cfdi/resumen',
    'cfdi/consultar',
    'descarga/verificar',
    'webhooks/entregas',
    'sincronizacion/cambios',
  ])
    expect([path, reached.has(path)]).toEqual([path, true]);
});
test('2,000 malformed calls: never a 5xx, always the envelope, nothing charged', { timeout: 180_000 }, () =>
  callMalformed(2_000),
);
test('20,000 malformed calls', { tags: ['slow'] }, () => callMalformed(20_000));
