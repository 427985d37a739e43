import { randomUUID } from 'node:crypto';
import { createUsuarios } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { attributesOf, type Cliente, type Persona, signIn, usePanel } from './fixtures/panel.ts';

const COOKIE = '__Host-acuse';

const panel = usePanel();

const isIn = async (cliente: Pick<Cliente, 'get'>) => (await cliente.get('/cuenta')).status === 200;
const idOf = (cliente: Pick<Cliente, 'cookies'>) => cliente.cookies.get(COOKIE) ?? '';
/** Whether the cookie of a session still opens the page of the account. */
const opens = async (id: string) =>
  (await panel.newCliente().get('/cuenta', { cookie: `${COOKIE}=${id}` })).status === 200;

/** The same person at another device. */
async function atOther(persona: Persona): Promise<Cliente> {
  const other = panel.newCliente();
  await signIn(other, persona.email, persona.password);
  return other;
}

describe('sign-up and log-in', () => {
  it('signs a user up, logs out, and logs in again with any letter case of the e-mail', async () => {
    const ana = await panel.registrar({ nombre: 'Ana' });
    expect(await isIn(ana)).toBe(true);
    expect((await ana.get('/entrar')).location).toBe('/inicio');
    expect((await ana.submit('/cuenta', '/salir')).location).toBe('/entrar');
    const page = await ana.get('/entrar');
    expect(page.text).toContain('Salió del panel.');
    expect((await ana.get('/entrar')).text).not.toContain('Salió del panel.');
    expect(await isIn(ana)).toBe(false);
    await signIn(ana, ana.email.toUpperCase(), ana.password);
    expect(await isIn(ana)).toBe(true);
  });

  it('ends the session in the database: the old cookie is worth nothing after logging out', async () => {
    const ana = await panel.registrar();
    const before = idOf(ana);
    await ana.submit('/cuenta', '/salir');
    expect(await opens(before)).toBe(false);
  });

  it('leads back to the page that was asked for, and never to another site', async () => {
    const ana = await panel.registrar();
    const otra = panel.newCliente();
    const { location } = await otra.get('/cuenta/password?x=1');
    expect(location).toBe('/entrar?a=%2Fcuenta%2Fpassword%3Fx%3D1');
    const { email, password } = ana;
    expect((await otra.submit(location ?? '', '/entrar', { email, password })).location).toBe('/cuenta/password?x=1');
    const { location: home } = await panel
      .newCliente()
      .submit('/entrar', '/entrar', { email, password, a: '//otro.example' });
    expect(home).toBe('/inicio');
  });

  it('answers a wrong password and an unknown e-mail alike', async () => {
    const { email } = await panel.registrar();
    const answers = await Promise.all(
      [email, `${randomUUID()}@example.com`].map(async (each) => {
        const { status, text } = await panel
          .newCliente()
          .submit('/entrar', '/entrar', { email: each, password: 'no es la contraseña' });
        return [status, text.replaceAll(each, 'E').replace(/nonce="[^"]*"|value="[\w-]{43}"/g, '')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(422);
  });

  it('refuses weak passwords, wrong e-mails, names without letters and taken e-mails, and keeps the typed values', async () => {
    const ana = await panel.registrar();
    const good = { nombre: 'Berta', email: `${randomUUID()}@example.com`, password: 'un caballo bajo la lluvia' };
    const cases = [
      [{ password: 'corta' }, 'Use al menos 12 caracteres'],
      [{ password: 'contraseña123456' }, 'de las primeras'],
      [{ password: `${good.email}1` }, 'de las primeras'],
      [{ password: 'x'.repeat(201) }, 'Use como máximo'],
      [{ email: 'nada' }, 'Escriba un correo completo'],
      [{ nombre: '   ' }, 'Escriba su nombre'],
      [{ email: ana.email }, 'ya tiene una cuenta'],
    ] as const;
    for (const [wrong, text] of cases) {
      const cliente = panel.newCliente();
      const answer = await cliente.submit('/registro', '/registro', { ...good, ...wrong });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(text);
      expect(answer.text).not.toContain('value="un caballo');
      expect(await isIn(cliente)).toBe(false);
    }
    const rows = await panel.sql`SELECT 1 FROM usuario WHERE email = ${good.email}`;
    expect(rows).toEqual([]);
  });

  it('does not hand an account made by the operator to a sign-up with its e-mail', async () => {
    const email = `${randomUUID()}@example.com`;
    await panel.sql`INSERT INTO cuenta (id, nombre, email) VALUES (${randomUUID()}, 'De antes', ${email})`;
    const answer = await panel
      .newCliente()
      .submit('/registro', '/registro', { nombre: 'X', email, password: 'un caballo bajo la lluvia' });
    expect(answer.text).toContain('ya tiene una cuenta');
  });

  it('offers no sign-up where the operator closed it', async () => {
    const cerrado = await panel.another({ env: { PANEL_REGISTRO: 'cerrado' } });
    const cliente = cerrado.newCliente();
    const nuevo = { nombre: 'X', email: `${randomUUID()}@example.com`, password: 'un caballo bajo la lluvia' };
    const answer = await cliente.post('/registro', { _csrf: await cliente.csrf(), ...nuevo });
    expect(answer.text).toContain('las cuentas las crea el operador');
    expect(await createUsuarios(cerrado.db).findByEmail(nuevo.email)).toBeNull();
  });
});

describe('a password by a code of the operator', () => {
  async function offerCodigo({ email }: Persona): Promise<string> {
    const usuarios = createUsuarios(panel.db);
    const usuario = await usuarios.findByEmail(email);
    if (!usuario) throw new Error('no user');
    return usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
  }

  it('is good once, ends the sessions, and keeps the second factor out of it', async () => {
    const ana = await panel.registrar();
    const old = await offerCodigo(ana);
    const codigo = await offerCodigo(ana);
    const cliente = panel.newCliente();
    const password = 'otra contraseña muy larga';
    const choose = (code: string) => cliente.submit(`/restablecer?codigo=${code}`, '/restablecer', { password });
    expect((await choose(old)).status).toBe(422);
    expect((await choose(codigo)).location).toBe('/entrar');
    expect((await choose(codigo)).status).toBe(422);
    expect(await isIn(ana)).toBe(false);
    await signIn(ana, ana.email, password);
    const expired = await offerCodigo(ana);
    await panel.sql`UPDATE codigo_acceso SET vence_en = now() - interval '1 second'
      WHERE usuario_id = ${ana.usuarioId}`;
    expect((await choose(expired)).status).toBe(422);
  });

  it('stores neither code nor password as they are', async () => {
    const ana = await panel.registrar();
    const codigo = await offerCodigo(ana);
    const rows = await panel.sql`SELECT to_jsonb(u) || jsonb_build_object('huella', encode(c.huella, 'escape')) AS fila
      FROM usuario u JOIN codigo_acceso c ON c.usuario_id = u.id WHERE u.id = ${ana.usuarioId}`;
    const stored = JSON.stringify(rows);
    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    for (const secret of [codigo, ana.password, ana.cookies.get(COOKIE) ?? '-']) expect(stored).not.toContain(secret);
  });
});

describe('the cookie', () => {
  it('is __Host-, Secure, HttpOnly, SameSite=Lax, for the whole host, and of 256 bits', async () => {
    const answer = await panel.newCliente().get('/entrar');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-acuse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(answer.headers.getSetCookie()).toHaveLength(1);
  });

  it('has a plain name only where the operator chose so, on http://localhost', async () => {
    const plain = await panel.another({ env: { COOKIE_HOST: 'false' } });
    const [cookie = ''] = (await plain.newCliente().get('/entrar')).headers.getSetCookie();
    expect(cookie).toMatch(/^acuse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(await isIn(await plain.registrar())).toBe(true);
    for (const PANEL_PUBLIC_URL of [
      'https://panel.example',
      'http://panel.example',
      'http://localhost.example',
      'http://127.0.0.1.example',
    ])
      await expect(panel.another({ env: { COOKIE_HOST: 'false', PANEL_PUBLIC_URL } })).rejects.toThrow(/COOKIE_HOST/);
  });

  it('is stored as a hash only', async () => {
    const ana = await panel.registrar();
    const rows = await panel.sql`SELECT to_jsonb(s) AS fila, huella FROM sesion s`;
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(idOf(ana));
    expect(rows.every(({ huella }) => huella.length === 32)).toBe(true);
  });

  it('stores nothing for those who only read', async () => {
    const count = async () => Number((await panel.sql`SELECT count(*) FROM sesion`)[0]?.['count']);
    const before = await count();
    for (const path of ['/', '/entrar', '/registro', '/restablecer', '/nada', '/cuenta'])
      await panel.newCliente().get(path);
    expect(await count()).toBe(before);
  });
});

describe('a visitor without a session', () => {
  it('reads the message of an order once, and leaves no row however often the order is sent', async () => {
    const count = async () => Number((await panel.sql`SELECT count(*) FROM sesion`)[0]?.['count']);
    const before = await count();
    const cliente = panel.newCliente();
    const _csrf = await cliente.csrf();
    const own = idOf(cliente);
    const orders = [
      ['/salir', 'Salió del panel.'],
      ['/entrar/codigo', 'Pasó demasiado tiempo.'],
    ] as const;
    for (const [path, text] of orders) {
      for (let sent = 0; sent < 20; sent += 1) {
        cliente.cookies.set(COOKIE, own);
        expect((await cliente.post(path, { _csrf, codigo: '123456' })).location).toBe('/entrar');
      }
      expect((await cliente.get('/entrar')).text).toContain(text);
      expect((await cliente.get('/entrar')).text).not.toContain(text);
    }
    expect(await count()).toBe(before);
  });

  it('cannot have a message shown that the panel did not write', async () => {
    const cliente = panel.newCliente();
    await cliente.post('/salir', { _csrf: await cliente.csrf() });
    const [name = '', cookie = ''] = [...cliente.cookies].find(([each]) => each !== COOKIE) ?? [];
    cliente.cookies.set(name, cookie.replace('panel', 'banco'));
    expect(cookie).toContain('panel');
    const { text } = await cliente.get('/entrar');
    expect([text.includes('banco'), text.includes('Salió')]).toEqual([false, false]);
  });
});

describe('a session id', () => {
  it('that was known before the log-in is worth nothing after it (fixation)', async () => {
    const ana = await panel.registrar();
    const victim = panel.newCliente();
    await victim.get('/entrar');
    const planted = idOf(victim);
    await signIn(victim, ana.email, ana.password);
    expect(idOf(victim)).not.toBe(planted);
    expect(await opens(planted)).toBe(false);
    const chosen = 'A'.repeat(43);
    const other = panel.newCliente();
    other.cookies.set(COOKIE, chosen);
    await signIn(other, ana.email, ana.password);
    expect(idOf(other)).not.toBe(chosen);
  });

  it('changes when another log-in is made in the same browser, and the earlier one is over', async () => {
    const ana = await panel.registrar();
    const before = idOf(ana);
    const _csrf = await ana.csrf('/cuenta');
    await ana.post('/entrar', { _csrf, email: ana.email, password: ana.password });
    expect(idOf(ana)).not.toBe(before);
    expect(await opens(before)).toBe(false);
  });

  it('changes with the password, and every other session ends', async () => {
    const ana = await panel.registrar();
    const other = await atOther(ana);
    const before = idOf(ana);
    const nueva = 'otra contraseña muy larga';
    const answer = await ana.submit('/cuenta/password', '/cuenta/password', { actual: ana.password, nueva });
    expect(answer.location).toBe('/cuenta');
    expect(idOf(ana)).not.toBe(before);
    expect((await ana.get('/cuenta')).text).toContain('Su contraseña cambió');
    expect(await isIn(other)).toBe(false);
    expect(await opens(before)).toBe(false);
    await expect(signIn(panel.newCliente(), ana.email, ana.password)).rejects.toThrow('422');
    await signIn(panel.newCliente(), ana.email, nueva);
  });

  it('stays when the current password is wrong, and so does the password', async () => {
    const ana = await panel.registrar();
    const answer = await ana.submit('/cuenta/password', '/cuenta/password', {
      actual: 'no es esta',
      nueva: 'otra contraseña muy larga',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Esa no es su contraseña actual');
    await signIn(panel.newCliente(), ana.email, ana.password);
  });
});

describe('the end of sessions', () => {
  it('comes after half an hour without use, and after twelve hours in any case', async () => {
    const ana = await panel.registrar();
    const rows =
      await panel.sql`SELECT extract(epoch FROM inactiva_en - creada_en) AS inactiva, extract(epoch FROM vence_en - creada_en) AS vence FROM sesion WHERE usuario_id = ${ana.usuarioId}`;
    expect(rows.map(({ inactiva, vence }) => [Number(inactiva), Number(vence)])).toEqual([[1_800, 43_200]]);
    const set = (columns: string) =>
      panel.db.pool.query(`UPDATE sesion SET ${columns} WHERE usuario_id = $1`, [ana.usuarioId]);
    await set(`ultimo_uso_en = now() - interval '1 minute', inactiva_en = now() + interval '2 minutes'`);
    expect(await isIn(ana)).toBe(true);
    const touched = await panel.sql`SELECT inactiva_en > now() + interval '29 minutes' AS si FROM sesion
      WHERE usuario_id = ${ana.usuarioId}`;
    expect(touched).toEqual([{ si: true }]);
    await set(`inactiva_en = now() - interval '1 second'`);
    expect(await isIn(ana)).toBe(false);
    await set(`inactiva_en = now() + interval '1 hour', vence_en = now() - interval '1 second'`);
    expect(await isIn(ana)).toBe(false);
    await panel.deps.sesiones.purge();
    expect((await panel.db.pool.query('SELECT 1 FROM sesion WHERE usuario_id = $1', [ana.usuarioId])).rowCount).toBe(0);
  });

  it('deletes every session that is over in one purge, however many there are', async () => {
    const ana = await panel.registrar();
    await panel.sql`INSERT INTO sesion (huella, id, usuario_id, fase, agente, ip, inactiva_en, vence_en)
      SELECT sha256(n::text::bytea), gen_random_uuid(), ${ana.usuarioId}, 'COMPLETA', '', '', now() - interval '1 second', now()
      FROM generate_series(1, 4500) n`;
    await panel.deps.sesiones.purge();
    const rows = await panel.sql`SELECT count(*)::int AS n FROM sesion WHERE usuario_id = ${ana.usuarioId}`;
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('lists devices, closes one, and closes all everywhere', async () => {
    const ana = await panel.registrar();
    const phone = await atOther(ana);
    const tablet = await atOther(ana);
    const { text, $ } = await ana.get('/cuenta');
    const actions = attributesOf($, 'form', 'action');
    const forms = actions.filter((action = '') => /sesiones\/[\w-]{36}\/cerrar/.test(action));
    expect(forms).toHaveLength(2);
    expect(text).toContain('Linux');
    expect(text).toContain('127.0.0.1');
    await ana.submit('/cuenta', forms[0] ?? '');
    expect([await isIn(phone), await isIn(tablet)].filter(Boolean)).toHaveLength(1);
    const everywhere = await ana.submit('/cuenta', '/cuenta/sesiones/cerrar');
    expect(everywhere.location).toBe('/entrar');
    expect([await isIn(ana), await isIn(phone), await isIn(tablet)]).toEqual([false, false, false]);
  });

  it('changes the name of its own user only, and notes it once', async () => {
    const [ana, berta] = [await panel.registrar({ nombre: 'Ana' }), await panel.registrar({ nombre: 'Berta' })];
    for (const _ of ['once', 'and again'])
      await ana.submit('/cuenta', '/cuenta/nombre', { nombre: '<b>Ana María</b>' });
    const rows = await panel.sql`SELECT actor, ip FROM auditoria
      WHERE cuenta_id = ${ana.cuentaId} AND accion = 'cambiar-nombre'`;
    expect(rows).toEqual([{ actor: `usuario:${ana.usuarioId}`, ip: '127.0.0.1' }]);
    expect((await ana.get('/cuenta')).text).toContain('&lt;b&gt;Ana María&lt;/b&gt;');
    expect((await berta.get('/cuenta')).text).toContain('value="Berta"');
  });
});
