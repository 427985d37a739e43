import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createKit, createKitWithAlta, guardaCiec, operations, pideEstado } from '../../test/kit.ts';
import { defineOperation } from '../operation.ts';

describe('every answer', () => {
  it('carries the request id, the envelope and the security headers', async () => {
    const { kit, a } = await createKitWithAlta();
    const cases = [
      kit.call('vault/rfc-registrar', { rfc: a.rfc }, { key: a.key }),
      kit.call('vault/rfc-registrar', { rfc: a.rfc }, { key: null }),
      kit.call('vault/rfc-registrar', {}, { method: 'GET' }),
      kit.call('no/existe', {}),
    ];
    for (const answer of await Promise.all(cases)) {
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(Number.isInteger(answer.json.cfdi_codigo)).toBe(true);
    }
  });

  it('echoes a sane request id and replaces any other', async () => {
    const kit = await createKit();
    const idFor = async (id: string) =>
      (await kit.call('no/existe', {}, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('pedido-42_a.b')).toBe('pedido-42_a.b');
    for (const id of ['', 'a b', 'x'.repeat(65), 'ñ', '<script>', '{"a":1}']) {
      expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('notes the last use of the key in a batch, with the address', async () => {
    const { kit, a } = await createKitWithAlta();
    for (const from of ['192.0.2.1', '192.0.2.2']) {
      await pideEstado(kit, a, { from });
    }
    expect(await kit.filas('api_key_uso', a)).toEqual([]);
    await kit.api.close();
    expect(await kit.filas('api_key_uso', a)).toEqual([
      { api_key_id: a.keyId, ultimo_uso_en: kit.now(), ultima_ip: '192.0.2.2' },
    ]);
  });
});

describe('secrets', () => {
  it('are zeroed when the call ends: the key, the secret fields and the opened credentials', async () => {
    const held: Buffer[] = [];
    const declaracion = defineOperation({
      summary: 's',
      effect: 'reads',
      cost: 0,
      rfc: 'ninguno',
      credential: 'ciec',
      data: null,
      errors: [],
      body: z.object({}),
      secretos: { clave: { required: true, encoding: 'texto', maxBytes: 99, description: 'd', example: 'e' } },
      async handle(_body, { secretos, apiKey, credenciales }) {
        const credencial = credenciales[0]?.open();
        if (credencial?.tipo !== 'ciec') throw new Error('no CIEC');
        held.push(secretos.clave, apiKey.secret, credencial.ciec);
        expect(held.map((buffer) => buffer.some((byte) => byte !== 0))).toEqual([true, true, true]);
        return undefined;
      },
    });
    const all = [...(await operations()), { ...declaracion, path: 'tax/de-prueba' }];
    const { kit, a } = await createKitWithAlta({ operations: all });
    await guardaCiec(kit, a);
    expect((await kit.call('tax/de-prueba', { clave: 'secreto' }, { key: a.key })).status).toBe(200);
    expect(held.map((buffer) => buffer.some((byte) => byte !== 0))).toEqual([false, false, false]);
  });
});
