import { contextoDeWebhook } from '@acuse/core';
import { createWebhooks } from '@acuse/webhooks/db';
import { describe, expect, it } from 'vitest';
import { limiteReenvios } from '../../../packages/webhooks/src/panel/entrega.tsx';
import { newRfc } from '../fixtures/database.ts';
import { addRfc, textsOf, usePanel, usePersona } from './fixtures/panel.ts';

const panel = usePanel();
const ana = usePersona(panel);

const URL = 'https://erp.example/acuse';
const terminada = { 'evento.solicitud.terminada': 'si' };
/** What a new form has ticked. */
const CHECKED_AT_FIRST = ['solicitud.terminada', 'solicitud.fallida'];

let made = 0;
/** Creates one in the panel: its id and the secret that the page shows. */
async function create(campos: Record<string, string> = {}) {
  made += 1;
  const url = `${URL}/creado-${made}`;
  const page = await ana.submit('/webhooks/nuevo', '/webhooks/nuevo', { url, ...terminada, ...campos });
  expect([page.status, page.main]).toEqual([200, expect.stringContaining('no se vuelve a mostrar')]);
  const [secreto = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(page.text) ?? [];
  const id = page.$('main a.boton').last().attr('href')?.split('/').at(-1) ?? '';
  return { id, secreto };
}

const webhook = async (id: string) => createWebhooks(panel.db).find({ cuentaId: ana.cuentaId }, id);

describe('webhooks in the panel', { shuffle: false }, () => {
  it('are created with a secret that is shown once and opens for the workers alone', async () => {
    expect((await ana.get('/webhooks')).main).toContain('Aún no hay webhooks');
    const { rfc } = await addRfc(panel.db, ana);
    const { id, secreto } = await create({
      descripcion: ' ERP ',
      rfcs: ` ${rfc.toLowerCase()} `,
      'evento.saldo.bajo': 'si',
    });
    expect(await webhook(id)).toMatchObject({
      descripcion: 'ERP',
      rfcs: [rfc],
      estado: 'ACTIVO',
      pendientes: 0,
      eventos: [...CHECKED_AT_FIRST, 'saldo.bajo'],
    });
    const [row] = await panel.sql<{
      id: string;
      sobre: Buffer;
    }>`SELECT id, sobre FROM webhook_secreto WHERE webhook_id = ${id}`;
    const clave = panel.deps.selladoWebhooks.open(row?.sobre ?? Buffer.alloc(0), contextoDeWebhook(id, row?.id ?? ''));
    expect(`whsec_${clave?.toString('base64')}`).toBe(secreto);
    expect(row?.sobre.includes(clave ?? Buffer.alloc(0))).toBe(false);
    for (const path of ['/webhooks', `/webhooks/${id}`]) expect((await ana.get(path)).text).not.toContain('whsec_');
    const [audited] = await panel.sql<{
      detalle: object;
      actor: string;
    }>`SELECT detalle, actor FROM auditoria WHERE accion = 'crear-webhook'`;
    expect(audited).toMatchObject({
      actor: `usuario:${ana.usuarioId}`,
      detalle: { webhook: id, url: `${URL}/creado-1` },
    });
  });

  it('are one for a form that is sent twice', async () => {
    const before = (await createWebhooks(panel.db).list({ cuentaId: ana.cuentaId })).length;
    const form = await ana.get('/webhooks/nuevo');
    const campos = {
      _csrf: form.$('main input[name="_csrf"]').attr('value') ?? '',
      id: form.$('main input[name="id"]').attr('value') ?? '',
      url: URL,
      ...terminada,
    };
    expect((await ana.post('/webhooks/nuevo', campos)).text).toContain('whsec_');
    const again = await ana.post('/webhooks/nuevo', campos);
    expect([again.location, again.text]).toEqual(['/webhooks', '']);
    expect(await createWebhooks(panel.db).list({ cuentaId: ana.cuentaId })).toHaveLength(before + 1);
  });

  it('say what is wrong with a form and keep what was typed', async () => {
    const ajeno = newRfc();
    const eve = await panel.registrar();
    await addRfc(panel.db, eve, ajeno);
    const _csrf = await ana.csrf('/webhooks/nuevo');
    const send = (campos: Record<string, string>) => ana.post('/webhooks/nuevo', { _csrf, ...campos });
    const wrong = await send({ url: 'http://10.0.0.1/', rfcs: 'ACU-1' });
    expect(wrong.status).toBe(422);
    expect(wrong.$('#campo-url').attr('value')).toBe('http://10.0.0.1/');
    expect(textsOf(wrong.$, '.falta').join(' ')).toMatch(/https.*evento.*ACU-1/s);
    const private_ = await send({ url: 'https://[fd00::1]/', ...terminada });
    expect(textsOf(private_.$, '.falta').join(' ')).toMatch(/pública/);
    expect(private_.$('input[name="evento.solicitud.terminada"]').attr('checked')).toBeDefined();
    const otherRfc = await send({ url: URL, ...terminada, rfcs: ajeno });
    expect([otherRfc.status, textsOf(otherRfc.$, '.falta').join(' ')]).toEqual([
      422,
      expect.stringContaining('no es de la cuenta'),
    ]);
  });

  it('are changed, switched off and on, tried and deleted, and show each delivery with its tries', async () => {
    const { id } = await create();
    const page = `/webhooks/${id}`;
    await ana.submit(page, page, { url: `${URL}/2`, 'evento.saldo.bajo': 'si' });
    expect(await webhook(id)).toMatchObject({ url: `${URL}/2`, eventos: [...CHECKED_AT_FIRST, 'saldo.bajo'] });
    // One that is read and sent nowhere, as the command line makes it.
    await ana.submit(page, page, { url: 'acuse:escuchar', descripcion: 'leído' });
    expect(await webhook(id)).toMatchObject({ url: 'acuse:escuchar', descripcion: 'leído' });
    await ana.submit(page, page, { url: `${URL}/2` });
    const refused = await ana.submit(page, page, { url: 'ftp://erp.example/' });
    expect([refused.status, refused.$('#campo-url').attr('value')]).toEqual([422, 'ftp://erp.example/']);

    const entrega = (await ana.pressButton(page, 'Enviar prueba')).location ?? '';
    expect((await ana.get(entrega)).main).toContain('Aún no se intenta');
    const [, entregaId = ''] = /entregas\/([0-9a-f-]+)$/.exec(entrega) ?? [];
    await panel.sql`INSERT INTO webhook_intento (entrega_id, ms, status, respuesta) VALUES (${entregaId}, 12, 500, '<script>no</script>')`;
    await panel.sql`INSERT INTO webhook_intento (entrega_id, ms, error) VALUES (${entregaId}, 30, 'TIEMPO_AGOTADO')`;
    await panel.sql`UPDATE webhook_entrega SET estado = 'FALLIDA', intentos = 2, terminada_en = now() WHERE id = ${entregaId}`;
    const shown = await ana.get(entrega);
    expect(shown.main).toMatch(/No contestó a tiempo.*HTTP 500/s);
    expect(shown.text).not.toContain('<script>no');
    expect((await ana.get(page)).main).toMatch(/prueba n\.º 1.*No se entregó/s);
    await ana.pressButton(entrega, 'Enviar otra vez');
    expect((await ana.get(page)).main).toContain('Por entregar');

    await ana.pressButton(page, 'Desactivar');
    expect(await webhook(id)).toMatchObject({ estado: 'APAGADO', motivo: 'USUARIO' });
    expect((await ana.pressButton(page, 'Enviar prueba')).location).toBe(page);
    expect((await ana.get('/inicio')).main).not.toContain('se desactivó');
    await ana.pressButton(page, 'Activar');
    expect(await webhook(id)).toMatchObject({ estado: 'ACTIVO', motivo: null, pendientes: 1 });

    const rotated = await ana.submit(page, `${page}/secreto`, { vigencia: '168' });
    expect(rotated.text).toMatch(/whsec_/);
    expect((await webhook(id))?.secretosAnteriores).toHaveLength(1);
    await ana.pressButton(page, 'Borrar el webhook');
    expect((await ana.get(page)).status).toBe(404);
    expect(await webhook(id)).toBeNull();
  });

  it('send deliveries again at the pace of the API, and refuse beyond it', async () => {
    const eve = await panel.registrar();
    await eve.submit('/webhooks/nuevo', '/webhooks/nuevo', { url: URL, ...terminada });
    const [own] = await createWebhooks(panel.db).list({ cuentaId: eve.cuentaId });
    const entrega = (await eve.pressButton(`/webhooks/${own?.id}`, 'Enviar prueba')).location ?? '';
    await panel.sql`UPDATE webhook_entrega SET estado = 'FALLIDA', terminada_en = now() WHERE webhook_id = ${own?.id}`;
    await panel.deps.intentos.take(Array.from({ length: 60 }, () => limiteReenvios(eve.cuentaId)));
    await eve.pressButton(entrega, 'Enviar otra vez');
    expect((await eve.get(entrega)).main).toContain('Hubo varios intentos seguidos');
    expect((await createWebhooks(panel.db).find({ cuentaId: eve.cuentaId }, own?.id ?? ''))?.pendientes).toBe(0);
  });

  it('that were switched off by themselves are told of at the start, until they are on again', async () => {
    const { id } = await create();
    await panel.sql`UPDATE webhook SET estado = 'APAGADO', motivo = 'FALLA_DIAS', apagado_en = now() WHERE id = ${id}`;
    const told = (await ana.get('/inicio')).main;
    expect(told).toMatch(/1 webhook se desactivó.*Pasaron días/s);
    expect((await ana.get(`/webhooks/${id}`)).main).toContain('Se desactivó');
    await ana.pressButton(`/webhooks/${id}`, 'Activar');
    expect((await ana.get('/inicio')).main).not.toContain('se desactivó');
  });
});
