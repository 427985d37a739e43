import { expect, it } from 'vitest';
import { createKitWithSolicitud, type Kit } from '../../../test/kit.ts';

const ids = async (kit: Kit, key: string, body: object) => {
  const { json } = await kit.call('descarga/listar', body, { key });
  const { items, siguiente } = json.data as { items: { solicitud_id: string }[]; siguiente: string | null };
  return { ids: items.map(({ solicitud_id }) => solicitud_id), siguiente };
};

it('lists the requests of its RFC, the newest first, each as descarga/verificar tells it, free of charge', async () => {
  const { kit, a, id } = await createKitWithSolicitud();
  const ask = { rfc: a.rfc, tipo: 'recibidos', desde: '2026-02-01', hasta: '2026-02-28' };
  const newer = String((await kit.call('tax/descarga-metadata', ask, { key: a.key })).json.data?.['solicitud_id']);
  const before = await kit.saldo(a);
  expect(await ids(kit, a.key, {})).toEqual({ ids: [newer, id], siguiente: null });
  const { json } = await kit.call('descarga/listar', { limite: 1 }, { key: a.key });
  const alone = await kit.call('descarga/verificar', { solicitud_id: newer }, { key: a.key });
  const { estimacion, ...told } = alone.json.data ?? {};
  expect([json.data?.['items'], estimacion]).toEqual([[told], null]);
  expect(await kit.saldo(a)).toBe(before);
});

it('gives page after page, narrowed by state, kind and period', async () => {
  const { kit, a, id, set } = await createKitWithSolicitud();
  const ask = { rfc: a.rfc, tipo: 'recibidos', desde: '2026-02-01', hasta: '2026-02-28' };
  const newer = String((await kit.call('tax/descarga-metadata', ask, { key: a.key })).json.data?.['solicitud_id']);
  const first = await ids(kit, a.key, { limite: 1 });
  expect(first).toEqual({ ids: [newer], siguiente: newer });
  expect(await ids(kit, a.key, { limite: 1, cursor: first.siguiente })).toEqual({ ids: [id], siguiente: null });
  await set({ estado: 'TERMINADA' });
  const narrowed = async (body: object) => (await ids(kit, a.key, body)).ids;
  expect(await narrowed({ estado: 'TERMINADA' })).toEqual([id]);
  expect(await narrowed({ tipo: 'recibidos' })).toEqual([newer]);
  expect(await narrowed({ desde: '2026-01-31', hasta: '2026-01-31' })).toEqual([id]);
  expect(await narrowed({ desde: '2026-03-01' })).toEqual([]);
});

it('shows nothing of another RFC, and names the wrong fields of a request', async () => {
  const { kit, id } = await createKitWithSolicitud();
  const a = await kit.alta();
  expect(await ids(kit, a.key, { cursor: id })).toEqual({ ids: [], siguiente: null });
  expect(await ids(kit, a.key, {})).toEqual({ ids: [], siguiente: null });
  const wrong: readonly [object, string][] = [
    [{ limite: 0 }, 'limite'],
    [{ limite: 201 }, 'limite'],
    [{ limite: 1.5 }, 'limite'],
    [{ cursor: 'x' }, 'cursor'],
    [{ estado: 'LISTA' }, 'estado'],
    [{ desde: '2026-02-02', hasta: '2026-02-01' }, 'desde'],
  ];
  for (const [body, campo] of wrong) {
    const { status, json } = await kit.call('descarga/listar', body, { key: a.key });
    expect([status, json.data]).toMatchObject([400, { campo }]);
  }
});
