import { randomBytes, randomUUID } from 'node:crypto';
import { createCorreos, type TipoCorreo } from '@acuse/correo/db';
import { huellaDeEnlace } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { type Cliente, type Panel, type Persona, signIn, usePanel } from './fixtures/panel.ts';

const CON_CORREO = { CORREO_DE: 'Acuse <avisos@acuse.example>' };
const panel = usePanel({ env: CON_CORREO });
const NUEVA = 'otra contraseña muy larga';

const isIn = async (cliente: Pick<Cliente, 'get'>) => (await cliente.get('/cuenta')).status === 200;
const ask = (email: string, desde: Panel = panel) => desde.newCliente().submit('/olvide', '/olvide', { email });

/** The link of a waiting mail, made as a worker makes it. */
async function receive(email: string, tipo: TipoCorreo): Promise<string | null> {
  const correos = createCorreos(panel.db);
  for (const tomado of await correos.claim({ limite: 1_000, leaseSeconds: 60 })) {
    if (tomado.para !== email || tomado.tipo !== tipo) continue;
    const token = randomBytes(32).toString('base64url');
    await correos.link(tomado, huellaDeEnlace(token));
    await correos.sent(tomado);
    return token;
  }
  return null;
}

describe('a user without the password', () => {
  it('is mailed a link, chooses another one with it once, and is logged in nowhere before', async () => {
    const ana = await panel.registrar();
    expect((await ana.get('/entrar')).status).toBe(303);
    expect((await panel.newCliente().get('/entrar')).text).toContain('href="/olvide"');
    const asked = await ask(ana.email.toUpperCase());
    expect(asked.location).toBe('/entrar');
    const codigo = await receive(ana.email, 'password.restablecer');
    expect(codigo).not.toBeNull();
    // A GET by a machine, such as a scanner of mail, does not use the link up.
    const cliente = panel.newCliente();
    for (let n = 0; n < 2; n += 1) expect((await cliente.get(`/restablecer?codigo=${codigo}`)).status).toBe(200);
    const choose = () => cliente.submit(`/restablecer?codigo=${codigo}`, '/restablecer', { password: NUEVA });
    expect((await choose()).location).toBe('/entrar');
    expect(await isIn(ana)).toBe(false);
    const again = await choose();
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('Pida otro enlace')]);
    await signIn(cliente, ana.email, NUEVA);
    const lines = await panel.sql`SELECT accion FROM auditoria WHERE actor = ${`usuario:${ana.usuarioId}`} ORDER BY id`;
    expect(lines.map(({ accion }) => accion).slice(-3)).toEqual(['pedir-password', 'elegir-password', 'entrar']);
  });

  it('is still asked for the second factor, and a link that is over is worth nothing', async () => {
    const ana = await panel.registrar();
    await panel.sql`INSERT INTO segundo_factor (usuario_id, secreto, confirmado_en) VALUES (${ana.usuarioId}, '\\x00', now())`;
    await ask(ana.email);
    const codigo = await receive(ana.email, 'password.restablecer');
    const cliente = panel.newCliente();
    await cliente.submit(`/restablecer?codigo=${codigo}`, '/restablecer', { password: NUEVA });
    const entered = await cliente.submit('/entrar', '/entrar', { email: ana.email, password: NUEVA });
    expect(entered.location).toContain('/entrar/codigo');

    await ask(ana.email);
    const tarde = await receive(ana.email, 'password.restablecer');
    await panel.sql`UPDATE enlace_correo SET vence_en = now() - interval '1 second' WHERE usuario_id = ${ana.usuarioId}`;
    const late = await cliente.submit(`/restablecer?codigo=${tarde}`, '/restablecer', {
      password: 'tercera muy larga',
    });
    expect(late.status).toBe(422);
  });

  it('gets the answer of a stranger after the same statements, which reveals no account', async () => {
    const ana = await panel.registrar();
    const answers = [];
    for (const email of [ana.email, `${randomUUID()}@example.com`]) {
      const cliente = panel.newCliente();
      const { status, location, headers } = await cliente.submit('/olvide', '/olvide', { email });
      const { text } = await cliente.get('/entrar');
      const names = [...headers.keys()].sort();
      answers.push([
        status,
        location,
        names,
        text.replaceAll(email, 'E').replace(/nonce="[^"]*"|value="[\w-]{43}"/g, ''),
      ]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(String(answers[0]?.[3])).toContain('Si E tiene una cuenta');
  });

  it('may ask for three links at once, whether there is such an account or not, and waits for a fourth', async () => {
    const ana = await panel.registrar();
    for (const email of [ana.email, `${randomUUID()}@example.com`]) {
      for (let n = 0; n < 3; n += 1) expect((await ask(email)).status).toBe(303);
      const fourth = await ask(email);
      expect([fourth.status, fourth.text]).toEqual([429, expect.stringContaining('Espere 20 minutos')]);
      expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(1_000);
    }
    const rows =
      await panel.sql`SELECT 1 FROM correo WHERE usuario_id = ${ana.usuarioId} AND tipo = 'password.restablecer'`;
    expect(rows).toHaveLength(3);
    await panel.sql`DELETE FROM intento WHERE clave LIKE 'olvido-ip:%'`;
    const pocos = await panel.another({ env: { ...CON_CORREO, REGISTROS_IP: '2' } });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await ask(`${randomUUID()}@example.com`, pocos)).status);
    expect(statuses).toEqual([303, 303, 429]);
  });

  it('types a whole e-mail', async () => {
    const answer = await ask('ana@example');
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('Escriba un correo completo')]);
  });
});

it('says where no mail is sent that none is, and leaves the rest as it was', async () => {
  const sin = await panel.another({ env: { CORREO_DE: '' } });
  const ana = await sin.registrar();
  expect(await isIn(ana)).toBe(true);
  expect((await sin.newCliente().get('/entrar')).text).toContain('Pida al operador de esta instalación un código');
  const page = await sin.newCliente().get('/olvide');
  expect(page.main).toContain('Esta instalación no envía correo');
  const cliente = sin.newCliente();
  const posted = await cliente.post('/olvide', { _csrf: await cliente.csrf(), email: ana.email });
  expect(posted.text).toContain('Esta instalación no envía correo');
  expect(await sin.sql`SELECT 1 FROM correo WHERE usuario_id = ${ana.usuarioId}`).toEqual([]);
});

describe('a sign-up with mail', () => {
  it('confirms the address by the link of a mail before anything else, once, and by no GET', async () => {
    const ana = await panel.registrar();
    const blocked = await ana.get('/rfcs');
    expect([blocked.status, blocked.location]).toEqual([303, '/cuenta/correo']);
    expect((await ana.get('/inicio')).location).toBe('/cuenta/correo');
    const page = await ana.get('/cuenta/correo');
    expect(page.main).toContain('Confirme su correo para empezar');
    const posted = await ana.post('/rfcs/nuevo', { _csrf: await ana.csrf('/cuenta/correo'), rfc: 'ACU200101DB1' });
    expect(posted.location).toBe('/cuenta/correo');

    const codigo = await receive(ana.email, 'correo.verificar');
    const desde = `/verificar?codigo=${codigo}`;
    for (let n = 0; n < 2; n += 1) expect((await ana.get(desde)).status).toBe(200);
    // Also on a device without a log-in.
    const otra = panel.newCliente();
    expect((await otra.submit(desde, '/verificar')).location).toBe('/entrar');
    const again = await ana.submit(desde, '/verificar');
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('El enlace no sirve')]);
    expect((await ana.get('/rfcs')).status).toBe(200);
    expect((await ana.get('/cuenta/correo')).main).toContain('Confirmado');
  });

  const signUp = (email: string, password = NUEVA) => {
    const cliente = panel.newCliente();
    return cliente
      .submit('/registro', '/registro', { nombre: 'Persona', email, password })
      .then((answer) => ({ answer, cliente }));
  };
  const tries = (email: string, password: string) =>
    panel.newCliente().submit('/entrar', '/entrar', { email, password });

  it('is answered alike whether the e-mail has an account or not, and by the log-in as well; only the mails differ', async () => {
    const [ana, email] = [await panel.registrar(), `${randomUUID()}@example.com`];
    const seen = [];
    for (const each of [ana.email, email]) {
      const { answer, cliente } = await signUp(each);
      const { text } = await cliente.get('/entrar');
      const entered = await tries(each, NUEVA);
      const plain = (html: string) => html.replaceAll(each, 'E').replace(/nonce="[^"]*"|value="[\w-]{43}"/g, '');
      seen.push([
        answer.status,
        answer.location,
        [...answer.headers.keys()].sort(),
        plain(text),
        entered.status,
        plain(entered.text),
      ]);
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(String(seen[0]?.[3])).toContain('Le enviamos un correo a E.');
    expect(await receive(email, 'password.restablecer')).toBeNull();
    const [told] =
      await panel.sql`SELECT datos FROM correo WHERE para = ${ana.email} AND tipo = 'password.restablecer'`;
    expect(told).toEqual({ datos: [{ registro: true }] });
  });

  it('enters after following the link, and an earlier sign-up with the address loses access by a new password', async () => {
    const email = `${randomUUID()}@example.com`;
    await signUp(email, 'la del extraño, muy larga');
    expect((await tries(email, 'la del extraño, muy larga')).status).toBe(422);
    // The owner of the address signs up too and gets a link, which removes the other person's password.
    await signUp(email);
    const codigo = await receive(email, 'password.restablecer');
    const cliente = panel.newCliente();
    await cliente.submit(`/restablecer?codigo=${codigo}`, '/restablecer', { password: 'la de su dueña, muy larga' });
    for (const [password, status] of [
      ['la del extraño, muy larga', 422],
      [NUEVA, 422],
      ['la de su dueña, muy larga', 303],
    ] as const)
      expect([password, (await tries(email, password)).status]).toEqual([password, status]);

    const otro = `${randomUUID()}@example.com`;
    await signUp(otro);
    const desde = `/verificar?codigo=${await receive(otro, 'correo.verificar')}`;
    expect((await panel.newCliente().submit(desde, '/verificar')).location).toBe('/entrar');
    expect((await tries(otro, NUEVA)).location).toBe('/inicio');
  });

  it('limits mails to an address', async () => {
    const ana = await panel.registrar();
    for (let n = 0; n < 5; n += 1) expect((await signUp(ana.email)).answer.status).toBe(303);
    const rows = await panel.sql`SELECT 1 FROM correo WHERE para = ${ana.email} AND tipo = 'password.restablecer'`;
    expect(rows.length).toBeLessThanOrEqual(3);
  });

  it('asks for the link again, as often as for others; it is worth nothing to a password, nor the other way round', async () => {
    const ana = await panel.registrar();
    for (let n = 0; n < 3; n += 1)
      expect((await ana.submit('/cuenta/correo', '/cuenta/correo/enlace')).location).toBe('/cuenta/correo');
    expect((await ana.submit('/cuenta/correo', '/cuenta/correo/enlace')).status).toBe(429);
    const codigo = await receive(ana.email, 'correo.verificar');
    const cliente = panel.newCliente();
    const reset = await cliente.submit(`/restablecer?codigo=${codigo}`, '/restablecer', { password: NUEVA });
    expect(reset.status).toBe(422);
    const [row] = await panel.sql`SELECT correo_verificado_en AS v FROM usuario WHERE id = ${ana.usuarioId}`;
    expect(row?.['v']).toBeNull();
  });

  it('is asked for nothing once the operator takes mail away, as are those who were there before', async () => {
    const ana = await panel.registrar();
    const sin = await panel.another({ env: { ...panel.env, CORREO_DE: '' } });
    const cliente = sin.newCliente();
    await signIn(cliente, ana.email, ana.password);
    expect((await cliente.get('/rfcs')).status).toBe(200);
    expect((await cliente.get('/cuenta/correo')).main).toContain('Esta instalación no envía correo');
    const antes = await sin.registrar();
    const con = panel.newCliente();
    await signIn(con, antes.email, antes.password);
    expect((await con.get('/rfcs')).status).toBe(200);
    expect((await con.get('/cuenta/correo')).main).toContain('Sin confirmar');
  });
});

describe('an invitation to a team', () => {
  /** Who owns an account and has followed the link of a mail. */
  const confirmed = async () => {
    const ana = await panel.registrar({ nombre: 'Despacho Ana' });
    await panel.sql`UPDATE usuario SET correo_verificado_en = now() WHERE id = ${ana.usuarioId}`;
    return ana;
  };
  const invite = (dueno: Persona, email: string) =>
    dueno.submit('/equipo', '/equipo/invitar', { email, papel: 'CONTADOR', password: dueno.password });
  const mailsTo = async (email: string) =>
    (await panel.sql<{ n: number }>`SELECT count(*)::int AS n FROM correo WHERE para = ${email}`)[0]?.n;
  const newEmail = () => `${randomUUID()}@example.com`;

  it('is mailed, and lets in by the link of the mail, once, who has thereby shown the address', async () => {
    const [ana, email] = [await confirmed(), newEmail()];
    const shown = await invite(ana, email);
    expect(shown.main).toContain('Le enviamos un correo con su enlace. Si no le llega, dele este.');
    const shownLink = /invitacion\?codigo=([\w-]{43})/.exec(shown.text)?.[1];
    const codigo = await receive(email, 'equipo.invitacion');
    expect([codigo, shownLink].every((each) => typeof each === 'string') && codigo !== shownLink).toBe(true);
    const nueva = panel.newCliente();
    const link = `/invitacion?codigo=${codigo}`;
    expect((await nueva.get(link)).main).toContain('Despacho Ana');
    const joined = await nueva.submit(link, '/invitacion/nueva', { nombre: 'Berta', password: NUEVA });
    expect(joined.location).toBe('/inicio');
    const [row] = await panel.sql`SELECT correo_verificado_en IS NOT NULL AS v FROM usuario WHERE email = ${email}`;
    expect(row).toEqual({ v: true });
    for (const used of [codigo, shownLink])
      expect((await panel.newCliente().get(`/invitacion?codigo=${used}`)).status).toBe(404);
  });

  it('leaves an address unconfirmed that came by the link which was handed over', async () => {
    const [ana, email] = [await confirmed(), newEmail()];
    const path = /\/invitacion\?codigo=[\w-]{43}/.exec((await invite(ana, email)).text)?.[0] ?? '';
    await panel.newCliente().submit(path, '/invitacion/nueva', { nombre: 'Berta', password: NUEVA });
    const [row] = await panel.sql`SELECT correo_verificado_en AS v FROM usuario WHERE email = ${email}`;
    expect(row).toEqual({ v: null });
  });

  it('removes its mails and links when it is replaced or revoked', async () => {
    const [ana, email] = [await confirmed(), newEmail()];
    await invite(ana, email);
    const first = await receive(email, 'equipo.invitacion');
    await invite(ana, email);
    expect((await panel.newCliente().get(`/invitacion?codigo=${first}`)).status).toBe(404);
    expect(await mailsTo(email)).toBe(1);
    const second = await receive(email, 'equipo.invitacion');
    expect((await panel.newCliente().get(`/invitacion?codigo=${second}`)).status).toBe(200);
    await ana.pressButton('/equipo', `Revocar la invitación a ${email}`);
    expect((await panel.newCliente().get(`/invitacion?codigo=${second}`)).status).toBe(404);
    expect(await mailsTo(email)).toBe(0);
  });

  it('is answered alike for a registered address, which is mailed too, and not mailed by an unconfirmed inviter', async () => {
    const [ana, berta, email] = [await confirmed(), await panel.registrar(), newEmail()];
    const shape = ({ status, main }: { status: number; main: string }, of: string) => [
      status,
      main.replaceAll(of, 'E').replace(/codigo=[\w-]{43}/g, ''),
    ];
    expect(shape(await invite(ana, berta.email), berta.email)).toEqual(shape(await invite(ana, email), email));
    expect(await receive(berta.email, 'equipo.invitacion')).not.toBeNull();

    const carla = await panel.registrar();
    await panel.sql`UPDATE usuario SET correo_exigido = false WHERE id = ${carla.usuarioId}`;
    const otro = newEmail();
    expect((await invite(carla, otro)).main).toContain('Dele este enlace.');
    expect(await mailsTo(otro)).toBe(0);
  });
});
