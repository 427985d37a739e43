import { contextoDeWebhook } from '@acuse/core';
import { createSellado, openKeyring } from '@acuse/vault';
import { describe, expect, it } from 'vitest';
import { type Alta, type Answer, createKit, type Kit, REQUIRED } from '../../../../../../apps/api/test/kit.ts';

const URL = 'https://erp.example/acuse';
const eventos = ['solicitud.terminada', 'saldo.bajo'];
const NADIE = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';

async function start() {
  const kit = await createKit();
  const a = await kit.alta();
  return { kit, a, call: callerOf(kit, a) };
}

const callerOf =
  (kit: Kit, { key, rfc }: Alta) =>
  (path: string, body: object) =>
    kit.call(`webhooks/${path}`, { rfc, ...body }, { key });
/** Endpoints of the account that were not deleted. */
const vivos = ({ sql }: Kit, { cuentaId }: Alta) =>
  sql`SELECT * FROM webhook WHERE cuenta_id = ${cuentaId} AND borrado_en IS NULL`;
const told = ({ status, json }: Answer) => [status, json['error']];

describe('webhooks', () => {
  it('are one for each address and RFC: a second one is refused with the id of the first', async () => {
    const { kit, a, call } = await start();
    const idOf = ({ json }: Answer) => json.data?.['webhook_id'];
    const first = await call('crear', { url: URL, eventos });
    const second = await call('crear', { url: 'https://ERP.example/acuse', eventos: ['saldo.bajo'] });
    expect(told(second)).toEqual([409, 'WEBHOOK_REPETIDO']);
    expect(second.json.data).toEqual({ webhook_id: idOf(first) });
    expect(await vivos(kit, a)).toHaveLength(1);
    // No change makes two of them alike either.
    const other = await call('crear', { url: `${URL}/otro`, eventos });
    const moved = await call('actualizar', { webhook_id: idOf(other), url: URL });
    expect([told(moved), moved.json.data]).toEqual([[409, 'WEBHOOK_REPETIDO'], { webhook_id: idOf(first) }]);
    expect((await call('actualizar', { webhook_id: idOf(first), url: URL, eventos })).status).toBe(200);
    await call('borrar', { webhook_id: idOf(first) });
    expect((await call('crear', { url: URL, eventos })).status).toBe(200);
  });

  it('are created with a secret that is shown once, sealed for the workers, and told of the key’s own RFC', async () => {
    const { kit, a, call } = await start();
    const { data } = (await call('crear', { url: ' https://ERP.example/acuse ', eventos, descripcion: 'ERP' })).json;
    const off = { motivo: null, apagado_en: null, fallando_desde: null, pendientes: 0, secretos_anteriores: [] };
    const vista = { webhook_id: data?.['webhook_id'], url: URL, descripcion: 'ERP', eventos, estado: 'ACTIVO', ...off };
    expect(data).toEqual({
      ...vista,
      creado_en: '2026-11-20T18:00:00.000Z',
      secreto: expect.stringMatching(/^whsec_/),
    });
    expect(await vivos(kit, a)).toMatchObject([{ rfcs: [a.rfc] }]);
    const [guardado] = await kit.sql<{ id: string; sobre: Buffer }>`
      SELECT id, sobre FROM webhook_secreto WHERE webhook_id = ${data?.['webhook_id']}`;
    const clave = createSellado(openKeyring('WEBHOOK_KEYS', REQUIRED.WEBHOOK_KEYS)).open(
      guardado?.sobre ?? Buffer.alloc(0),
      contextoDeWebhook(String(data?.['webhook_id']), guardado?.id ?? ''),
    );
    expect(`whsec_${clave?.toString('base64')}`).toBe(data?.['secreto']);

    const listed = await call('listar', {});
    expect(listed.json.data).toMatchObject({ total: 1, items: [vista] });
    expect(listed.text).not.toContain('whsec_');
    expect((await call('listar', { estado: 'APAGADO' })).json.data).toEqual({ total: 0, items: [] });
  });

  it.each([
    ['http://erp.example/', /https/],
    ['https://127.0.0.1/', /pública/],
    ['https://[::ffff:10.0.0.1]/', /pública/],
    ['https://yo:clave@erp.example/', /usuario/],
    ['https://erp.example/#x', /fragmento/],
    ['erp.example', /completa/],
  ])('are not created for %s', async (url, motivo) => {
    const { kit, a, call } = await start();
    const answer = await call('crear', { url, eventos });
    expect([...told(answer), answer.json.data?.['campo']]).toEqual([400, 'CAMPO_INVALIDO', 'url']);
    expect(answer.json.data?.['motivo']).toMatch(motivo);
    expect(await vivos(kit, a)).toEqual([]);
  });

  it('accept acuse:escuchar in place of an address, and nothing like it', async () => {
    const { call } = await start();
    const { data } = (await call('crear', { url: 'acuse:escuchar', eventos })).json;
    expect(data).toMatchObject({ url: 'acuse:escuchar', estado: 'ACTIVO', secreto: expect.stringMatching(/^whsec_/) });
    expect(told(await call('crear', { url: 'acuse:otro', eventos }))).toEqual([400, 'CAMPO_INVALIDO']);
  });

  it('are 20 at most, and their events are known ones', async () => {
    const { call } = await start();
    for (const wrong of [[], ['todo'], Array(51).fill('saldo.bajo')])
      expect(told(await call('crear', { url: URL, eventos: wrong }))).toEqual([400, 'CAMPO_INVALIDO']);
    for (let n = 0; n < 20; n += 1) expect((await call('crear', { url: `${URL}/${n}`, eventos })).status).toBe(200);
    expect(told(await call('crear', { url: URL, eventos }))).toEqual([409, 'WEBHOOKS_DEMASIADOS']);
  });

  it('are changed, switched off, tried, sent again and deleted by their owner', async () => {
    const { kit, a, call } = await start();
    const webhook_id = String((await call('crear', { url: URL, eventos })).json.data?.['webhook_id']);
    const changed = await call('actualizar', { webhook_id, eventos: ['saldo.bajo'], url: `${URL}/2` });
    expect(changed.json.data).toMatchObject({ url: `${URL}/2`, eventos: ['saldo.bajo'], descripcion: '' });
    expect(told(await call('actualizar', { webhook_id, url: 'https://10.0.0.1/' }))).toEqual([400, 'CAMPO_INVALIDO']);

    const entrega_id = String((await call('probar', { webhook_id })).json.data?.['entrega_id']);
    await call('probar', { webhook_id });
    const page = await call('entregas', { webhook_id, limite: 1 });
    expect(page.json.data).toMatchObject({ total: 1, siguiente: '2', items: [{ secuencia: 2, tipo: 'prueba' }] });
    const older = await call('entregas', { webhook_id, cursor: '2' });
    expect(older.json.data).toMatchObject({ total: 1, siguiente: null, items: [{ entrega_id, estado: 'PENDIENTE' }] });
    expect((await call('entregas', { webhook_id, estado: 'FALLIDA' })).json.data).toMatchObject({ total: 0 });
    expect((await call('reenviar', { entrega_id })).json.data).toEqual({ entrega_id, estado: 'PENDIENTE' });
    expect((await call('probar', { webhook_id, tipo: 'cfdi.cambios' })).status).toBe(200);
    const sent = (await call('entregas', { webhook_id, limite: 1 })).json.data;
    expect(sent).toMatchObject({ items: [{ tipo: 'cfdi.cambios' }] });
    expect(told(await call('probar', { webhook_id, tipo: 'cfdi.otro' }))).toEqual([400, 'CAMPO_INVALIDO']);

    const off = await call('actualizar', { webhook_id, estado: 'APAGADO' });
    expect(off.json.data).toMatchObject({ estado: 'APAGADO', motivo: 'USUARIO' });
    expect(told(await call('probar', { webhook_id }))).toEqual([409, 'WEBHOOK_APAGADO']);
    expect(told(await call('reenviar', { entrega_id }))).toEqual([409, 'WEBHOOK_APAGADO']);

    const rotated = (await call('rotar-secreto', { webhook_id, vigencia_horas: 2 })).json.data;
    expect(rotated).toEqual({
      webhook_id,
      secreto: expect.stringMatching(/^whsec_/),
      anterior_hasta: '2026-11-20T20:00:00.000Z',
    });
    expect((await call('borrar', { webhook_id })).json.data).toEqual({ webhook_id });
    expect(await vivos(kit, a)).toEqual([]);
  });

  it('are sent again 60 times at once, then once a second, by all keys of the account', async () => {
    const { kit, call } = await start();
    const webhook_id = String((await call('crear', { url: URL, eventos })).json.data?.['webhook_id']);
    const entrega_id = String((await call('probar', { webhook_id })).json.data?.['entrega_id']);
    for (let sent = 0; sent < 60; sent += 1) expect((await call('reenviar', { entrega_id })).status).toBe(200);
    const refused = await call('reenviar', { entrega_id });
    expect([...told(refused), refused.json.data]).toEqual([429, 'DEMASIADAS_PETICIONES', { reintentar_en: 1 }]);
    expect(refused.headers.get('retry-after')).toBe('1');
    await kit.setNow(new Date(kit.now().getTime() + 1_000));
    expect([(await call('reenviar', { entrega_id })).status, (await call('reenviar', { entrega_id })).status]).toEqual([
      200, 429,
    ]);
  });

  it('sign with at most four secrets, and remove none before its time', async () => {
    const { call } = await start();
    const webhook_id = String((await call('crear', { url: URL, eventos })).json.data?.['webhook_id']);
    const rotate = (vigencia_horas: number) => call('rotar-secreto', { webhook_id, vigencia_horas });
    for (let n = 0; n < 3; n += 1) expect((await rotate(24)).status).toBe(200);
    expect(told(await rotate(24))).toEqual([409, 'SECRETOS_DEMASIADOS']);
    expect((await rotate(0)).status).toBe(200);
    expect((await rotate(24)).status).toBe(200);
  });

  it('are tried ten times a minute', async () => {
    const { call } = await start();
    const webhook_id = String((await call('crear', { url: URL, eventos })).json.data?.['webhook_id']);
    for (let n = 0; n < 10; n += 1) expect((await call('probar', { webhook_id })).status).toBe(200);
    const answer = await call('probar', { webhook_id });
    expect([...told(answer), answer.json.data]).toEqual([429, 'DEMASIADAS_PETICIONES', { reintentar_en: 60 }]);
  });

  it('get no secret under an id that is none', async () => {
    const { call } = await start();
    for (const webhook_id of [NADIE, 'x'])
      expect(told(await call('rotar-secreto', { webhook_id }))).toEqual([404, 'WEBHOOK_NO_ENCONTRADO']);
    expect(told(await call('rotar-secreto', { webhook_id: '\ud800' }))).toEqual([400, 'CAMPO_INVALIDO']);
  });

  it('of another account or of another RFC of the account are answered like webhooks that do not exist', async () => {
    const { kit, a, call } = await start();
    const webhook_id = String((await call('crear', { url: URL, eventos })).json.data?.['webhook_id']);
    const entrega_id = String((await call('probar', { webhook_id })).json.data?.['entrega_id']);
    const state = async () => [
      await vivos(kit, a),
      await kit.sql`SELECT * FROM webhook_entrega WHERE webhook_id = ${webhook_id}`,
    ];
    const before = await state();
    const otraCuenta = await kit.alta();
    const otroRfc = await kit.alta();
    await kit.update('contribuyente', otroRfc.contribuyenteId, { cuenta_id: a.cuentaId });
    for (const otro of [otraCuenta, otroRfc]) {
      const other = callerOf(kit, otro);
      expect((await other('listar', {})).json.data).toEqual({ total: 0, items: [] });
      for (const path of ['actualizar', 'borrar', 'rotar-secreto', 'entregas', 'probar']) {
        const [ajeno, nadie] = [await other(path, { webhook_id }), await other(path, { webhook_id: NADIE })];
        expect([path, ...told(ajeno)]).toEqual([path, 404, 'WEBHOOK_NO_ENCONTRADO']);
        expect(ajeno.text).toBe(nadie.text);
      }
      expect(told(await other('reenviar', { entrega_id }))).toEqual([404, 'ENTREGA_NO_ENCONTRADA']);
    }
    expect(await state()).toEqual(before);
  });
});
