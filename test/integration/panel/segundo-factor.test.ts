import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { type Campos, type Cliente, type Persona, type Respuesta, usePanel } from './fixtures/panel.ts';

const PERIODO_MS = 30_000;

/** The clock of the panel, in milliseconds: these tests decide which step of the codes it is. */
let clock = Date.UTC(2026, 10, 21, 12, 0, 5);
const panel = usePanel({ deps: { now: () => new Date(clock) }, env: { ENTRADAS_CUENTA: '1000' } });

const isIn = async (cliente: Pick<Cliente, 'get'>) => (await cliente.get('/cuenta')).status === 200;

interface Protected extends Persona {
  readonly app: TOTP;
  readonly codigos: readonly string[];
}

const codeAt = (app: TOTP, offset = 0) => app.generate({ timestamp: clock + offset * PERIODO_MS });

/** Sends a form of the page of the second factor. */
const paso = (persona: Persona, what: string, campos: Campos) =>
  persona.submit('/cuenta/dos-pasos', `/cuenta/dos-pasos/${what}`, campos);

async function propose(persona: Persona): Promise<TOTP> {
  await paso(persona, 'iniciar', { password: persona.password });
  const { $ } = await persona.get('/cuenta/dos-pasos');
  expect($('svg path').length).toBeGreaterThan(0);
  const secret = Secret.fromBase32($('[data-copiar] code').text().replaceAll(' ', ''));
  return new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 });
}

const codigosDe = ({ $ }: Respuesta) => $('pre').text().trim().split('\n');

/** A user whose second factor is in force; the next code of the app is still good. */
async function makeProtected(): Promise<Protected> {
  const persona = await panel.registrar();
  const app = await propose(persona);
  const answer = await paso(persona, 'confirmar', { codigo: codeAt(app) });
  clock += 2 * PERIODO_MS;
  return { ...persona, app, codigos: codigosDe(answer) };
}

/** A browser where the password was typed, and not yet the code. */
async function halfWay({ email, password }: Persona): Promise<Cliente> {
  const cliente = panel.newCliente();
  const { location } = await cliente.submit('/entrar', '/entrar', { email, password });
  expect(location).toMatch(/^\/entrar\/codigo\?a=/);
  return cliente;
}

const sendCode = (cliente: Cliente, codigo: string) => cliente.submit('/entrar/codigo', '/entrar/codigo', { codigo });

describe('the second factor', () => {
  it('is in force once a code of the app was typed, under another session id, and ends the other sessions', async () => {
    const ana = await panel.registrar();
    const other = panel.newCliente();
    await other.submit('/entrar', '/entrar', { email: ana.email, password: ana.password });
    const app = await propose(ana);
    const before = ana.cookies.get('__Host-acuse');
    const wrong = await paso(ana, 'confirmar', { codigo: codeAt(app, 40) });
    expect(wrong.status).toBe(422);
    expect(ana.cookies.get('__Host-acuse')).toBe(before);
    const right = await paso(ana, 'confirmar', { codigo: codeAt(app) });
    expect(right.status).toBe(200);
    expect(right.headers.get('cache-control')).toBe('no-store');
    expect(new Set(codigosDe(right)).size).toBe(10);
    expect(ana.cookies.get('__Host-acuse')).not.toBe(before);
    expect([await isIn(ana), await isIn(other)]).toEqual([true, false]);
    expect((await ana.get('/cuenta/dos-pasos')).text).not.toContain(codigosDe(right)[0]);
  });

  it('cannot be begun without the password', async () => {
    const ana = await panel.registrar();
    const answer = await paso(ana, 'iniciar', { password: 'no es esta' });
    expect(answer.status).toBe(422);
    expect(await panel.deps.segundosFactores.find(ana.usuarioId)).toBeNull();
  });

  it('keeps a user with only the password out of every page', async () => {
    const cliente = await halfWay(await makeProtected());
    for (const path of ['/cuenta', '/cuenta/dos-pasos', '/cuenta/password'])
      expect((await cliente.get(path)).location).toMatch(/^\/entrar\?a=/);
    expect((await cliente.submit('/entrar/codigo', '/entrar/codigo', { codigo: '000000' })).status).toBe(422);
    expect(await isIn(cliente)).toBe(false);
  });

  it('lets in with the code of now, under another id than that of the first step', async () => {
    const ana = await makeProtected();
    const cliente = await halfWay(ana);
    const before = cliente.cookies.get('__Host-acuse');
    expect((await sendCode(cliente, codeAt(ana.app))).location).toBe('/inicio');
    expect(cliente.cookies.get('__Host-acuse')).not.toBe(before);
    expect(await isIn(cliente)).toBe(true);
    expect((await panel.newCliente().get('/cuenta', { cookie: `__Host-acuse=${before}` })).status).toBe(303);
  });

  it('takes the codes of one step before and after, and none further away', async () => {
    for (const [offset, isGood] of [
      [-2, false],
      [-1, true],
      [1, true],
      [2, false],
    ] as const) {
      const ana = await makeProtected();
      expect((await sendCode(await halfWay(ana), codeAt(ana.app, offset))).location !== null).toBe(isGood);
    }
  });

  it('takes a code once, also when two send it at the same moment, and none older than one that was taken', async () => {
    const ana = await makeProtected();
    const both = await Promise.all([halfWay(ana), halfWay(ana)]);
    const code = codeAt(ana.app);
    const answers = await Promise.all(both.map((each) => sendCode(each, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect((await sendCode(await halfWay(ana), code)).status).toBe(422);
    expect((await sendCode(await halfWay(ana), codeAt(ana.app, -1))).status).toBe(422);
    expect((await sendCode(await halfWay(ana), codeAt(ana.app, 1))).location).toBe('/inicio');
  });

  it('takes no code that confirmed it', async () => {
    const ana = await panel.registrar();
    const app = await propose(ana);
    const codigo = codeAt(app);
    await paso(ana, 'confirmar', { codigo });
    expect((await sendCode(await halfWay(ana), codigo)).status).toBe(422);
  });

  it('has recovery codes that are good once each, only for their owner, however they are typed', async () => {
    const [ana, berta] = [await makeProtected(), await makeProtected()];
    const [one = '', two = ''] = ana.codigos;
    expect((await sendCode(await halfWay(berta), one)).status).toBe(422);
    expect((await sendCode(await halfWay(ana), ` ${one.toLowerCase().replaceAll('-', ' ')} `)).location).toBe(
      '/inicio',
    );
    expect((await sendCode(await halfWay(ana), one)).status).toBe(422);
    const both = await Promise.all([halfWay(ana), halfWay(ana)]);
    const answers = await Promise.all(both.map((each) => sendCode(each, two)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect(await panel.deps.segundosFactores.countCodigos(ana.usuarioId)).toBe(8);
  });

  it('makes other recovery codes with password and code; the earlier ones are worth nothing then', async () => {
    const ana = await makeProtected();
    const { password } = ana;
    for (const campos of [
      { password: 'no es esta', codigo: codeAt(ana.app) },
      { password },
      { password, codigo: '000000' },
    ])
      expect((await paso(ana, 'codigos', campos)).status).toBe(422);
    const fresh = codigosDe(await paso(ana, 'codigos', { password, codigo: codeAt(ana.app) }));
    clock += 2 * PERIODO_MS;
    expect((await sendCode(await halfWay(ana), ana.codigos[0] ?? '')).status).toBe(422);
    expect((await sendCode(await halfWay(ana), fresh[0] ?? '')).location).toBe('/inicio');
  });

  it.each(['app', 'recovery'])(
    'is taken away with the password and a code (%s), and the session goes on under another id',
    async (kind) => {
      const ana = await makeProtected();
      const { password: own } = ana;
      const codigo = kind === 'app' ? codeAt(ana.app) : (ana.codigos[0] ?? '');
      for (const campos of [
        { password: 'no es esta', codigo },
        { password: own },
        { password: own, codigo: '000000' },
      ]) {
        expect((await paso(ana, 'desactivar', campos)).status).toBe(422);
        await halfWay(ana);
      }
      const before = ana.cookies.get('__Host-acuse');
      expect((await paso(ana, 'desactivar', { password: own, codigo })).location).toBe('/cuenta');
      expect(ana.cookies.get('__Host-acuse')).not.toBe(before);
      const cliente = panel.newCliente();
      const { email, password } = ana;
      const { location } = await cliente.submit('/entrar', '/entrar', { email, password });
      expect(location).toBe('/inicio');
    },
  );

  it('stores neither secret nor recovery code as they are, and no secret opens for another user', async () => {
    const [ana, berta] = [await makeProtected(), await makeProtected()];
    const rows = await panel.sql<{ secreto: Buffer }>`SELECT secreto FROM segundo_factor`;
    expect(rows.some(({ secreto }) => secreto.includes(Buffer.from(ana.app.secret.bytes)))).toBe(false);
    const codigos = await panel.sql`SELECT to_jsonb(c) FROM codigo_recuperacion c`;
    expect(JSON.stringify(codigos)).not.toContain((ana.codigos[0] ?? '-').replaceAll('-', ''));
    await panel.sql`UPDATE segundo_factor SET secreto = (SELECT secreto
      FROM segundo_factor WHERE usuario_id = ${ana.usuarioId}) WHERE usuario_id = ${berta.usuarioId}`;
    expect((await sendCode(await halfWay(berta), codeAt(ana.app))).status).toBe(422);
  });

  it('is asked for before an invitation to another account can be accepted, which then goes on by itself', async () => {
    const [ana, berta] = [await panel.registrar(), await makeProtected()];
    const invitada = await panel.deps.invitaciones.invite({
      cuentaId: ana.cuentaId,
      usuarioId: ana.usuarioId,
      email: berta.email,
      papel: 'CONTADOR',
      actor: 'prueba',
      ip: null,
    });
    const link = `/invitacion?codigo=${typeof invitada === 'string' ? '' : invitada.codigo}`;
    const cliente = panel.newCliente();
    const entry = (await cliente.get(link)).$('main a.boton').attr('href') ?? '';
    const half = await cliente.submit(entry, '/entrar', { email: berta.email, password: berta.password });
    await expect(cliente.submit(link, '/invitacion/aceptar')).rejects.toThrow('no form');
    const code = await cliente.submit(half.location ?? '', '/entrar/codigo', { codigo: codeAt(berta.app) });
    expect(code.location).toBe(link);
    expect((await cliente.submit(link, '/invitacion/aceptar')).location).toBe('/inicio');
    expect((await cliente.get('/equipo')).status).toBe(403);
  });
});
