import { CfdiError } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createKit, createKitWithAlta, DE_PRUEBA, type Kit, pideEstado } from '../../test/kit.ts';
import { defineOperation } from '../operation.ts';
import { parseJsonObject } from './body.ts';

const PATH = 'vault/firma-estado';
const codes = (answer: { status: number; json: { cfdi_codigo: number } }) => [answer.status, answer.json.cfdi_codigo];

describe('the body step', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'takes %s',
    async (type) => {
      const { kit, a } = await createKitWithAlta();
      expect((await pideEstado(kit, a, { headers: { 'content-type': type } })).status).toBe(200);
    },
  );

  it.each([
    null,
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/x-www-form-urlencoded',
  ])('answers 415 to %s', async (type) => {
    const { kit, a } = await createKitWithAlta();
    const headers = { 'content-type': type ?? 'text/plain;charset=UTF-8' };
    expect(codes(await pideEstado(kit, a, { headers }))).toEqual([415, 9415]);
  });

  it('answers 415 to a compressed body', async () => {
    const { kit, a } = await createKitWithAlta();
    const headers = { 'content-encoding': 'gzip' };
    const answer = await pideEstado(kit, a, { headers });
    expect(codes(answer)).toEqual([415, 9415]);
    expect(answer.json.data).toMatchObject({ campo: 'Content-Encoding' });
    expect(answer.json.cfdi_texto).toMatch(/^Content-Encoding: .*sin comprimir/);
  });

  it('says the first reason in cfdi_texto, not the same sentence for all', async () => {
    const { kit, a } = await createKitWithAlta();
    const textOf = async (body: object) => (await kit.call('uso/consultar', body, { key: a.key })).json.cfdi_texto;
    expect(await textOf({ desde: '2026-02-30', limite: 0 })).toBe(
      'desde: debe ser una fecha real con formato AAAA-MM-DD. Corrija los campos que se indican en data.',
    );
    expect(await textOf({ desdee: '2026-02-01' })).toMatch(/^desdee: no existe; ¿quiso decir desde\? Corrija/);
    const answer = await kit.call('descarga/verificar', {}, { key: a.key });
    expect(answer.json.cfdi_texto).toBe('solicitud_id: falta. Agregue los campos que se indican en data.');
  });

  it('refuses parameters in the address, where keys would be logged, before anything else', async () => {
    const { kit, a } = await createKitWithAlta();
    for (const query of ['?rfc=ACU200101DB1', '?api_key=x', '?a']) {
      const answer = await kit.call(`${PATH}${query}`, { rfc: a.rfc }, { key: a.key });
      expect(codes(answer)).toEqual([400, 2001]);
      expect(answer.json).toMatchObject({ error: 'PARAMETROS_EN_LA_DIRECCION' });
      expect(answer.json.cfdi_texto).toMatch(/cuerpo.*JSON/);
    }
    expect((await kit.call(`${PATH}?`, { rfc: a.rfc }, { key: a.key })).status).toBe(200);
  });

  const padded = (rfc: string, bytes: number) => {
    const start = JSON.stringify({ rfc }).slice(0, -1);
    return `${start},"x":"${'a'.repeat(bytes - start.length - 9)}" }`;
  };

  it.each([
    [PATH, 256],
    ['descarga/verificar', 64],
  ])('%s takes exactly %i KiB and not a byte more', async (path, kib) => {
    const { kit, a } = await createKitWithAlta();
    const exact = padded(a.rfc, kib * 1_024);
    expect(Buffer.byteLength(exact)).toBe(kib * 1_024);
    expect((await kit.call(path, exact, { key: a.key })).json.cfdi_codigo).not.toBe(9413);
    expect(codes(await kit.call(path, `${exact} `, { key: a.key }))).toEqual([413, 9413]);
  });

  it('stops reading a chunked body at the limit', async () => {
    const { kit, a } = await createKitWithAlta();
    let given = 0;
    const body = new ReadableStream({
      pull(controller) {
        given += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
      },
    });
    const response = await kit.api.app.request(`/api/v1/descarga/verificar`, {
      method: 'POST',
      headers: { authorization: `Bearer ${a.key}`, 'user-agent': 'x', 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(given).toBeLessThan(64 * 1_024 * 4);
  });

  const wrong = async (kit: Kit, body: unknown, path = 'tax/facturas') => {
    const a = await kit.alta();
    const answer = await kit.call(path, body, { key: a.key });
    return [answer.status, answer.json.cfdi_codigo, answer.json.data?.['campo']];
  };

  const RFC = 'ACU200101DB1';
  it.each([
    [{}, 2002, 'rfc'],
    [{ rfc: null, desde: 1 }, 2002, 'rfc'],
    [{ rfc: RFC }, 2001, 'desde'],
    [{ rfc: RFC, desde: '2026-02-30', hasta: '2026-03-01' }, 2001, 'desde'],
    [{ rfc: RFC, desde: '2026-01-02', hasta: '2026-01-01' }, 2001, 'desde'],
    [{ rfc: RFC, desde: '2026-01-02', hasta: '2999-01-01' }, 2001, 'hasta'],
  ])('answers 2002 for the RFC before 2001 for any other field: %j', async (body, code, campo) => {
    expect(await wrong(await createKit(), body)).toEqual([400, code, campo]);
  });

  it.each(['a\u0000', '\ud800', 'a\udc00b'])('names the field whose text no database can hold: %j', async (nota) => {
    const anota = defineOperation({
      summary: 's',
      effect: 'changes',
      cost: 0,
      rfc: 'ninguno',
      credential: 'api-key',
      data: null,
      errors: [],
      body: z.object({ nota: z.string() }),
      handle: async () => undefined,
    });
    const kit = await createKit({ operations: [{ ...anota, path: DE_PRUEBA }] });
    expect(await wrong(kit, { nota }, DE_PRUEBA)).toEqual([400, 2001, 'nota']);
    expect(await wrong(kit, { nota: '𝕏', otro: nota }, DE_PRUEBA)).toEqual([200, 1, undefined]);
  });

  it('ignores unknown fields, also the dangerous ones', async () => {
    const { kit, a } = await createKitWithAlta();
    const body = `{"rfc":"${a.rfc}","__proto__":{"isAdmin":true},"constructor":1,"otro":[1,2]}`;
    expect((await kit.call(PATH, body, { key: a.key })).status).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  it('takes the RFC in any letter case and with blanks', async () => {
    const { kit, a } = await createKitWithAlta();
    const answer = await pideEstado(kit, { ...a, rfc: ` ${a.rfc.toLowerCase()} ` });
    expect(answer.json.data?.['rfc']).toBe(a.rfc);
  });
});

describe('secret fields', () => {
  const save = async (body: unknown) => {
    const { kit, a } = await createKitWithAlta();
    const text = typeof body === 'function' ? body(a.rfc) : JSON.stringify({ rfc: a.rfc, ...(body as object) });
    const answer = await kit.call('vault/rfc-guardar', text, { key: a.key });
    return { answer, codigo: answer.json.cfdi_codigo, data: answer.json.data };
  };

  it('answers 2001 to an empty secret', async () => {
    const { codigo, data } = await save((rfc: string) => JSON.stringify({ rfc, ciec: '' }));
    expect([codigo, data?.['campo']]).toEqual([2001, 'ciec']);
  });

  it('refuses a secret that stands there twice, and broken JSON around one', async () => {
    const twice = await save((rfc: string) => `{"rfc":"${rfc}","ciec":"aaaaaaaaaaaaaaaa","ciec":"bbbbbbbbbbbbbbbb"}`);
    expect([twice.codigo, twice.data?.['campo']]).toEqual([2001, 'ciec']);
    const broken = await save((rfc: string) => `{"rfc":"${rfc}","ciec":"SECRETO-SECRETO-`);
    expect(broken.codigo).toBe(2001);
    expect(broken.answer.text).not.toContain('SECRETO');
    expect(broken.answer.json.cfdi_texto).toMatch(/válido\. El error está en la línea 1, columna 30\. Envíe/);
  });
});

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text as string));
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('parseJsonObject', () => {
  it('takes an object, with brackets inside of its strings', () => {
    expect(parse('{"a":"[[[\\"{{{","b":[1]}')).toEqual({ a: '[[["{{{', b: [1] });
    expect(parse(`{"a":"${'['.repeat(100)}"}`)).toEqual({ a: '['.repeat(100) });
  });

  it('takes 32 levels and refuses 33', () => {
    expect(parse(nested(32))).toBeTypeOf('object');
    expect(() => parse(nested(33))).toThrow(CfdiError);
    expect(() => parse('['.repeat(60_000))).toThrow(CfdiError);
  });

  it.each(['', ' ', '[]', '"a"', '1', 'null', 'true', '{', '{"a":}', '{"a":1}x', "{'a':1}", '{"a":1,}'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(CfdiError);
    },
  );

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(CfdiError);
  });

  it.each([
    ['{"a":1\n "b":2}', 2, 2],
    ['{"ñ":"😀",}', 1, 10],
    ['{"a":01}', 1, 7],
    ['[]', 1, 1],
    ['{"a":"x', 1, 6],
  ])('names the place of the mistake in %j', (text, line, column) => {
    const motivo = `El error está en la línea ${line}, columna ${column}.`;
    expect(() => parse(text)).toThrow(expect.objectContaining({ datos: { motivo } }));
  });

  it('quotes nothing of the body in its error', () => {
    try {
      parse('{"ciec":"SECRETO"');
    } catch (error) {
      expect(JSON.stringify([error, String(error), error instanceof Error && error.cause])).not.toContain('SECRETO');
    }
  });
});
