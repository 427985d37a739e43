import { createLlaves } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { acceptSolicitud, credit, newLlave } from '../fixtures/database.ts';
import { addRfc, attributesOf, type Respuesta, usePanel } from './fixtures/panel.ts';

const panel = usePanel();

const ahora = ({ $ }: Respuesta) => $('.pasos .ahora a').attr('href');

describe('the start page', () => {
  it('leads a new account by links that exist, from nothing to its first package', async () => {
    const persona = await panel.registrar({ nombre: 'Ana' });
    const see = () => persona.get('/inicio');
    const empty = await see();
    expect(empty.$('main h1').text()).toBe('Le damos la bienvenida, Ana');
    expect(ahora(empty)).toBe('/rfcs/nuevo');
    expect((await persona.get('/rfcs/nuevo')).status).toBe(200);

    const { id: contribuyenteId, rfc } = await addRfc(panel.db, persona);
    expect(ahora(await see())).toBe(`/rfcs/${rfc}/credenciales`);
    expect((await persona.get(`/rfcs/${rfc}/credenciales`)).status).toBe(200);

    const nueva = newLlave();
    await createLlaves(panel.db).activate({ contribuyenteId, llave: nueva, actor: 'prueba', ip: null });
    await panel.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre) VALUES (gen_random_uuid(), ${contribuyenteId}, ${nueva.id}, 'ciec', 'k1', 'x')`;
    expect(ahora(await see())).toBe(`/rfcs/${rfc}/credenciales`);
    await panel.sql`UPDATE api_key SET registrada_en = now() WHERE id = ${nueva.id}`;
    expect(ahora(await see())).toBe('/saldo/comprar');
    expect((await persona.get('/saldo/comprar')).status).toBe(200);

    const { cuentaId } = persona;
    await credit(panel.db, cuentaId, 3);
    expect(ahora(await see())).toBe(`/solicitudes/nueva?rfc=${rfc}`);
    expect((await persona.get(`/solicitudes/nueva?rfc=${rfc}`)).status).toBe(200);

    const accepted = await acceptSolicitud(panel.db, { cuentaId, contribuyenteId, apiKeyId: nueva.id, rfc });
    const [row] = await panel.sql`SELECT id FROM solicitud WHERE cuenta_id = ${cuentaId}`;
    const id = row?.['id'];
    expect([accepted !== null, ahora(await see())]).toEqual([true, `/solicitudes/${id}`]);
    expect((await persona.get(`/solicitudes/${id}`)).status).toBe(200);

    await panel.sql`UPDATE solicitud SET estado = 'TERMINADA', terminada_en = now(), object_key = 'k' WHERE id = ${id}`;
    const { $: done } = await see();
    expect(done('.pasos').length).toBe(0);
    expect(done('main').find(`a[href="/solicitudes/${id}"]`).text()).toContain('Ver y descargar');
    expect(done('main').text()).toContain('Solicitud de descarga de metadata');
    expect(done('.cifra').first().text()).toBe('2');
  });

  it('welcomes strangers, and sends those who are logged in to their start page', async () => {
    const answer = await panel.newCliente().get('/');
    expect(answer.status).toBe(200);
    const { $ } = answer;
    expect($('h1').length).toBe(1);
    expect(attributesOf($, 'main a', 'href')).toEqual([
      '/registro',
      '/entrar',
      expect.stringMatching(/^https?:.*\/docs$/),
    ]);
    const persona = await panel.registrar();
    expect((await persona.get('/')).location).toBe('/inicio');
    expect((await panel.newCliente().get('/inicio')).location).toMatch(/^\/entrar/);
  });

  it('has one title, landmarks, and a way to skip the navigation', async () => {
    const persona = await panel.registrar();
    await addRfc(panel.db, persona);
    const { $ } = await persona.get('/inicio');
    expect($('h1').length).toBe(1);
    expect($('main').length).toBe(1);
    expect($($('body a').first().attr('href') ?? '').is('main')).toBe(true);
    expect($('.navegacion [aria-current="page"]').text()).toBe('Inicio');
    const ids = attributesOf($, '[id]', 'id');
    expect(new Set(ids).size).toBe(ids.length);
  });
});
