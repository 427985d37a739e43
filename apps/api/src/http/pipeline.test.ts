import { CfdiError } from '@acuse/contract';
import type { Operation } from '@acuse/operation';
import { createLogger } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Alta,
  createKit,
  createKitWithAlta,
  DE_PRUEBA,
  guardaCiec,
  type Kit,
  operations,
  pideEstado,
} from '../../test/kit.ts';
import { defineOperation } from '../operation.ts';

const DESCARGA = 'tax/descarga-metadata';
const [LOAD, ACCEPT] = [expect.stringContaining('FROM api_key k'), expect.stringContaining('solicitud_acepta(')];
let days = 0;

/** A period that no other test asks for. */
function periodo() {
  days += 1;
  const desde = new Date(Date.UTC(2024, 0, days)).toISOString().slice(0, 10);
  return { tipo: 'recibidos', desde, hasta: desde };
}

async function ready(kit: Kit, options: Parameters<Kit['alta']>[0] = {}): Promise<Alta> {
  const someone = await kit.alta(options);
  await guardaCiec(kit, someone);
  kit.watch.sent.length = 0;
  return someone;
}

/** A paid operation of our own, beside the real ones. */
function pagada(handle: () => Promise<{ ok: boolean }>, path = DE_PRUEBA): Operation {
  const declaracion = defineOperation({
    summary: 's',
    cost: 1,
    rfc: 'ninguno',
    credential: 'api-key',
    data: z.object({ ok: z.boolean() }),
    effect: 'asks',
    body: z.object({ n: z.number().optional() }),
    errors: ['SAT_NO_DISPONIBLE', 'CERTIFICADO_INVALIDO'],
    handle,
  });
  return { ...declaracion, path };
}

describe('round trips', () => {
  it('accepts a descarga-metadata in exactly one when nothing changed', async () => {
    const kit = await createKit();
    const a = await ready(kit);
    const ask = () => kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
    expect((await ask()).status).toBe(200);
    // The notification that others were accepted is awaited by no call.
    const sent = () => kit.watch.sent.filter((text) => !text.startsWith('SELECT pg_notify('));
    expect(sent()).toEqual([LOAD, ACCEPT]);
    kit.watch.sent.length = 0;
    for (let count = 0; count < 3; count += 1) expect((await ask()).status).toBe(200);
    expect(sent()).toEqual([ACCEPT, ACCEPT, ACCEPT]);
  });

  it('reads the pass for every other operation', async () => {
    const kit = await createKit();
    const a = await ready(kit);
    for (let count = 0; count < 2; count += 1) await pideEstado(kit, a);
    expect(kit.watch.sent).toEqual([LOAD, LOAD]);
  });

  it('reads the access snapshot again before it refuses on a cached one', async () => {
    const { kit, a } = await createKitWithAlta();
    const ask = () => kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
    expect((await ask()).json.cfdi_codigo).toBe(4003);
    // Another process stores the CIEC: this one knows only the old pass.
    await guardaCiec(await createKit({ beside: kit }), a);
    expect((await ask()).status).toBe(200);
  });

  it('reads no pass at all for a key that is none', async () => {
    const kit = await createKit();
    await kit.call(DESCARGA, {}, { key: 'acuse_test_nada' });
    expect(kit.watch.sent).toEqual([]);
  });
});

describe('a pass that went stale', () => {
  it('a revoked key answers 1002 at once in every process', async () => {
    const one = await createKit();
    const two = await createKit({ beside: one });
    const a = await ready(one);
    for (const kit of [one, two]) {
      expect((await kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key })).status).toBe(200);
    }
    await one.update('api_key', a.keyId, { estado: 'REVOCADA' });
    for (const kit of [one, two]) {
      const answer = await kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([401, 1002]);
    }
    expect(await one.saldo(a)).toBe(8);
  });

  it('an operation switched off, and an address no longer allowed, are seen at once', async () => {
    const kit = await createKit();
    const a = await ready(kit);
    const ask = () => kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
    expect((await ask()).status).toBe(200);
    await kit.sql`INSERT INTO operacion_deshabilitada VALUES (${a.contribuyenteId}, ${DESCARGA})`;
    expect((await ask()).json.cfdi_codigo).toBe(1003);
    await kit.sql`DELETE FROM operacion_deshabilitada WHERE contribuyente_id = ${a.contribuyenteId}`;
    await kit.sql`INSERT INTO ip_permitida VALUES (${a.contribuyenteId}, '192.0.2.0/24')`;
    expect((await ask()).json.cfdi_codigo).toBe(1003);
  });

  it('is read again twice when it changes under the acceptance, then answered with 5041', async () => {
    const kit = await createKit();
    const a = await ready(kit);
    const changing = (times: number) => {
      let left = times;
      kit.watch.before = (text) => {
        if (!text.includes('solicitud_acepta(') || left === 0) return;
        left -= 1;
        return kit.sql`UPDATE contribuyente SET version = version + 1 WHERE id = ${a.contribuyenteId}`;
      };
    };
    changing(2);
    expect((await kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key })).status).toBe(200);
    changing(10);
    const answer = await kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    expect(await kit.saldo(a)).toBe(9);
  });
});

describe('the first step that refuses decides', () => {
  it('in the documented order', async () => {
    const { kit, a } = await createKitWithAlta({}, { isRegistrada: false, saldo: 0 });
    await kit.sql`INSERT INTO ip_permitida VALUES (${a.contribuyenteId}, '192.0.2.1')`;
    await kit.sql`INSERT INTO operacion_deshabilitada VALUES (${a.contribuyenteId}, 'tax/facturas')`;
    const wrong = { headers: { 'user-agent': null, 'content-type': 'text/plain' } as Record<string, string | null> };
    const ask = async (body: unknown, key: string | null, from = '192.0.2.1') =>
      (await kit.call('tax/facturas', body, { key, from, ...wrong })).json.cfdi_codigo;
    const bad = { rfc: 'no', desde: 1 };

    expect(await ask(bad, null)).toBe(6001);
    wrong.headers['user-agent'] = 'x';
    expect(await ask(bad, null)).toBe(1001);
    expect(await ask(bad, a.key, '198.51.100.1')).toBe(1003);
    expect(await ask(bad, a.key)).toBe(1003);
    await kit.sql`DELETE FROM operacion_deshabilitada WHERE contribuyente_id = ${a.contribuyenteId}`;
    expect(await ask(bad, a.key)).toBe(9415);
    delete wrong.headers['content-type'];
    expect(await ask(bad, a.key)).toBe(2002);
    expect(await ask({ rfc: 'ZZZ200101AB1', desde: 1 }, a.key)).toBe(2001);
    const dates = { desde: '2026-01-01', hasta: '2026-01-02' };
    expect(await ask({ rfc: 'ZZZ200101AB1', ...dates }, a.key)).toBe(1003);
    expect(await ask({ rfc: a.rfc, ...dates }, a.key)).toBe(1003);
    await kit.call('vault/rfc-registrar', { rfc: a.rfc }, { key: a.key, from: '192.0.2.1' });
    expect(await ask({ rfc: a.rfc, ...dates }, a.key)).toBe(4003);
    const stored = { key: a.key, from: '192.0.2.1' };
    await kit.call('vault/rfc-guardar', { rfc: a.rfc, ciec: 'Cíec-De-Prueba-1' }, stored);
    expect(await ask({ rfc: a.rfc, ...dates }, a.key)).toBe(1004);
    await kit.update('cuenta', a.cuentaId, { saldo: 1 });
    expect(await ask({ rfc: a.rfc, ...dates }, a.key)).toBe(5041);
    expect(await kit.saldo(a)).toBe(1);
  });
});

describe('money', () => {
  async function kitWith(handle: () => Promise<{ ok: boolean }>, log?: ReturnType<typeof createLogger>) {
    const kit = await createKit({ operations: [pagada(handle)], ...(log ? { deps: { log } } : {}) });
    return { kit, a: await kit.alta() };
  }
  const ask = (kit: Kit, a: Alta) => kit.call(DE_PRUEBA, {}, { key: a.key });

  it('is given back for an unknown exception, which says nothing to the caller and everything to the log', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'api', destination: { write: (line) => void lines.push(line) } });
    const { kit, a } = await kitWith(() => Promise.reject(new TypeError('inner workings')), log);
    const answer = await ask(kit, a);
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([500, 9500]);
    expect(answer.text).not.toMatch(/inner|TypeError|at /);
    expect(await kit.saldo(a)).toBe(10);
    const line = lines.find((text) => text.includes('inner workings'));
    expect(line).toContain(answer.headers.get('x-request-id') ?? 'none');
  });

  it('is given back when the data does not fit its schema', async () => {
    const { kit, a } = await kitWith(async () => JSON.parse('{"ok":"yes"}'));
    expect((await ask(kit, a)).status).toBe(500);
    expect(await kit.saldo(a)).toBe(10);
  });

  it('refunds the charge for every error, and keeps it for an answer', async () => {
    for (const error of [
      new CfdiError('SAT_NO_DISPONIBLE'),
      new CfdiError('CERTIFICADO_INVALIDO'),
      new Error('ours'),
    ]) {
      const { kit, a } = await kitWith(() => Promise.reject(error));
      expect((await ask(kit, a)).status).toBeGreaterThanOrEqual(400);
      expect([await kit.saldo(a), await kit.abiertas(a)]).toEqual([10, 0]);
    }
    const { kit, a } = await kitWith(async () => ({ ok: true }));
    expect((await ask(kit, a)).status).toBe(200);
    expect([await kit.saldo(a), await kit.abiertas(a)]).toEqual([9, 0]);
  });
});

describe('the database is away', () => {
  it.each(['reject', 'hang'] as const)('answers 503/5041, never a 500, and charges nothing (%s)', async (kind) => {
    const kit = await createKit();
    const a = await ready(kit);
    const away = await createKit({ beside: kit, settings: { databaseTimeoutMs: 20 } });
    kit.watch.fault = { kind };
    for (const { path } of await operations()) {
      const answer = await away.call(path, { rfc: a.rfc }, { key: a.key });
      expect([path, answer.status, answer.json.cfdi_codigo]).toEqual([path, 503, 5041]);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect(await kit.movimientos(a)).toEqual([]);
  });

  it('runs no handler when the charge alone gets no answer, and refunds a written charge', async () => {
    let runs = 0;
    const handle = async () => {
      runs += 1;
      return { ok: true };
    };
    const settings = { databaseTimeoutMs: 1_000 };
    const { kit, a } = await createKitWithAlta({ settings, operations: [pagada(handle)] });
    kit.watch.fault = { kind: 'lost', only: /llamada_cobra/ };
    const answer = await kit.call(DE_PRUEBA, {}, { key: a.key });
    expect([answer.json.cfdi_codigo, runs, await kit.saldo(a)]).toEqual([5041, 0, 9]);
    await kit.api.close();
    expect(await kit.saldo(a)).toBe(10);
  });

  it('answers 5041 for an acceptance that does not answer', async () => {
    const kit = await createKit({ settings: { databaseTimeoutMs: 1_000 } });
    const a = await ready(kit);
    await kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
    kit.watch.fault = { kind: 'hang' };
    const answer = await kit.call(DESCARGA, { rfc: a.rfc, ...periodo() }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
  });
});
