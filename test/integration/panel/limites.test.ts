import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIntentos } from '@acuse/db';
import { createProcessGroup, freePort, programEntry } from '@acuse/embedded';
import { type Argon2, createPasswords } from '@acuse/panel';
import { silentLogger } from '@acuse/runtime';
import { hash, verify } from '@node-rs/argon2';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';
import { type Campos, newCliente, type PanelOptions, startPanel } from './fixtures/panel.ts';

const database = useDatabase();
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await database.sql`DELETE FROM intento`;
});

async function start(options: PanelOptions = {}) {
  const panel = await startPanel({ database, ...options });
  closing.push(() => panel.close());
  return panel;
}

const RARELY = { ENTRADA_CUENTA_SECONDS: '3600', ENTRADA_IP_SECONDS: '3600', REGISTRO_IP_SECONDS: '3600' };

const tryAt = async (url: string, email: string, password = 'no es la contraseña') =>
  newCliente(url).submit('/entrar', '/entrar', { email, password });

/** A form that a proxy hands on for this address. */
async function postFrom(ip: string, url: string, path: string, campos: Campos) {
  const cliente = newCliente(url);
  const _csrf = await cliente.csrf();
  return cliente.post(path, { _csrf, ...campos }, { 'x-forwarded-for': ip });
}

describe('throttles of log-ins', () => {
  it('count for an account over all processes, whatever they try at once, and hold the right password too', async () => {
    const panel = await start({ env: { ...RARELY, ENTRADAS_CUENTA: '4' } });
    const dir = await mkdtemp(join(tmpdir(), 'acuse-panel-'));
    const group = createProcessGroup({ log: silentLogger, logDir: dir });
    closing.push(() => rm(dir, { recursive: true, force: true }));
    closing.push(() => group.stop());
    const port = await freePort();
    const other = `http://127.0.0.1:${port}`;
    await group.start({
      name: 'panel-2',
      entry: programEntry(inject('programs'), 'panel'),
      readyUrl: `${other}/readyz`,
      env: { ...panel.env, PANEL_PORT: String(port) },
    });
    const [ana, berta] = [await panel.registrar(), await panel.registrar()];

    const answers = await Promise.all(
      [panel.url, other, panel.url, other, panel.url, other].map((url) => tryAt(url, ana.email)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
    expect(refused?.text).toContain('Espere 60 minutos');
    for (const url of [panel.url, other]) expect((await tryAt(url, ana.email, ana.password)).status).toBe(429);
    expect((await tryAt(other, berta.email, berta.password)).status).toBe(303);
  });

  it('keep an attacker elsewhere from locking the owner out, and bound guesses from many networks', async () => {
    const env = { ...RARELY, ENTRADAS_CUENTA: '1', ENTRADAS_IP: '1000', TRUSTED_PROXIES: '127.0.0.1' };
    const panel = await start({ env });
    const ana = await panel.registrar();
    const from = async (ip: string, password = 'no es la contraseña') =>
      (await postFrom(ip, panel.url, '/entrar', { email: ana.email, password })).status;
    expect([await from('203.0.113.7'), await from('203.0.113.7')]).toEqual([422, 429]);
    expect(await from('203.0.113.7', ana.password)).toBe(429);
    expect(await from('198.51.100.1', ana.password)).toBe(303);

    // Twenty times as many in all; one is used up.
    const guesses = await Promise.all(Array.from({ length: 22 }, (_, network) => from(`192.0.2.${network}`)));
    expect(guesses.sort()).toEqual([...Array(19).fill(422), 429, 429, 429]);
    // Then the right password is held too, but from no network that the owner came from before.
    expect(await from('192.0.2.200', ana.password)).toBe(429);
    expect(await from('198.51.100.1', ana.password)).toBe(303);
    expect([await from('198.51.100.1'), await from('198.51.100.1')]).toEqual([422, 429]);

    const usuario = await panel.deps.usuarios.findByEmail(ana.email);
    if (!usuario) throw new Error('no user');
    const codigo = await panel.deps.usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
    const password = 'otra contraseña muy larga';
    expect((await postFrom('192.0.2.200', panel.url, '/restablecer', { codigo, password })).location).toBe('/entrar');
    expect(await from('192.0.2.200', password)).toBe(303);
  });

  it('count for an address over all accounts', async () => {
    const panel = await start({ env: { ...RARELY, ENTRADAS_IP: '3', TRUSTED_PROXIES: '127.0.0.1' } });
    const ana = await panel.registrar();
    const from = async (ip: string, email: string, password = 'no es la contraseña') =>
      (await postFrom(ip, panel.url, '/entrar', { email, password })).status;
    const unknown = () => `${randomUUID()}@example.com`;
    for (let count = 0; count < 3; count += 1) expect(await from('203.0.113.7', unknown())).toBe(422);
    expect(await from('203.0.113.7', ana.email, ana.password)).toBe(429);
    expect(await from('198.51.100.1, 203.0.113.7', ana.email, ana.password)).toBe(429);
    expect(await from('203.0.113.8', ana.email, ana.password)).toBe(303);
    for (let count = 0; count < 3; count += 1) expect(await from(`2001:db8:1:2::${count}`, unknown())).toBe(422);
    expect(await from('2001:db8:1:2:ffff::1', ana.email, ana.password)).toBe(429);
  });

  it('do not count those who come in, and start anew for an account whose owner did', async () => {
    const panel = await start({ env: { ...RARELY, ENTRADAS_CUENTA: '3', ENTRADAS_IP: '7' } });
    const ana = await panel.registrar();
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 2; count += 1) expect((await tryAt(panel.url, ana.email)).status).toBe(422);
      expect((await tryAt(panel.url, ana.email, ana.password)).status).toBe(303);
    }
    expect((await tryAt(panel.url, ana.email)).status).toBe(422);
    expect((await tryAt(panel.url, ana.email)).status).toBe(429);
  });

  it('hold the codes of the second step, which is the only one that knows the password', async () => {
    const panel = await start({ env: { ...RARELY, ENTRADAS_CUENTA: '3' } });
    const ana = await panel.registrar();
    await panel.sql`INSERT INTO segundo_factor (usuario_id, secreto, confirmado_en) VALUES (${ana.usuarioId}, '\\x00', now())`;
    const cliente = panel.newCliente();
    await cliente.submit('/entrar', '/entrar', { email: ana.email, password: ana.password });
    const send = async () => (await cliente.submit('/entrar/codigo', '/entrar/codigo', { codigo: '123456' })).status;
    expect([await send(), await send(), await send(), await send()]).toEqual([422, 422, 422, 429]);
    await cliente.submit('/entrar', '/entrar', { email: ana.email, password: ana.password });
    expect(await send()).toBe(429);
  });

  it('hold the password that somebody who is in is asked for again, the right one too', async () => {
    for (const [desde, accion, campo] of [
      ['/cuenta/password', '/cuenta/password', 'actual'],
      ['/cuenta/dos-pasos', '/cuenta/dos-pasos/iniciar', 'password'],
    ] as const) {
      const panel = await start({ env: { ...RARELY, ENTRADAS_CUENTA: '2' } });
      const ana = await panel.registrar();
      const send = (password: string) =>
        ana.submit(desde, accion, { nueva: 'otra contraseña muy larga', [campo]: password });
      const statuses = [(await send('no es')).status, (await send('tampoco es')).status];
      const held = await send(ana.password);
      expect([...statuses, held.status]).toEqual([422, 422, 429]);
      expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(3_000);
    }
  });

  it('hold the codes that put a second factor in force', async () => {
    const panel = await start({ env: { ...RARELY, ENTRADAS_CUENTA: '2' } });
    const ana = await panel.registrar();
    const pasos = '/cuenta/dos-pasos';
    await ana.submit(pasos, `${pasos}/iniciar`, { password: ana.password });
    const send = () => ana.submit(pasos, `${pasos}/confirmar`, { codigo: 'x' });
    expect([(await send()).status, (await send()).status]).toEqual([422, 422]);
    const held = await send();
    expect([held.status, Number(held.headers.get('retry-after')) > 3_000]).toEqual([429, true]);
  });

  it('hold the codes of the operator by address, and start the account anew once one was good', async () => {
    const panel = await start({
      env: { ...RARELY, ENTRADAS_CUENTA: '1', ENTRADAS_IP: '3', TRUSTED_PROXIES: '127.0.0.1' },
    });
    const ana = await panel.registrar();
    const password = 'otra contraseña muy larga';
    const from = (ip: string, path: string, campos: Campos) => postFrom(ip, panel.url, path, { password, ...campos });
    const usuario = await panel.deps.usuarios.findByEmail(ana.email);
    if (!usuario) throw new Error('no user');
    const codigo = await panel.deps.usuarios.offerCodigo(usuario, 600, { actor: 'prueba', ip: null });
    for (let count = 0; count < 3; count += 1)
      expect((await from('203.0.113.7', '/restablecer', { codigo: 'no es' })).status).toBe(422);
    const held = await from('203.0.113.7', '/restablecer', { codigo });
    expect([held.status, Number(held.headers.get('retry-after')) > 3_000]).toEqual([429, true]);

    expect((await from('203.0.113.8', '/entrar', { email: ana.email, password: 'no es' })).status).toBe(422);
    expect((await from('203.0.113.8', '/entrar', { email: ana.email })).status).toBe(429);
    expect((await from('203.0.113.8', '/restablecer', { codigo })).location).toBe('/entrar');
    expect((await from('203.0.113.8', '/entrar', { email: ana.email })).status).toBe(303);
  });

  it('hold sign-ups of one address, which is how often somebody can ask for an e-mail', async () => {
    const panel = await start({ env: { ...RARELY, REGISTROS_IP: '2' } });
    const ana = await panel.registrar();
    const ask = (email: string) =>
      panel
        .newCliente()
        .submit('/registro', '/registro', { nombre: 'X', email, password: 'un caballo bajo la lluvia' });
    expect((await ask(ana.email)).status).toBe(422);
    const refused = await ask(`${randomUUID()}@example.com`);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3_000]).toEqual([429, true]);
  });

  it('keep no e-mail', async () => {
    const panel = await start();
    const email = `${randomUUID()}@example.com`;
    await tryAt(panel.url, email);
    const rows = await panel.sql`SELECT clave FROM intento`;
    expect(rows.length).toBe(3);
    expect(JSON.stringify(rows)).not.toContain(email.split('@')[0]);
  });
});

describe('the tries in the database', () => {
  it('are as many as allowed when a hundred come at once, and more with time', async () => {
    const intentos = createIntentos(database.db);
    const limite = { clave: 'prueba', rafaga: 7, segundos: 600 };
    const permisos = await Promise.all(Array.from({ length: 100 }, () => intentos.take([limite])));
    expect(permisos.filter(({ permitido }) => permitido)).toHaveLength(7);
    await database.sql`UPDATE intento SET tat = tat - interval '1201 seconds'`;
    const later = await Promise.all(Array.from({ length: 10 }, () => intentos.take([limite])));
    expect(later.filter(({ permitido }) => permitido)).toHaveLength(2);
  });

  it('of one limit are given back when another one refuses', async () => {
    const intentos = createIntentos(database.db);
    const [wide, narrow] = [
      { clave: 'a', rafaga: 3, segundos: 600 },
      { clave: 'b', rafaga: 1, segundos: 600 },
    ];
    await intentos.take([narrow]);
    for (let count = 0; count < 5; count += 1) expect((await intentos.take([wide, narrow])).permitido).toBe(false);
    expect((await intentos.take([wide])).permitido).toBe(true);
  });
});

describe('the work of a log-in', () => {
  it('is one argon2 run whoever asks or signs up, and none once it is held', async () => {
    let runs = 0;
    const counted =
      <A extends unknown[], R>(run: (...args: A) => R) =>
      (...args: A) => {
        runs += 1;
        return run(...args);
      };
    const counting: Argon2 = { hash: counted(hash), verify: counted(verify) };
    const passwords = await createPasswords(new Map([['p1', randomBytes(32)]]), 'p1', counting);
    const panel = await start({ deps: { passwords }, env: { ...RARELY, ENTRADAS_CUENTA: '2' } });
    const ana = await panel.registrar();
    const without = await panel.registrar();
    await panel.sql`UPDATE usuario SET password_hash = NULL, password_kid = NULL WHERE id = ${without.usuarioId}`;
    const unknown = `${randomUUID()}@example.com`;
    const work = async (email: string, password?: string) => {
      runs = 0;
      const { status } = await tryAt(panel.url, email, password);
      return [status, runs];
    };
    expect(await work(ana.email)).toEqual([422, 1]);
    expect(await work(unknown)).toEqual([422, 1]);
    expect(await work(without.email)).toEqual([422, 1]);
    expect(await work(unknown, 'x'.repeat(50_000))).toEqual([422, 1]);
    expect(await work(unknown)).toEqual([429, 0]);
    expect(await work(ana.email, ana.password)).toEqual([303, 1]);
    const signUp = async (email: string) => {
      runs = 0;
      const campos = { nombre: 'X', email, password: 'un caballo bajo la lluvia' };
      const { status } = await newCliente(panel.url).submit('/registro', '/registro', campos);
      return [status, runs];
    };
    expect(await signUp(ana.email)).toEqual([422, 1]);
    expect(await signUp(`${randomUUID()}@example.com`)).toEqual([303, 1]);
  });
});
