import { createHash } from 'node:crypto';
import { CfdiError } from '@acuse/contract';
import { createSaldos } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Alta,
  createKit,
  createKitWithAlta,
  DE_PRUEBA,
  guardaCiec,
  type Kit,
  type KitOptions,
  NOW,
} from '../../test/kit.ts';
import { defineOperation } from '../operation.ts';
import { canonicalJson } from './body.ts';

async function kitWith(handle: () => Promise<{ n: number }>, options: KitOptions = {}): Promise<Kit> {
  const declaracion = defineOperation({
    summary: 's',
    cost: 1,
    rfc: 'ninguno',
    credential: 'api-key',
    data: z.object({ n: z.number() }),
    effect: 'asks',
    body: z.object({ a: z.number().optional(), b: z.number().optional() }),
    errors: ['SAT_NO_DISPONIBLE', 'CERTIFICADO_INVALIDO'],
    handle,
  });
  return createKit({ ...options, operations: [{ ...declaracion, path: DE_PRUEBA }] });
}

function counting(): { handle: () => Promise<{ n: number }>; runs: () => number } {
  let n = 0;
  return { handle: async () => ({ n: ++n }), runs: () => n };
}

const ask = (kit: Kit, a: Alta, body: unknown = { a: 1 }, clave = 'pedido-1') =>
  kit.call(DE_PRUEBA, body, { key: a.key, headers: { 'idempotency-key': clave } });
const charges = async (kit: Kit, a: Alta) => (await kit.movimientos(a)).filter((tipo) => tipo === 'cargo').length;

describe('Idempotency-Key', () => {
  it('answers the same again, byte for byte, without running or charging again', async () => {
    const { handle, runs } = counting();
    const kit = await kitWith(handle);
    const a = await kit.alta();
    const first = await ask(kit, a, { a: 1, b: 2 });
    const again = await ask(kit, a, { b: 2, a: 1 });
    expect(again.text).toBe(first.text);
    expect(again.status).toBe(200);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect([runs(), await charges(kit, a)]).toEqual([1, 1]);
    expect((await ask(kit, a, { a: 1, b: 2 }, 'pedido-2')).json.data).toEqual({ n: 2 });
  });

  it('answers 9409 for another body and for a first attempt that still runs', async () => {
    let finish: (() => void) | undefined;
    const kit = await kitWith(() => new Promise((resolve) => (finish = () => resolve({ n: 1 }))));
    const a = await kit.alta();
    const first = ask(kit, a);
    await expect.poll(() => finish).toBeDefined();
    const meanwhile = await ask(kit, a);
    expect([meanwhile.status, meanwhile.json.cfdi_codigo]).toEqual([409, 9409]);
    // A first attempt takes a second or two: nothing says yet that it takes the minute that it may.
    expect(meanwhile.headers.get('retry-after')).toBe('1');
    await kit.setNow(new Date(kit.now().getTime() + 8_000));
    expect((await ask(kit, a)).headers.get('retry-after')).toBe('8');
    finish?.();
    expect((await first).status).toBe(200);
    const other = await ask(kit, a, { a: 2 });
    expect([other.status, other.json.cfdi_codigo]).toEqual([409, 9409]);
    expect(await charges(kit, a)).toBe(1);
  });

  it('belongs to one key and is forgotten after 24 hours', async () => {
    const { handle, runs } = counting();
    const kit = await kitWith(handle);
    const [a, b] = [await kit.alta(), await kit.alta()];
    await ask(kit, a);
    await ask(kit, b);
    expect(runs()).toBe(2);
    await kit.setNow(new Date(NOW.getTime() + 24 * 3_600_000 + 1));
    await ask(kit, a);
    expect(runs()).toBe(3);
  });

  it('can be used again after an error of any kind, and refunds every error', async () => {
    const errors = [new CfdiError('SAT_NO_DISPONIBLE'), new CfdiError('CERTIFICADO_INVALIDO')];
    const kit = await kitWith(async () => {
      const error = errors.shift();
      if (error) throw error;
      return { n: 1 };
    });
    const a = await kit.alta({ saldo: 1 });
    for (const code of [5041, 4001]) {
      const answer = await ask(kit, a);
      expect([answer.json.cfdi_codigo, answer.headers.get('idempotent-replayed')]).toEqual([code, null]);
      expect([await kit.saldo(a), await kit.abiertas(a)]).toEqual([1, 0]);
    }
    expect((await ask(kit, a)).status).toBe(200);
    expect([await kit.saldo(a), await charges(kit, a)]).toEqual([0, 3]);
  });

  it('never charges twice when the process died between the charge and the answer', async () => {
    const dead = await kitWith(() => new Promise(() => {}));
    const a = await dead.alta();
    void ask(dead, a);
    await expect.poll(() => charges(dead, a)).toBe(1);
    const { handle } = counting();
    const kit = await kitWith(handle, { beside: dead });
    expect((await ask(kit, a)).json.cfdi_codigo).toBe(9409);
    await kit.setNow(new Date(NOW.getTime() + 121_000));
    expect((await ask(kit, a)).status).toBe(200);
    expect(await charges(kit, a)).toBe(1);
  });

  it('never answers for a charge that was given back while the repetition was taking it up', async () => {
    const dead = await kitWith(() => new Promise(() => {}));
    const a = await dead.alta({ saldo: 1 });
    void ask(dead, a);
    await expect.poll(() => charges(dead, a)).toBe(1);
    const { handle, runs } = counting();
    const kit = await kitWith(handle, { beside: dead });
    await kit.setNow(new Date(NOW.getTime() + 121_000));
    kit.watch.before = (text) => text.includes('llamada_cobra') && createSaldos(kit).refundAbandoned(10);
    const answer = await ask(kit, a);
    expect([answer.status, answer.json.cfdi_codigo, runs()]).toEqual([503, 5041, 0]);
    kit.watch.before = null;
    expect(await kit.saldo(a)).toBe(1);
    expect((await ask(kit, a)).status).toBe(200);
    expect([runs(), await kit.saldo(a)]).toEqual([1, 0]);
  });

  it('finds the solicitud that an attempt left behind when it died after the acceptance', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    const body = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' };
    const options = { key: a.key, headers: { 'idempotency-key': 'x' } };
    const first = await kit.call('tax/descarga-metadata', body, options);
    await kit.sql`UPDATE idempotencia SET status = NULL, sobre = NULL, bloqueada_hasta = now() - interval '1 second' WHERE api_key_id = ${a.keyId}`;
    const solicitudId = String(first.json.data?.['solicitud_id']);
    await kit.update('solicitud', solicitudId, { estado: 'ERROR', terminada_en: NOW });
    const again = await kit.call('tax/descarga-metadata', body, options);
    expect(again.json.data?.['solicitud_id']).toBe(solicitudId);
    expect(await kit.saldo(a)).toBe(9);
  });

  it('answers the same again when the credential is gone, and forgets no solicitud by its refusal', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { accessCacheSeconds: 0 } });
    await guardaCiec(kit, a);
    const body = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' };
    const repeat = () => kit.call('tax/descarga-metadata', body, { key: a.key, headers: { 'idempotency-key': 'x' } });
    const first = await repeat();
    await kit.sql`DELETE FROM credencial WHERE contribuyente_id = ${a.contribuyenteId}`;
    const again = await repeat();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);

    await kit.sql`UPDATE idempotencia SET status = NULL, sobre = NULL, bloqueada_hasta = now() - interval '1 second' WHERE api_key_id = ${a.keyId}`;
    const solicitudId = String(first.json.data?.['solicitud_id']);
    await kit.update('solicitud', solicitudId, { estado: 'ERROR', terminada_en: NOW });
    expect((await repeat()).json.cfdi_codigo).toBe(4003);
    await guardaCiec(kit, a);
    expect((await repeat()).json.data?.['solicitud_id']).toBe(solicitudId);
    expect(await charges(kit, a)).toBe(1);
  });

  it.each(['', 'a b', 'x'.repeat(256), 'ñ'])('refuses %j with 2001', async (clave) => {
    const { handle } = counting();
    const kit = await kitWith(handle);
    const answer = await ask(kit, await kit.alta(), {}, clave);
    expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'Idempotency-Key']);
  });

  it('is the same where nothing is charged: the vault stores once, and another secret under the key is another body', async () => {
    const { kit, a } = await createKitWithAlta();
    const store = (ciec: string) =>
      kit.call('vault/rfc-guardar', { rfc: a.rfc, ciec }, { key: a.key, headers: { 'idempotency-key': 'x' } });
    const first = await store('a'.repeat(16));
    const writes = () => kit.watch.sent.filter((text) => text.includes('INSERT INTO credencial')).length;
    const again = await store('a'.repeat(16));
    expect([first.status, again.text, again.headers.get('idempotent-replayed'), writes()]).toEqual([
      200,
      first.text,
      'true',
      1,
    ]);
    expect((await store('b'.repeat(16))).json.cfdi_codigo).toBe(9409);
  });

  it('keeps nothing that can be read without the API key: neither answer nor body', async () => {
    const { handle } = counting();
    const kit = await kitWith(handle);
    const a = await kit.alta();
    const { text } = await ask(kit, a);
    const [fila] = await kit.filas<{ cuerpo_hash: Buffer; status: number; sobre: Buffer }>('idempotencia', a);
    const plain = createHash('sha256').update(canonicalJson({ a: 1 }));
    expect(fila?.cuerpo_hash).not.toEqual(plain.digest());
    expect([fila?.status, fila?.sobre.includes(text)]).toEqual([200, false]);
  });

  it('refuses with 9409, and runs nothing, when the stored answer no longer opens', async () => {
    const { handle, runs } = counting();
    const kit = await kitWith(handle);
    const a = await kit.alta();
    await ask(kit, a);
    await kit.sql`UPDATE idempotencia SET sobre = sha256(sobre) WHERE api_key_id = ${a.keyId}`;
    const again = await ask(kit, a);
    expect([again.status, again.json.cfdi_codigo, runs(), await charges(kit, a)]).toEqual([409, 9409, 1, 1]);
    expect(again.json.data?.['motivo']).toMatch(/ya no se puede leer/);
  });
});

it('canonicalJson orders names at every level and leaves arrays as they are', () => {
  expect(canonicalJson({ b: 1, a: { d: [2, 1], c: 'x' } })).toBe('{"a":{"c":"x","d":[2,1]},"b":1}');
});
