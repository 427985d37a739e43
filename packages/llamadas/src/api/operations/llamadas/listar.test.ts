import type { FinishedCall } from '@acuse/operation';
import { describe, expect, it } from 'vitest';
import { createKit, createKitWithAlta, guardaCiec, unknownKey } from '../../../../../../apps/api/test/kit.ts';

const PATH = 'llamadas/listar';
const opOf = (n: number) => `01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e2${n}`;
const CALL: FinishedCall = {
  contribuyenteId: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  at: new Date('2026-11-20T18:00:00Z'),
  opId: opOf(0),
  operacion: 'uso/consultar',
  status: 200,
  codigo: 1,
  ms: 1,
  requestId: 'r',
  idempotencyKey: null,
};

describe(PATH, () => {
  it('shows time, result, credits and ids of the calls of an RFC, and nothing that was in a body', async () => {
    const { kit, a } = await createKitWithAlta();
    const other = await kit.alta();
    const cuerpo = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' };
    const headers = { 'X-Request-Id': 'pedido-7', 'Idempotency-Key': 'clave-7' };
    await guardaCiec(kit, a, 'Ciec-En-Secreto1');
    await kit.call('tax/descarga-metadata', cuerpo, { key: a.key, headers });
    await kit.call('tax/descarga-metadata', cuerpo, {
      key: a.key,
      headers: { ...headers, 'X-Request-Id': 'repetido' },
    });
    await kit.call('tax/facturas', { rfc: a.rfc, desde: 'ayer' }, { key: a.key });
    await kit.call('uso/consultar', {}, { key: other.key });
    await kit.call('uso/consultar', {}, { key: unknownKey() });
    await kit.api.close();
    const { items, ...rest } = (await kit.call(PATH, {}, { key: a.key })).json.data as { items: object[] };
    expect(rest).toEqual({ total: 4, siguiente: null });
    const ok = { llamada_en: kit.now().toISOString(), http: 200, codigo: 1, ms: expect.any(Number), creditos: 0 };
    const named = { request_id: expect.any(String), idempotency_key: null };
    expect(items).toEqual([
      { ...ok, ...named, operacion: 'tax/facturas', http: 400, codigo: 2001 },
      { ...ok, operacion: 'tax/descarga-metadata', request_id: 'repetido', idempotency_key: 'clave-7' },
      { ...ok, operacion: 'tax/descarga-metadata', creditos: 1, request_id: 'pedido-7', idempotency_key: 'clave-7' },
      { ...ok, ...named, operacion: 'vault/rfc-guardar' },
    ]);
    const stored = JSON.stringify(await kit.sql`SELECT to_jsonb(l)::text FROM llamada_hecha l`);
    expect(stored).not.toMatch(/Ciec-En-Secreto1|2026-01-31|acuse_test_/);
  });

  it('pages and narrows by day, operation and result', async () => {
    const { kit, a } = await createKitWithAlta();
    for (let n = 0; n < 5; n += 1) {
      await kit.call(n % 2 ? 'uso/consultar' : 'vault/estado', n % 2 ? {} : { rfc: a.rfc }, {
        key: a.key,
        headers: { 'X-Request-Id': `r${n}` },
      });
    }
    await kit.call('vault/estado', { rfc: 'x' }, { key: a.key, headers: { 'X-Request-Id': 'malo' } });
    await kit.api.close();
    await kit.sql`UPDATE llamada_hecha SET en = en - interval '1 day' WHERE request_id IN ('r0', 'r1')`;
    const ask = async (body: object) => (await kit.call(PATH, body, { key: a.key })).json.data;
    const idsOf = (data: Awaited<ReturnType<typeof ask>>) =>
      ((data?.['items'] ?? []) as { request_id: string }[]).map((item) => item.request_id);
    const seen: string[] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const data = await ask({ limite: 4, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...idsOf(data));
      cursor = data?.['siguiente'];
    }
    expect(seen).toEqual(['malo', 'r4', 'r3', 'r2', 'r1', 'r0']);
    expect(idsOf(await ask({ hasta: '2026-11-19' }))).toEqual(['r1', 'r0']);
    expect(idsOf(await ask({ desde: '2026-11-20', operacion: 'uso/consultar' }))).toEqual(['r3']);
    expect(idsOf(await ask({ resultado: 'RECHAZO' }))).toEqual(['malo']);
    expect(idsOf(await ask({ resultado: 'FALLA' }))).toEqual([]);
    const wrong = await kit.call(PATH, { desde: '2026-11-20', hasta: '2026-11-19' }, { key: a.key });
    expect([wrong.status, wrong.json.data]).toMatchObject([400, { campo: 'desde' }]);
  });

  it('keeps a line once, though its lot is written twice, and any Idempotency-Key as it is', async () => {
    const { kit, a } = await createKitWithAlta();
    const [observer] = kit.deps.observers;
    const [{ id = '' } = {}] = await kit.sql<{ id: string }>`SELECT id FROM contribuyente WHERE rfc = ${a.rfc}`;
    const keys = ['"a\\",(b)\'{}', 'null', '\\N', null];
    const lots = [keys.slice(0, 1), keys.slice(0, 1), keys.slice(1)];
    for (const lot of lots) {
      for (const key of lot)
        observer?.note({ ...CALL, contribuyenteId: id, opId: opOf(keys.indexOf(key)), idempotencyKey: key });
      await observer?.close();
    }
    const { items } = (await kit.call(PATH, {}, { key: a.key })).json.data as { items: { idempotency_key: string }[] };
    expect(items.map((item) => item.idempotency_key).reverse()).toEqual(keys);
  });

  it('keeps no line of a taxpayer that was deleted meanwhile', async () => {
    const kit = await createKit();
    const [observer] = kit.deps.observers;
    observer?.note({ ...CALL, requestId: 'de-nadie' });
    await observer?.close();
    expect(await kit.sql`SELECT FROM llamada_hecha WHERE request_id = 'de-nadie'`).toEqual([]);
  });
});
