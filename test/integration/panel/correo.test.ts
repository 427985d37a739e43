import { randomBytes, randomUUID } from 'node:crypto';
import { createCorreos, huellaDeEnlace, type TipoCorreo } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { type Cliente, type Panel, signIn, usePanel } from './fixtures/panel.ts';

const CON_CORREO = { CORREO_DE: 'Acuse <avisos@acuse.example>' };
const panel = usePanel({ env: CON_CORREO });
const NUEVA = 'otra contraseña muy larga';

const isIn = async (cliente: Pick<Cliente, 'get'>) => (await cliente.get('/cuenta')).status === 200;
const ask = (email: string, desde: Panel = panel) => desde.newCliente().submit('/olvide', '/olvide', { email });

/** The link of the mail that somebody waits for, made as a worker makes it. */
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

describe('somebody who forgot the password', () => {
  it('is mailed a link, chooses another one with it once, and is logged in nowhere before', async () => {
    const ana = await panel.registrar();
    expect((await ana.get('/entrar')).status).toBe(303);
    expect((await panel.newCliente().get('/entrar')).text).toContain('href="/olvide"');
    const asked = await ask(ana.email.toUpperCase());
    expect(asked.location).toBe('/entrar');
    const codigo = await receive(ana.email, 'password.restablecer');
    expect(codigo).not.toBeNull();
    // Whoever follows the link by machine, as scanners of mail do, uses it up by no GET.
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

  it('is answered as a stranger is, after the same statements, so that nobody learns who has an account', async () => {
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
