import { CATALOGO, type NombreError, type SobreError } from '@acuse/contract';
import { errorsOf } from '@acuse/operation';
import { beforeAll, describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../apps/api/test/consulta.ts';
import {
  type Alta,
  type Answer,
  type CallOptions,
  createKit,
  guardaCiec,
  type Kit,
  operations,
} from '../../apps/api/test/kit.ts';
import { cuerpoValido, type Fila, valoresDeOtroTipo } from './fila.ts';
import { TABLA } from './tabla.ts';

const loaded = await operations();

/** What every operation does with every kind of wrong call: status, code, JSON envelope, and nothing charged. */
describe.each(TABLA)('$path', (fila: Fila) => {
  const { path, campos, cost, rfc } = fila;
  const errores: readonly string[] = loaded.filter((operation) => operation.path === path).flatMap(errorsOf);
  let kit: Kit;
  let a: Alta;
  let body: Record<string, unknown>;

  beforeAll(async () => {
    kit = await createKit({ settings: { wrongKeysPerMinute: 10_000 } });
    a = await kit.alta();
    body = cuerpoValido(fila, a.rfc);
  });

  const charges = () => kit.sql`SELECT count(*) FROM movimiento WHERE tipo = 'cargo'`;

  async function refuses(expected: readonly [number, number], sent: unknown, options: CallOptions): Promise<Answer> {
    const charged = await charges();
    const answer = await kit.call(path, sent, { key: a.key, ...options });
    expect([JSON.stringify(sent)?.slice(0, 80), answer.status, answer.json.cfdi_codigo]).toEqual([
      JSON.stringify(sent)?.slice(0, 80),
      ...expected,
    ]);
    expect(Number.isInteger(answer.json.cfdi_codigo)).toBe(true);
    const { error } = answer.json;
    expect(Object.keys(CATALOGO)).toContain(error);
    expect(CATALOGO[error as NombreError]).toMatchObject({ http: answer.status, codigo: answer.json.cfdi_codigo });
    expect(errores).toContain(error);
    expect(answer.json.cfdi_texto.length).toBeGreaterThan(20);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(await charges()).toEqual(charged);
    return answer;
  }

  it('no key, a bare key, Basic, a query: 401/1001', async () => {
    await refuses([401, 1001], body, { key: null });
    for (const authorization of [a.key, `Basic ${btoa(`${a.key}:`)}`, 'Bearer', `Bearer ${a.key}x`]) {
      await refuses([401, 1001], body, { headers: { authorization } });
    }
  });

  it('a revoked key: 401/1002', async () => {
    const b = await kit.alta();
    await kit.update('api_key', b.keyId, { estado: 'REVOCADA' });
    await refuses([401, 1002], body, { key: b.key });
  });

  it('a disabled operation: 403/1003, even with a broken body', async () => {
    const b = await kit.alta();
    await kit.sql`INSERT INTO operacion_deshabilitada VALUES (${b.contribuyenteId}, ${path})`;
    await refuses([403, 1003], '{', { key: b.key });
  });

  it('no User-Agent: 403/6001, before the key is looked at', async () => {
    await refuses([403, 6001], body, { key: null, headers: { 'user-agent': null } });
  });

  it('a trailing slash: the same operation', async () => {
    const answer = await kit.call(`${path}/`, {}, { key: a.key });
    const needs = Object.values(campos).some(({ requerido }) => requerido);
    const missing = 'rfc' in campos ? [400, 2002] : [400, 2001];
    expect([answer.status, answer.json.cfdi_codigo]).toEqual(needs ? missing : [200, 1]);
  });

  it('another method: 405/9405', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await refuses([405, 9405], body, { method });
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  it('another media type: 415/9415', async () => {
    await refuses([415, 9415], body, { headers: { 'content-type': 'text/plain' } });
  });

  it('a body that is too large: 413/9413', async () => {
    const kib = path.startsWith('vault/') ? 257 : 100;
    await refuses([413, 9413], { ...body, relleno: 'x'.repeat(kib * 1_024) }, {});
  });

  it('a body that is no JSON object: 400/2001', async () => {
    for (const broken of [
      '',
      '{',
      '[]',
      `[${JSON.stringify(body)}]`,
      '"x"',
      'null',
      '{"rfc":}',
      "{'rfc':1}",
      '\u0000',
    ]) {
      await refuses([400, 2001], broken, {});
    }
  });

  it('an empty body, one that is no object, a missing field and a wrong type: told apart by name and text', async () => {
    const [campo = '', { tipo }] = Object.entries(campos).find(([name]) => name !== 'rfc') ?? [
      'rfc',
      { tipo: 'string' },
    ];
    const { [campo]: _, ...without } = body;
    const isRfc = campo === 'rfc';
    const code = isRfc ? ([400, 2002] as const) : ([400, 2001] as const);
    const answers = [
      await refuses([400, 2001], '', {}),
      await refuses([400, 2001], ' \n', {}),
      await refuses([400, 2001], '[]', {}),
      ...(campos[campo]?.requerido ? [await refuses(code, without, {})] : []),
      await refuses(code, { ...body, [campo]: true }, {}),
    ];
    const names = answers.map(({ json }) => json['error']);
    const motivos = answers.slice(3).map(({ json }) => json.data?.['motivo']);
    const missing = campos[campo]?.requerido ? [isRfc ? 'RFC_INVALIDO' : 'CAMPO_FALTANTE'] : [];
    expect(names).toEqual([
      ...['CUERPO_VACIO', 'CUERPO_VACIO', 'JSON_INVALIDO', ...missing],
      isRfc ? 'RFC_INVALIDO' : 'CAMPO_INVALIDO',
    ]);
    const words: Partial<Record<typeof tipo, RegExp>> = { string: /texto|emitidos|uno de/, array: /lista/ };
    expect(motivos.at(-1)).toMatch(words[tipo] ?? /número|año/);
    if (missing.length > 0) expect(motivos[0]).toBe('falta');
  });

  it('reports all wrong fields at once, the first as campo and motivo', async () => {
    const wrong = Object.entries(campos).map(([campo, { tipo }]) => [campo, tipo === 'boolean' ? [] : true]);
    const everything = Object.fromEntries(wrong);
    const answer = await refuses('rfc' in campos ? [400, 2002] : [400, 2001], everything, {});
    const { campo, motivo, campos: all } = answer.json.data as { campo: string; motivo: string; campos: unknown[] };
    expect(all[0]).toEqual({ campo, motivo });
    expect(all).toHaveLength(Object.keys(campos).length);
    expect(all).toEqual(
      expect.arrayContaining(
        Object.keys(campos).map((name) => ({ campo: name, motivo: expect.stringMatching(/.{4,}/) })),
      ),
    );
  });

  it.each(Object.keys(campos))('an unknown field whose name is a slip of %s: refused by that name', async (campo) => {
    const camel = campo.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const slips = [
      campo.toUpperCase(),
      `${campo}s`,
      campo.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`),
      campo.slice(1),
      camel,
    ];
    for (const slip of new Set(slips.filter((name) => !(name in campos)))) {
      const answer = await refuses([400, 2001], { ...body, [slip]: 'x' }, {});
      expect([answer.json['error'], answer.json.data?.['campo']]).toEqual(['CAMPO_DESCONOCIDO', slip]);
      expect(answer.json.data?.['motivo']).toContain(`quiso decir ${campo}`);
      // With a wrong name in place of the right one, both are faults; a missing own RFC keeps its code.
      const { [campo]: value = 'x', ...without } = body;
      const instead = await refuses(campo === 'rfc' ? [400, 2002] : [400, 2001], { ...without, [slip]: value }, {});
      expect(JSON.stringify(instead.json.data?.['campos'])).toContain(`quiso decir ${campo}`);
    }
  });

  it('any other unknown field: ignored', async () => {
    const answer = await kit.call(path, { ...body, referencia: 1, pedido_interno: {}, x: null }, { key: a.key });
    expect(answer.json['error'] ?? '').not.toMatch(/^CAMPO|JSON|RFC_INVALIDO/);
  });

  it.each(Object.entries(campos))('field %s, missing or of another type', async (campo, { tipo, requerido }) => {
    const expected = campo === 'rfc' ? ([400, 2002] as const) : ([400, 2001] as const);
    for (const value of valoresDeOtroTipo(tipo)) {
      const answer = await refuses(expected, { ...body, [campo]: value }, {});
      expect(answer.json.data?.['campo']).toBe(campo);
      expect(answer.json.data?.['motivo']).toMatch(/^[^\s].{4,}/);
      expect(answer.json.data?.['motivo']).not.toMatch(/Invalid|expected|received|required/i);
    }
    const { [campo]: _, ...without } = body;
    if (requerido) expect((await refuses(expected, without, {})).json.data?.['campo']).toBe(campo);
  });

  if (rfc.startsWith('propio'))
    it('the RFC of another: 403/1003', async () => {
      const answers = [];
      for (const ajeno of [(await kit.alta()).rfc, (await kit.alta({ isRegistrada: false })).rfc, 'ZZZ200101AB1']) {
        const { text, headers } = await refuses([403, 1003], { ...body, rfc: ajeno }, {});
        answers.push([text.replaceAll(ajeno, 'RFC'), [...headers].filter(([name]) => name !== 'x-request-id')]);
      }
      // The answers do not show whether the RFC has an account.
      for (const answer of answers) expect(answer).toEqual(answers[2]);
    });

  if (rfc === 'propio')
    it('an RFC that is not registered with the key: 403/1003', async () => {
      const b = await kit.alta({ isRegistrada: false });
      await refuses([403, 1003], { ...body, rfc: b.rfc }, { key: b.key });
    });

  it('an Idempotency-Key that is none: 400/2001; a good one: the same answer again', async () => {
    const b = await kit.alta();
    await guardaCiec(kit, b);
    await guardaEfirma(kit, b);
    const sent = cuerpoValido(fila, b.rfc);
    for (const clave of ['', 'a b', 'x'.repeat(256), 'ñ']) {
      const answer = await refuses([400, 2001], sent, { key: b.key, headers: { 'idempotency-key': clave } });
      expect(answer.json.data?.['campo']).toBe('Idempotency-Key');
    }
    const options = { key: b.key, headers: { 'idempotency-key': 'pedido-1' } };
    const first = await kit.call(path, sent, options);
    const again = await kit.call(path, sent, options);
    // An error is not kept.
    expect([first.status, again.headers.get('idempotent-replayed')]).toEqual(
      first.status === 200 ? [200, 'true'] : [first.status, null],
    );
    expect(again.text).toBe(first.text);
  });

  if (cost === 1)
    it('no credits: 402/1004', async () => {
      const b = await kit.alta({ saldo: 0 });
      await guardaCiec(kit, b);
      await guardaEfirma(kit, b);
      await refuses([402, 1004], cuerpoValido(fila, b.rfc), { key: b.key });
      expect(await kit.saldo(b)).toBe(0);
    });
});

it('an unknown path: 404/9404 with the envelope', async () => {
  const kit = await createKit();
  for (const path of ['no/existe', '', 'tax', 'Tax/Facturas', 'tax/facturas/x', 'tax%2Ffacturas']) {
    const answer = await kit.call(path, {});
    expect([path, answer.status, answer.json.cfdi_codigo]).toEqual([path, 404, 9404]);
  }
});

it.each([
  ['/api/v1/tax/factura', 'tax/facturas'],
  ['/tax/facturas', 'tax/facturas'],
  ['/api/v2/vault/rfcGuardar', 'vault/rfc-guardar'],
  ['/api/v1/tax/opinion-cumplimiento-publicas', 'tax/opinion-cumplimiento-publica'],
  ['/api/v1/no/existe', null],
  [`/api/v1/${'tax/facturas'.repeat(1_000)}`, null],
])('an unknown path names the operation that it could mean: %.60s', async (path, meant) => {
  const { app } = (await createKit()).api;
  const { cfdi_texto, data } = (await (await app.request(path, { method: 'POST' })).json()) as SobreError;
  const motivo = `¿Quiso decir /api/v1/${meant}?`;
  expect(data).toEqual(meant === null ? undefined : { motivo });
  expect(cfdi_texto.startsWith(meant === null ? 'La ruta no existe. Las' : `La ruta no existe. ${motivo} Las`)).toBe(
    true,
  );
});
