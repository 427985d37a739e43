import { randomUUID } from 'node:crypto';
import type { Papel } from '@acuse/db';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addRfc, newCliente, newMiembro, type Persona, signIn, usePanel } from './fixtures/panel.ts';
import { atGate, generate, hrefRfc } from './fixtures/rfcs.ts';

const panel = usePanel();
const newEmail = () => `${randomUUID()}@example.com`;
const password = 'un caballo bajo la lluvia';

const papelOf = async ({ cuentaId }: Pick<Persona, 'cuentaId'>, { email }: Pick<Persona, 'email'>) => {
  const rows = await panel.sql<{ papel: Papel }>`SELECT m.papel FROM miembro m JOIN usuario u ON u.id = m.usuario_id
    WHERE m.cuenta_id = ${cuentaId} AND u.email = ${email}`;
  return rows[0]?.papel ?? null;
};
const actionsOf = async ({ cuentaId }: Pick<Persona, 'cuentaId'>) =>
  (await panel.sql<{ accion: string }>`SELECT accion FROM auditoria WHERE cuenta_id = ${cuentaId} ORDER BY id`).map(
    ({ accion }) => accion,
  );
const isIn = async (persona: Persona) => (await persona.get('/inicio')).status === 200;

const send = (dueno: Persona, email: string, papel: Papel = 'CONTADOR') =>
  dueno.submit('/equipo', '/equipo/invitar', { email, papel, password: dueno.password });

/** Invites an address, and gives the path of the link. */
async function invite(dueno: Persona, email: string, papel: Papel = 'CONTADOR'): Promise<string> {
  const { text } = await send(dueno, email, papel);
  const [, path] = /(\/invitacion\?codigo=[\w-]{43})/.exec(text) ?? [];
  if (path === undefined) throw new Error(`no link: ${text}`);
  return path;
}

const personOf = (usuarioId: string, sub = '') => `/equipo/personas/${usuarioId}${sub}`;
const change = (dueno: Persona, { usuarioId }: Persona, sub: string, campos: Record<string, string> = {}) =>
  dueno.submit(personOf(usuarioId), personOf(usuarioId, sub), { password: dueno.password, ...campos });

describe('an invitation', () => {
  it('lets a new user choose a password and join with the role, once', async () => {
    const ana = await panel.registrar();
    const email = newEmail();
    const link = await invite(ana, email.toUpperCase());
    const nueva = newCliente(panel.url);
    const answer = await nueva.submit(link, '/invitacion/nueva', { nombre: 'Berta', password });
    expect(answer.location).toBe('/inicio');
    expect((await nueva.get('/inicio')).status).toBe(200);
    expect((await nueva.get('/equipo')).status).toBe(403);
    expect(await papelOf(ana, { email })).toBe('CONTADOR');
    expect((await newCliente(panel.url).get(link)).status).toBe(404);
    await signIn(newCliente(panel.url), email, password);
    expect(await actionsOf(ana)).toEqual(expect.arrayContaining(['invitar-persona', 'aceptar-invitacion']));
    expect((await ana.get('/equipo/cambios')).main).toContain(`Invitó a ${email} a la cuenta con el rol de contador.`);
  });

  it('lets a known user join while logged in with the address, without changing other roles', async () => {
    const [ana, berta] = [await panel.registrar({ nombre: 'Ana' }), await panel.registrar()];
    const link = await invite(ana, berta.email, 'DESARROLLADOR');
    const id = berta.cookies.get('__Host-acuse');
    expect((await berta.submit(link, '/invitacion/aceptar')).location).toBe('/inicio');
    expect(berta.cookies.get('__Host-acuse')).not.toBe(id);
    expect([await papelOf(ana, berta), await papelOf(berta, berta)]).toEqual(['DESARROLLADOR', 'PROPIETARIO']);
    expect((await berta.get('/inicio')).text).toContain('Ana, desarrollador');
    expect((await berta.get('/equipo')).status).toBe(403);
  });

  it('is answered alike for a registered and an unknown address, and its page looks alike', async () => {
    const [ana, berta] = [await panel.registrar(), await panel.registrar()];
    const read = async (email: string) => {
      const { text } = await send(ana, email);
      const [, link = ''] = /(\/invitacion\?codigo=[\w-]{43})/.exec(text) ?? [];
      const seen = (await newCliente(panel.url).get(link)).main;
      return [text.match(/<main[\s\S]*<\/main>/)?.[0], seen].map((each) =>
        each?.replaceAll(email, 'CORREO').replaceAll(/codigo=[\w-]+|value="[\w-]{43}"|codigo%3D[\w-]+/g, 'CODIGO'),
      );
    };
    expect(await read(berta.email)).toEqual(await read(newEmail()));
  });

  it('gives nothing to another address, to a stranger with a password for a known one, nor twice at once', async () => {
    const [ana, berta, eva] = [await panel.registrar(), await panel.registrar(), await panel.registrar()];
    const link = await invite(ana, berta.email);
    const codigo = link.split('=')[1] ?? '';
    expect((await eva.get(link)).main).toContain('Es para otro correo');
    expect((await eva.post('/invitacion/aceptar', { _csrf: await eva.csrf('/cuenta'), codigo })).status).toBe(404);
    const stranger = newCliente(panel.url);
    const answer = await stranger.submit(link, '/invitacion/nueva', { nombre: 'Eva', password });
    expect([answer.status, answer.main]).toEqual([422, expect.stringContaining('Ese correo ya entra al panel')]);
    await expect(signIn(newCliente(panel.url), berta.email, password)).rejects.toThrow('422');
    expect([await papelOf(ana, eva), await papelOf(ana, berta)]).toEqual([null, null]);
    const ids = await Promise.all([1, 2, 3].map(() => panel.deps.invitaciones.accept(codigo, berta.usuarioId, '::1')));
    expect(ids.filter((id) => id !== null)).toEqual([ana.cuentaId]);
  });

  it('ends when it expires, is revoked or is replaced; only a hash of its code is stored', async () => {
    const ana = await panel.registrar();
    const [email, otro] = [newEmail(), newEmail()];
    const first = await invite(ana, email);
    const second = await invite(ana, email, 'PROPIETARIO');
    expect((await newCliente(panel.url).get(first)).status).toBe(404);
    expect((await newCliente(panel.url).get(second)).main).toContain('como propietario');
    await panel.sql`UPDATE invitacion SET vence_en = now() - interval '1 second' WHERE email = ${email}`;
    expect((await newCliente(panel.url).get(second)).status).toBe(404);
    expect((await ana.get('/equipo')).main).toContain('Venció');
    const third = await invite(ana, otro);
    const [row] = await panel.sql<{ row: string; days: number }>`
      SELECT i::text AS row, round(extract(epoch FROM vence_en - creada_en) / 86400)::int AS days FROM invitacion i WHERE email = ${otro}`;
    expect(row?.row).not.toContain(third.split('=')[1]);
    expect(row?.days).toBe(7);
    const revoking = await ana.pressButton('/equipo', `Revocar la invitación a ${otro}`);
    expect(revoking.location).toBe('/equipo');
    expect((await newCliente(panel.url).get(third)).status).toBe(404);
    expect(await actionsOf(ana)).toContain('revocar-invitacion');
  });

  it('is good for 7 days by the clock of the database, and counts until then, with the clock of the panel days off', async () => {
    const ana = await panel.registrar();
    const email = newEmail();
    const who = {
      cuentaId: ana.cuentaId,
      usuarioId: ana.usuarioId,
      papel: 'CONTADOR',
      actor: 'prueba',
      ip: null,
    } as const;
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 });
    await panel.deps.invitaciones.invite({ ...who, email });
    await panel.deps.invitaciones.invite({ ...who, email: newEmail() });
    vi.useRealTimers();
    const rows = await panel.sql<{ days: number }>`
      SELECT extract(epoch FROM vence_en - creada_en)::int / 86400 AS days FROM invitacion WHERE cuenta_id = ${ana.cuentaId}`;
    expect(rows.map(({ days }) => days)).toEqual([7, 7]);
  });

  it('is not made without the password, nor for who is there, nor beyond what an account may have, however many come at once', async () => {
    const ana = await panel.registrar();
    const email = newEmail();
    const wrong = await ana.submit('/equipo', '/equipo/invitar', { email, papel: 'CONTADOR', password: 'otra cosa' });
    expect(wrong.status).toBe(422);
    expect((await send(ana, ana.email)).main).toContain('Ya es parte de la cuenta');
    const made = await Promise.all(
      Array.from({ length: 55 }, () =>
        panel.deps.invitaciones.invite({
          cuentaId: ana.cuentaId,
          usuarioId: ana.usuarioId,
          email: newEmail(),
          papel: 'CONTADOR',
          actor: 'prueba',
          ip: null,
        }),
      ),
    );
    expect(made.filter((each) => each === 'DEMASIADAS')).toHaveLength(6);
    expect((await send(ana, email)).main).toContain('50 personas e invitaciones');
  });

  it('is made only so often', async () => {
    const ana = await panel.registrar();
    await panel.deps.intentos.take(
      Array.from({ length: 20 }, () => ({ clave: `invitar:${ana.cuentaId}`, rafaga: 20, segundos: 180 })),
    );
    const answer = await send(ana, newEmail());
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  it('that was made by an owner who is none any more is over', async () => {
    const ana = await panel.registrar();
    const carla = await newMiembro(panel, ana, 'PROPIETARIO');
    const link = await invite(carla, newEmail(), 'PROPIETARIO');
    await change(ana, carla, '/rol', { papel: 'CONTADOR' });
    expect((await newCliente(panel.url).get(link)).status).toBe(404);
  });
});

describe('whoever owns an account', () => {
  it('removes somebody, whose sessions there are over with their next request, and no other', async () => {
    const ana = await panel.registrar();
    const berta = await newMiembro(panel, ana, 'DESARROLLADOR');
    const elsewhere = newCliente(panel.url);
    await signIn(elsewhere, berta.email, berta.password);
    const [own] = await panel.sql<{ id: string }>`
      SELECT cuenta_id AS id FROM miembro WHERE usuario_id = ${berta.usuarioId} AND cuenta_id <> ${ana.cuentaId}`;
    await elsewhere.post('/cuentas', { _csrf: await elsewhere.csrf('/cuenta'), cuenta: own?.id ?? '' });
    expect((await change(ana, berta, '/quitar', { password: 'otra cosa' })).status).toBe(422);
    expect(await isIn(berta)).toBe(true);
    expect((await change(ana, berta, '/quitar')).location).toBe('/equipo');
    expect(await papelOf(ana, berta)).toBeNull();
    expect((await berta.get('/inicio')).location).toMatch(/^\/entrar/);
    expect((await elsewhere.get('/inicio')).status).toBe(200);
    await signIn(berta, berta.email, berta.password);
    expect((await berta.get('/cuentas')).main).not.toContain(ana.email);
  });

  it('is told which keys somebody made who left, which still work', async () => {
    const ana = await panel.registrar();
    const { rfc } = await addRfc(panel.db, ana);
    const berta = await newMiembro(panel, ana, 'DESARROLLADOR');
    const key = await generate(berta, rfc);
    expect((await ana.get('/equipo')).main).not.toContain('ya no está');
    await change(ana, berta, '/quitar');
    const { main, $ } = await ana.get('/equipo');
    expect(main).toContain(`que hizo ${berta.email}`);
    expect($(`main a[href="${hrefRfc(rfc, '/llave')}"]`)).toHaveLength(1);
    expect((await atGate(key, panel.db, panel.deps.hasher))?.estado).toBe('ACTIVA');
    await generate(ana, rfc, { anterior: key });
    expect((await ana.get('/equipo')).main).not.toContain('ya no está');
  });

  it('changes a role, which counts from the next request, and ends the sessions that had the other', async () => {
    const ana = await panel.registrar();
    const berta = await newMiembro(panel, ana, 'DESARROLLADOR');
    expect((await berta.get('/pruebas')).status).not.toBe(403);
    expect((await change(ana, berta, '/rol', { papel: 'CONTADOR' })).location).toBe('/equipo');
    expect(await isIn(berta)).toBe(false);
    await signIn(berta, berta.email, berta.password);
    expect((await berta.get('/pruebas')).status).toBe(403);
    expect(
      (await ana.post(personOf(berta.usuarioId, '/rol'), { _csrf: await ana.csrf('/cuenta'), papel: 'x' })).status,
    ).toBe(404);
  });

  it('hands the account over, and then may change its people no more', async () => {
    const ana = await panel.registrar();
    const berta = await newMiembro(panel, ana, 'CONTADOR');
    const id = ana.cookies.get('__Host-acuse');
    expect((await change(ana, berta, '/traspaso')).location).toBe('/inicio');
    expect([await papelOf(ana, berta), await papelOf(ana, ana)]).toEqual(['PROPIETARIO', 'CONTADOR']);
    expect(ana.cookies.get('__Host-acuse')).not.toBe(id);
    expect((await ana.get('/equipo')).status).toBe(403);
    expect(await isIn(berta)).toBe(false);
    expect(await actionsOf(ana)).toContain('traspasar-cuenta');
  });

  it('cannot leave an account without an owner', async () => {
    const ana = await panel.registrar();
    const leave = `/cuentas/dejar?cuenta=${ana.cuentaId}`;
    expect((await ana.get(leave)).status).toBe(409);
    const { _csrf, cuenta } = { _csrf: await ana.csrf('/cuenta'), cuenta: ana.cuentaId };
    expect((await ana.post('/cuentas/dejar', { _csrf, cuenta })).status).toBe(409);
    const berta = await newMiembro(panel, ana, 'PROPIETARIO');
    expect((await ana.submit(leave, '/cuentas/dejar')).location).toBe('/entrar');
    expect(await isIn(ana)).toBe(false);
    expect(await papelOf(ana, berta)).toBe('PROPIETARIO');
    await signIn(ana, ana.email, ana.password);
    expect((await ana.abrir('/inicio')).main).toContain('No está en ninguna cuenta');
  });
});

describe('somebody of several accounts', () => {
  it('goes from one to the other under another session, which lives no longer, and to none of others', async () => {
    const [ana, eva] = [await panel.registrar({ nombre: 'Empresa A' }), await panel.registrar()];
    const berta = await newMiembro(panel, ana, 'CONTADOR');
    const [own] = await panel.sql<{ id: string }>`
      SELECT cuenta_id AS id FROM miembro WHERE usuario_id = ${berta.usuarioId} AND cuenta_id <> ${ana.cuentaId}`;
    const sessions = () => panel.sql`SELECT id, cuenta_id, vence_en FROM sesion WHERE usuario_id = ${berta.usuarioId}`;
    const [before] = await sessions();
    expect((await berta.get('/inicio')).text).toContain('href="/cuentas"');
    expect((await berta.post('/cuentas', { cuenta: own?.id ?? '' })).status).toBe(403);
    const _csrf = await berta.csrf('/cuenta');
    expect((await berta.post('/cuentas', { _csrf, cuenta: eva.cuentaId })).status).toBe(404);
    expect((await berta.post('/cuentas', { _csrf, cuenta: own?.id ?? '' })).location).toBe('/inicio');
    const [after, ...more] = await sessions();
    expect(more).toEqual([]);
    expect(after).toEqual({ ...before, id: expect.not.stringMatching(String(before?.['id'])), cuenta_id: own?.id });
    expect((await berta.get('/equipo')).status).toBe(200);
    const again = newCliente(panel.url);
    await signIn(again, berta.email, berta.password);
    expect((await again.get('/equipo')).status).toBe(200);
  });
});
