import { randomUUID } from 'node:crypto';
import { EVENTOS_CORREO, EVENTOS_WEBHOOK, type EventoCorreo } from '@acuse/contract';
import { PAPELES } from '@acuse/db';
import { type Parte, puede } from '@acuse/page';
import { describe, expect, it } from 'vitest';
import { attributesOf } from './fixtures/cliente.ts';
import { newMiembro, signIn, usePanel } from './fixtures/panel.ts';

const panel = usePanel({ env: { CORREO_DE: 'Acuse <avisos@acuse.example>' } });

describe('notices', () => {
  const apagados = async (usuarioId: string) =>
    (await panel.sql`SELECT avisos_apagados AS a FROM usuario WHERE id = ${usuarioId}`)[0]?.['a'];

  it('are chosen one by one on a page of their own, and noted', async () => {
    const ana = await panel.registrar();
    const page = await ana.get('/cuenta/correo');
    expect(page.$('input[type="checkbox"]').length).toBe(EVENTOS_CORREO.length);
    expect(page.$('input[type="checkbox"]:checked').length).toBe(EVENTOS_CORREO.length);
    const solo = {
      _csrf: await ana.csrf('/cuenta/correo'),
      'evento.solicitud.fallida': 'si',
      'evento.saldo.bajo': 'si',
    };
    expect((await ana.post('/cuenta/correo', solo)).location).toBe('/cuenta/correo');
    expect(await apagados(ana.usuarioId)).toHaveLength(EVENTOS_CORREO.length - 1);
    expect((await ana.get('/cuenta/correo')).$('input[type="checkbox"]:checked').length).toBe(1);
    const lines =
      await panel.sql`SELECT 1 FROM auditoria WHERE accion = 'cambiar-avisos-correo' AND actor = ${`usuario:${ana.usuarioId}`}`;
    expect(lines).toHaveLength(1);
  });

  it('follow the rights of the member in some account: other events are neither offered nor taken away', async () => {
    const berta = await newMiembro(panel, await panel.registrar(), 'DESARROLLADOR');
    const offered = async () =>
      attributesOf((await berta.get('/cuenta/correo')).$, 'input[name^="evento."]', 'name').map((name) =>
        name?.replace('evento.', ''),
      );
    expect(await offered()).toEqual([...EVENTOS_CORREO]);
    await panel.sql`DELETE FROM miembro WHERE papel = 'PROPIETARIO' AND usuario_id = ${berta.usuarioId}`;
    const suyos = ['solicitud.terminada', 'solicitud.fallida'];
    expect(await offered()).toEqual(suyos);
    const _csrf = await berta.csrf('/cuenta/correo');
    const refused = await berta.post('/cuenta/correo', { _csrf, 'evento.credencial.por_vencer': 'si' });
    expect([refused.status, refused.main]).toEqual([422, expect.stringContaining('puede ver en el panel')]);
    expect(await apagados(berta.usuarioId)).toEqual([]);
    // Earlier choices stay for a later role.
    expect((await berta.post('/cuenta/correo', { _csrf })).location).toBe('/cuenta/correo');
    expect(await apagados(berta.usuarioId)).toEqual([...suyos].sort());
    await panel.sql`DELETE FROM miembro WHERE usuario_id = ${berta.usuarioId}`;
    await panel.sql`UPDATE usuario SET correo_verificado_en = now() WHERE id = ${berta.usuarioId}`;
    const cliente = panel.newCliente();
    await signIn(cliente, berta.email, berta.password);
    const nowhere = await cliente.get('/cuenta/correo');
    expect([nowhere.$('input[name^="evento."]').length, nowhere.main]).toEqual([
      0,
      expect.stringContaining('No hay avisos que elegir'),
    ]);
  });

  it('go to the roles that may see in the panel what they are about', async () => {
    const parteDe: Readonly<Record<EventoCorreo, Parte>> = {
      'solicitud.terminada': 'solicitudes',
      'solicitud.fallida': 'solicitudes',
      'credencial.por_vencer': 'credenciales',
    };
    const isMailed = (evento: string): evento is EventoCorreo => Object.hasOwn(parteDe, evento);
    const told = await panel.sql`
      SELECT p AS papel, e AS evento, se_entera(p, e) AS "seEntera" FROM unnest(${PAPELES}::text[]) p, unnest(${EVENTOS_WEBHOOK}::text[]) e ORDER BY p, e`;
    const expected = PAPELES.flatMap((papel) =>
      EVENTOS_WEBHOOK.map((evento) => ({
        papel,
        evento,
        seEntera: isMailed(evento) && puede(papel, 'ver', parteDe[evento]),
      })),
    );
    expect(told).toHaveLength(expected.length);
    expect(told).toEqual(expect.arrayContaining(expected));
  });

  it('are switched off from their mail: by a page, or by one request of a mail program', async () => {
    const ana = await panel.registrar();
    const tokens = [];
    for (const tipo of ['solicitud.fallida', 'solicitud.terminada', 'password.cambiada'])
      tokens.push(
        (
          await panel.sql<{ baja: string }>`
            INSERT INTO correo (usuario_id, para, tipo, urgente, vence_en)
            VALUES (${ana.usuarioId}, ${ana.email}, ${tipo}, ${tipo.startsWith('password')}, now() + interval '1 day') RETURNING baja`
        )[0]?.baja,
      );
    const [fallida, terminada, seguridad] = tokens;
    const cliente = panel.newCliente();
    const page = await cliente.get(`/correos/baja/${fallida}`);
    expect(page.main).toContain('terminó sin paquete');
    expect(await apagados(ana.usuarioId)).toEqual([]);
    await cliente.submit(`/correos/baja/${fallida}`, `/correos/baja/${fallida}/confirmar`);
    expect(await apagados(ana.usuarioId)).toEqual(['solicitud.fallida']);

    const oneClick = (token: unknown) =>
      fetch(`${panel.url}/correos/baja/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
    for (const token of [terminada, terminada, seguridad, randomUUID(), 'x']) {
      const answer = await oneClick(token);
      expect([answer.status, await answer.text()]).toEqual([200, 'listo']);
    }
    expect(await apagados(ana.usuarioId)).toEqual(['solicitud.fallida', 'solicitud.terminada']);
    for (const token of [seguridad, randomUUID(), 'x'])
      expect((await cliente.get(`/correos/baja/${token}`)).status).toBe(404);
    const large = await fetch(`${panel.url}/correos/baja/${terminada}`, { method: 'POST', body: 'x'.repeat(5_000) });
    expect(large.status).toBe(413);
  });

  it('that were given up are listed for the operator, with what the server said', async () => {
    const chief = await panel.registrar({ rol: 'OPERADOR' });
    await panel.sql`
      INSERT INTO correo (usuario_id, para, tipo, estado, motivo, error, terminado_en, vence_en)
      VALUES (${chief.usuarioId}, ${chief.email}, 'solicitud.fallida', 'FALLIDO', 'RECHAZADO', 'RECHAZADO: 550 5.1.1 no', now(), now())`;
    await panel.sql`UPDATE usuario SET correo_exigido = false WHERE id = ${chief.usuarioId}`;
    const page = await chief.get('/operador/correos');
    expect(page.main).toContain(chief.email);
    expect(page.main).toContain('550 5.1.1 no');
    await panel.sql`UPDATE usuario SET rol = 'CLIENTE' WHERE id = ${chief.usuarioId}`;
    expect((await chief.get('/operador/correos')).status).toBe(404);
  });
});
