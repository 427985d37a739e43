import { randomUUID } from 'node:crypto';
import { createUsuarios } from '@acuse/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entrar, newCliente, type Panel, type Persona, startPanel } from './fixtures/panel.ts';

const COOKIE = '__Host-acuse';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.close());

const isIn = async (persona: Pick<Persona, 'get'>) => (await persona.get('/cuenta')).status === 200;

describe('sign-up and log-in', () => {
  it('signs somebody up, logs out, and logs in again whatever the letter case of the e-mail', async () => {
    const ana = await panel.registrar({ nombre: 'Ana' });
    expect(await isIn(ana)).toBe(true);
    expect((await ana.get('/entrar')).location).toBe('/inicio');
    expect((await ana.enviar('/cuenta', '/salir')).location).toBe('/entrar');
    const page = await ana.get('/entrar');
    expect(page.text).toContain('Salió del panel.');
    expect((await ana.get('/entrar')).text).not.toContain('Salió del panel.');
    expect(await isIn(ana)).toBe(false);
    await entrar(ana, ana.email.toUpperCase(), ana.password);
    expect(await isIn(ana)).toBe(true);
  });

  it('ends the session in the database: the old cookie is worth nothing after logging out', async () => {
    const ana = await panel.registrar();
    const cookie = `${COOKIE}=${ana.cookies.get(COOKIE)}`;
    await ana.enviar('/cuenta', '/salir');
    expect((await panel.newCliente().get('/cuenta', { cookie })).status).toBe(303);
  });

  it('leads back to the page that was asked for, and never to another site', async () => {
    const ana = await panel.registrar();
    const otra = panel.newCliente();
    const { location } = await otra.get('/cuenta/password?x=1');
    expect(location).toBe('/entrar?a=%2Fcuenta%2Fpassword%3Fx%3D1');
    const { email, password } = ana;
    expect((await otra.enviar(location ?? '', '/entrar', { email, password })).location).toBe('/cuenta/password?x=1');
    for (const a of [
      'https://otro.example/',
      '//otro.example',
      '/\\otro.example',
      '/\t/otro.example',
      'javascript:1',
      '/a\r\nx: y',
    ]) {
      const answer = await panel.newCliente().enviar('/entrar', '/entrar', { email, password, a });
      expect(answer.location).toBe('/inicio');
    }
  });

  it('answers a wrong password and an unknown e-mail alike', async () => {
    const { email } = await panel.registrar();
    const answers = await Promise.all(
      [email, `${randomUUID()}@example.com`].map(async (each) => {
        const { status, text } = await panel
          .newCliente()
          .enviar('/entrar', '/entrar', { email: each, password: 'no es la contraseña' });
        return [status, text.replaceAll(each, 'E').replace(/nonce="[^"]*"|value="[\w-]{43}"/g, '')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(422);
  });

  it('refuses weak passwords, wrong e-mails, names without letters and e-mails that are taken, and keeps what was typed', async () => {
    const ana = await panel.registrar();
    const good = {
      nombre: 'Berta',
      email: `${randomUUID()}@example.com`,
      password: 'un caballo bajo la lluvia',
    };
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
      const answer = await cliente.enviar('/registro', '/registro', { ...good, ...wrong });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(text);
      expect(answer.text).not.toContain('value="un caballo');
      expect(await isIn(cliente)).toBe(false);
    }
    const { rows } = await panel.db.pool.query('SELECT 1 FROM usuario WHERE email = $1', [good.email]);
    expect(rows).toEqual([]);
  });

  it('does not hand an account that the operator made to whoever signs up with its e-mail', async () => {
    const email = `${randomUUID()}@example.com`;
    await panel.db.pool.query(`INSERT INTO cuenta (id, nombre, email) VALUES ($1, 'De antes', $2)`, [
      randomUUID(),
      email,
    ]);
    const answer = await panel
      .newCliente()
      .enviar('/registro', '/registro', { nombre: 'X', email, password: 'un caballo bajo la lluvia' });
    expect(answer.text).toContain('ya tiene una cuenta');
  });

  it('offers no sign-up where the operator closed it', async () => {
    const cerrado = await startPanel({ env: { PANEL_REGISTRO: 'cerrado' } });
    try {
      const cliente = newCliente(cerrado.url);
      const _csrf = await cliente.csrf();
      const email = `${randomUUID()}@example.com`;
      const answer = await cliente.post('/registro', {
        _csrf,
        nombre: 'X',
        email,
        password: 'un caballo bajo la lluvia',
      });
      expect(answer.text).toContain('las cuentas las crea el operador');
      expect(await createUsuarios(cerrado.db).findByEmail(email)).toBeNull();
    } finally {
      await cerrado.close();
    }
  });
});

describe('a password that the operator lets somebody choose', () => {
  it('is good once, ends the sessions, and keeps the second factor out of it', async () => {
    const ana = await panel.registrar();
    const usuarios = createUsuarios(panel.db);
    const usuario = await usuarios.findByEmail(ana.email);
    if (!usuario) throw new Error('no user');
    const old = await usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
    const codigo = await usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
    const cliente = panel.newCliente();
    const password = 'otra contraseña muy larga';
    const choose = (code: string) => cliente.enviar(`/restablecer?codigo=${code}`, '/restablecer', { password });
    expect((await choose(old)).status).toBe(422);
    expect((await choose(codigo)).location).toBe('/entrar');
    expect((await choose(codigo)).status).toBe(422);
    expect(await isIn(ana)).toBe(false);
    await entrar(ana, ana.email, password);
    const expired = await usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
    await panel.db.pool.query(`UPDATE codigo_acceso SET vence_en = now() - interval '1 second' WHERE usuario_id = $1`, [
      usuario.id,
    ]);
    expect((await choose(expired)).status).toBe(422);
  });

  it('stores neither code nor password as they are', async () => {
    const ana = await panel.registrar();
    const usuarios = createUsuarios(panel.db);
    const usuario = await usuarios.findByEmail(ana.email);
    if (!usuario) throw new Error('no user');
    const codigo = await usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
    const { rows } = await panel.db.pool.query(
      `SELECT to_jsonb(u) || jsonb_build_object('huella', encode(c.huella, 'escape')) AS fila FROM usuario u JOIN codigo_acceso c ON c.usuario_id = u.id WHERE u.id = $1`,
      [usuario.id],
    );
    const stored = JSON.stringify(rows);
    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    for (const secret of [codigo, ana.password, ana.cookies.get(COOKIE) ?? '-']) expect(stored).not.toContain(secret);
  });
});
