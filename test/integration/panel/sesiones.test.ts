import { randomUUID } from 'node:crypto';
import { load } from 'cheerio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cliente, entrar, newCliente, type Panel, type Persona, startPanel } from './fixtures/panel.ts';

const COOKIE = '__Host-acuse';

let panel: Panel;
const closing: Array<() => Promise<void>> = [];
beforeAll(async () => {
  panel = await startPanel();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => panel.close());

const isIn = async (cliente: Pick<Cliente, 'get'>) => (await cliente.get('/cuenta')).status === 200;
const idOf = (cliente: Pick<Cliente, 'cookies'>) => cliente.cookies.get(COOKIE) ?? '';

/** The same person at another device. */
async function atOther(persona: Persona): Promise<Cliente> {
  const other = newCliente(panel.url);
  await entrar(other, persona.email, persona.password);
  return other;
}

describe('the cookie', () => {
  it('is __Host-, Secure, HttpOnly, SameSite=Lax, for the whole host, and of 256 bits', async () => {
    const answer = await panel.newCliente().get('/entrar');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-acuse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(answer.headers.getSetCookie()).toHaveLength(1);
  });

  it('has a plain name only where the operator chose so, on http://localhost', async () => {
    const plain = await startPanel({ env: { COOKIE_HOST: 'false' } });
    closing.push(() => plain.close());
    const [cookie = ''] = (await newCliente(plain.url).get('/entrar')).headers.getSetCookie();
    expect(cookie).toMatch(/^acuse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(await isIn(await plain.registrar())).toBe(true);
    for (const PANEL_PUBLIC_URL of [
      'https://panel.example',
      'http://panel.example',
      'http://localhost.example',
      'http://127.0.0.1.example',
    ])
      await expect(startPanel({ env: { COOKIE_HOST: 'false', PANEL_PUBLIC_URL } })).rejects.toThrow(/COOKIE_HOST/);
  });

  it('is stored as a hash only', async () => {
    const ana = await panel.registrar();
    const { rows } = await panel.db.pool.query('SELECT to_jsonb(s) AS fila, huella FROM sesion s');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(idOf(ana));
    expect(rows.every(({ huella }) => huella.length === 32)).toBe(true);
  });

  it('stores nothing for those who only read', async () => {
    const count = async () => Number((await panel.db.pool.query('SELECT count(*) FROM sesion')).rows[0].count);
    const before = await count();
    for (const path of ['/', '/entrar', '/registro', '/restablecer', '/nada', '/cuenta'])
      await panel.newCliente().get(path);
    expect(await count()).toBe(before);
  });
});

describe('a session id', () => {
  it('that was known before the log-in is worth nothing after it (fixation)', async () => {
    const ana = await panel.registrar();
    const victim = panel.newCliente();
    await victim.get('/entrar');
    const planted = idOf(victim);
    await entrar(victim, ana.email, ana.password);
    expect(idOf(victim)).not.toBe(planted);
    expect((await panel.newCliente().get('/cuenta', { cookie: `${COOKIE}=${planted}` })).status).toBe(303);
    const chosen = 'A'.repeat(43);
    const other = panel.newCliente();
    other.cookies.set(COOKIE, chosen);
    await entrar(other, ana.email, ana.password);
    expect(idOf(other)).not.toBe(chosen);
  });

  it('changes when another log-in is made in the same browser, and the earlier one is over', async () => {
    const ana = await panel.registrar();
    const before = idOf(ana);
    const _csrf = await ana.csrf('/cuenta');
    await ana.post('/entrar', { _csrf, email: ana.email, password: ana.password });
    expect(idOf(ana)).not.toBe(before);
    expect((await panel.newCliente().get('/cuenta', { cookie: `${COOKIE}=${before}` })).status).toBe(303);
  });

  it('changes with the password, and every other session ends', async () => {
    const ana = await panel.registrar();
    const other = await atOther(ana);
    const before = idOf(ana);
    const nueva = 'otra contraseña muy larga';
    const answer = await ana.enviar('/cuenta/password', '/cuenta/password', { actual: ana.password, nueva });
    expect(answer.location).toBe('/cuenta');
    expect(idOf(ana)).not.toBe(before);
    expect((await ana.get('/cuenta')).text).toContain('Su contraseña cambió');
    expect(await isIn(other)).toBe(false);
    expect((await panel.newCliente().get('/cuenta', { cookie: `${COOKIE}=${before}` })).status).toBe(303);
    await expect(entrar(panel.newCliente(), ana.email, ana.password)).rejects.toThrow('422');
    await entrar(panel.newCliente(), ana.email, nueva);
  });

  it('stays when the current password is wrong, and so does the password', async () => {
    const ana = await panel.registrar();
    const answer = await ana.enviar('/cuenta/password', '/cuenta/password', {
      actual: 'no es esta',
      nueva: 'otra contraseña muy larga',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Esa no es su contraseña actual');
    await entrar(panel.newCliente(), ana.email, ana.password);
  });
});

describe('the end of sessions', () => {
  it('comes after half an hour without use, and after twelve hours in any case', async () => {
    const ana = await panel.registrar();
    const { rows } = await panel.db.pool.query(
      `SELECT extract(epoch FROM inactiva_en - creada_en) AS inactiva, extract(epoch FROM vence_en - creada_en) AS vence FROM sesion WHERE usuario_id = $1`,
      [ana.usuarioId],
    );
    expect(rows.map(({ inactiva, vence }) => [Number(inactiva), Number(vence)])).toEqual([[1_800, 43_200]]);
    const set = (columns: string) =>
      panel.db.pool.query(`UPDATE sesion SET ${columns} WHERE usuario_id = $1`, [ana.usuarioId]);
    await set(`ultimo_uso_en = now() - interval '1 minute', inactiva_en = now() + interval '2 minutes'`);
    expect(await isIn(ana)).toBe(true);
    const { rows: touched } = await panel.db.pool.query(
      "SELECT inactiva_en > now() + interval '29 minutes' AS si FROM sesion WHERE usuario_id = $1",
      [ana.usuarioId],
    );
    expect(touched).toEqual([{ si: true }]);
    await set(`inactiva_en = now() - interval '1 second'`);
    expect(await isIn(ana)).toBe(false);
    await set(`inactiva_en = now() + interval '1 hour', vence_en = now() - interval '1 second'`);
    expect(await isIn(ana)).toBe(false);
    await panel.deps.sesiones.purge();
    expect((await panel.db.pool.query('SELECT 1 FROM sesion WHERE usuario_id = $1', [ana.usuarioId])).rowCount).toBe(0);
  });

  it('lists devices, closes one, and closes all everywhere', async () => {
    const ana = await panel.registrar();
    const phone = await atOther(ana);
    const tablet = await atOther(ana);
    const { text } = await ana.get('/cuenta');
    const $ = load(text);
    const forms = $('form')
      .map((_, form) => $(form).attr('action') ?? '')
      .get()
      .filter((action) => /sesiones\/[\w-]{36}\/cerrar/.test(action));
    expect(forms).toHaveLength(2);
    expect(text).toContain('Linux');
    expect(text).toContain('127.0.0.1');
    await ana.enviar('/cuenta', forms[0] ?? '');
    expect([await isIn(phone), await isIn(tablet)].filter(Boolean)).toHaveLength(1);
    const everywhere = await ana.enviar('/cuenta', '/cuenta/sesiones/cerrar');
    expect(everywhere.location).toBe('/entrar');
    expect([await isIn(ana), await isIn(phone), await isIn(tablet)]).toEqual([false, false, false]);
  });

  it("answers another user's session like one that is not there, and leaves it alone", async () => {
    const [ana, berta] = [await panel.registrar(), await panel.registrar()];
    const { rows } = await panel.db.pool.query<{ id: string }>('SELECT id FROM sesion WHERE usuario_id = $1', [
      berta.usuarioId,
    ]);
    const _csrf = await ana.csrf('/cuenta');
    const plain = (text: string) => text.replace(/nonce="[^"]*"/g, '');
    const foreign = await ana.post(`/cuenta/sesiones/${rows[0]?.id}/cerrar`, { _csrf });
    const missing = await ana.post(`/cuenta/sesiones/${randomUUID()}/cerrar`, { _csrf });
    const malformed = await ana.post('/cuenta/sesiones/nada/cerrar', { _csrf });
    expect([foreign.status, missing.status, malformed.status]).toEqual([404, 404, 404]);
    expect(plain(foreign.text)).toBe(plain(missing.text));
    expect(plain(foreign.text)).toBe(plain(malformed.text));
    expect(await isIn(berta)).toBe(true);
  });

  it('changes the name of its own user only', async () => {
    const [ana, berta] = [await panel.registrar({ nombre: 'Ana' }), await panel.registrar({ nombre: 'Berta' })];
    await ana.enviar('/cuenta', '/cuenta/nombre', { nombre: '<b>Ana María</b>' });
    const { rows } = await panel.db.pool.query(
      `SELECT actor, ip FROM auditoria WHERE cuenta_id = $1 AND accion = 'cambiar-nombre'`,
      [ana.cuentaId],
    );
    expect(rows).toEqual([{ actor: `usuario:${ana.usuarioId}`, ip: '127.0.0.1' }]);
    expect((await ana.get('/cuenta')).text).toContain('&lt;b&gt;Ana María&lt;/b&gt;');
    expect((await berta.get('/cuenta')).text).toContain('value="Berta"');
  });
});
