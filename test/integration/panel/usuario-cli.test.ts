import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { acuse as order } from '../fixtures/cli.ts';
import { newCliente, signIn, usePanel } from './fixtures/panel.ts';

const panel = usePanel();

const acuse = (...args: string[]) => order({ DATABASE_URL: panel.databaseUrl }, ...args);

const password = 'un caballo bajo la lluvia';
const newEmail = () => `${randomUUID()}@example.com`;

async function choose({ ruta }: Record<string, unknown>): Promise<void> {
  const answer = await newCliente(panel.url).submit(String(ruta), '/restablecer', { password });
  expect(answer.location).toBe('/entrar');
}

describe('usuario', () => {
  it('crear makes somebody who chooses a password with the code and comes in with the role', async () => {
    const email = newEmail();
    const [creado = {}] = await acuse('usuario', 'crear', '--email', email, '--rol', 'OPERADOR');
    expect(creado).toMatchObject({ email, rol: 'OPERADOR', vale_horas: 24 });
    await expect(signIn(newCliente(panel.url), email, password)).rejects.toThrow('422');
    await choose(creado);
    const cliente = newCliente(panel.url);
    await signIn(cliente, email, password);
    expect((await cliente.get('/cuenta')).text).toContain('href="/operador"');
    expect(await acuse('usuario', 'listar')).toContainEqual(expect.objectContaining({ email, rol: 'OPERADOR' }));
  });

  it('crear puts somebody into an account that is there, and refuses an e-mail that is taken or an account that is not', async () => {
    const ana = await panel.registrar();
    const email = newEmail();
    expect(await acuse('cuenta', 'listar')).toContainEqual(expect.objectContaining({ email: ana.email, saldo: 0 }));
    await acuse('usuario', 'crear', '--email', email, '--cuenta', ana.email, '--nombre', 'Berta');
    const rows = await panel.sql`SELECT nombre, rol, cuenta_id FROM usuario WHERE email = ${email}`;
    expect(rows).toEqual([{ nombre: 'Berta', rol: 'CLIENTE', cuenta_id: ana.cuentaId }]);
    await expect(acuse('usuario', 'crear', '--email', ana.email)).rejects.toThrow('EMAIL_REPETIDO');
    await expect(acuse('usuario', 'crear', '--email', newEmail(), '--cuenta', newEmail())).rejects.toThrow(
      'CUENTA_DESCONOCIDA',
    );
  });

  it('rol changes what somebody may do, and ends the sessions; the same again changes nothing', async () => {
    const ana = await panel.registrar();
    await acuse('usuario', 'rol', '--email', ana.email, '--rol', 'OPERADOR');
    expect((await ana.get('/cuenta')).status).toBe(303);
    await signIn(ana, ana.email, ana.password);
    await acuse('usuario', 'rol', '--email', ana.email, '--rol', 'OPERADOR');
    expect((await ana.get('/cuenta')).text).toContain('href="/operador"');
    await expect(acuse('usuario', 'rol', '--email', newEmail(), '--rol', 'OPERADOR')).rejects.toThrow(
      'USUARIO_DESCONOCIDO',
    );
  });

  it('restablecer lets somebody in again; the second factor goes only when asked', async () => {
    const ana = await panel.registrar();
    await panel.sql`INSERT INTO segundo_factor (usuario_id, secreto, confirmado_en) VALUES (${ana.usuarioId}, '\\x00', now())`;
    await choose((await acuse('usuario', 'restablecer', '--email', ana.email))[0] ?? {});
    const half = newCliente(panel.url);
    expect((await half.submit('/entrar', '/entrar', { email: ana.email, password })).location).toMatch(
      /^\/entrar\/codigo/,
    );
    const [sin = {}] = await acuse(
      'usuario',
      'restablecer',
      '--email',
      ana.email,
      '--sin-segundo-factor',
      '--horas',
      '1',
    );
    expect((await half.get('/entrar/codigo')).location).toBe('/entrar');
    await choose(sin);
    await signIn(newCliente(panel.url), ana.email, password);
  });

  it('notes in the audit log who did it, a repetition not', async () => {
    const ana = await panel.registrar();
    for (const _ of ['once', 'and again']) await acuse('usuario', 'rol', '--email', ana.email, '--rol', 'OPERADOR');
    await acuse('usuario', 'restablecer', '--email', ana.email, '--sin-segundo-factor');
    const rows = await panel.sql`SELECT accion FROM auditoria
      WHERE cuenta_id = ${ana.cuentaId} AND actor = 'operador:cli' ORDER BY id`;
    expect(rows.map(({ accion }) => accion)).toEqual(['cambiar-rol', 'quitar-dos-pasos', 'ofrecer-password']);
  });
});

describe('equipo', () => {
  it('gives an account whose only owner is gone another one, and takes the first away', async () => {
    const [ana, berta] = [await panel.registrar(), await panel.registrar()];
    const where = ['--cuenta', ana.email];
    await expect(acuse('equipo', 'quitar', ...where, '--email', ana.email)).rejects.toThrow('Nadie más es propietario');
    await acuse('equipo', 'agregar', ...where, '--email', berta.email, '--papel', 'CONTADOR');
    await expect(acuse('equipo', 'papel', ...where, '--email', ana.email, '--papel', 'CONTADOR')).rejects.toThrow(
      'Nadie más es propietario',
    );
    const papel = ['equipo', 'papel', ...where, '--email', berta.email, '--papel', 'PROPIETARIO'];
    expect(await acuse(...papel)).toMatchObject([{ papel: 'PROPIETARIO', cambio: true }]);
    expect(await acuse(...papel)).toMatchObject([{ cambio: false }]);
    expect(await acuse('equipo', 'quitar', ...where, '--email', ana.email)).toMatchObject([{ quitada: true }]);
    expect((await ana.get('/inicio')).location).toMatch(/^\/entrar/);
    expect(await acuse('equipo', 'listar', ...where)).toMatchObject([{ email: berta.email, papel: 'PROPIETARIO' }]);
    const rows = await panel.sql`SELECT accion FROM auditoria
      WHERE cuenta_id = ${ana.cuentaId} AND actor = 'operador:cli' ORDER BY id`;
    expect(rows.map(({ accion }) => accion)).toEqual(['agregar-persona', 'cambiar-papel', 'quitar-persona']);
  });

  it('makes somebody new of an account who is what the order says', async () => {
    const ana = await panel.registrar();
    const email = newEmail();
    await acuse('usuario', 'crear', '--email', email, '--cuenta', ana.email, '--papel', 'DESARROLLADOR');
    const people = await acuse('equipo', 'listar', '--cuenta', ana.email);
    expect(people.map((each) => [each['email'], each['papel']]).sort()).toEqual(
      [
        [ana.email, 'PROPIETARIO'],
        [email, 'DESARROLLADOR'],
      ].sort(),
    );
  });

  it('names what it does not know', async () => {
    const [ana, berta] = [await panel.registrar(), await panel.registrar()];
    const where = ['--cuenta', ana.email];
    await expect(acuse('equipo', 'listar', '--cuenta', newEmail())).rejects.toThrow('CUENTA_DESCONOCIDA');
    await expect(acuse('equipo', 'quitar', ...where, '--email', newEmail())).rejects.toThrow('USUARIO_DESCONOCIDO');
    await expect(acuse('equipo', 'quitar', ...where, '--email', berta.email)).rejects.toThrow(
      'No es parte de la cuenta',
    );
    await expect(acuse('equipo', 'agregar', ...where, '--email', ana.email, '--papel', 'CONTADOR')).rejects.toThrow(
      'Ya es parte de la cuenta',
    );
  });
});
