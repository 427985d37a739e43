import { randomBytes, randomUUID } from 'node:crypto';
import {
  createEquipo,
  createInvitaciones,
  createSesiones,
  createUsuarios,
  type ResultadoEquipo,
  recover,
} from '@acuse/db';
import { describe, expect, it, test } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { testDatabase, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
const autor = { actor: 'prueba', ip: null };
const password = { hash: 'h', kid: 'k' };

/** An account with so many people who own it. */
async function cuentaWith(owners: number) {
  const [usuarios, equipo] = [createUsuarios(t.db), createEquipo(t.db)];
  const register = () =>
    usuarios.register({ nombre: 'x', email: `${randomUUID()}@example.com`, password, ip: '203.0.113.9' });
  const { id, cuentaId } = await register();
  const people = [id];
  for (let n = 1; n < owners; n += 1) {
    const { id: other } = await register();
    await equipo.add({ cuentaId, ...autor }, other, 'PROPIETARIO');
    people.push(other);
  }
  const [a = '', b = ''] = people;
  return { cuentaId, a, b };
}

const ownersOf = (cuentaId: string) =>
  t.sql`SELECT usuario_id FROM miembro WHERE cuenta_id = ${cuentaId} AND papel = 'PROPIETARIO'`;

/** Runs all at once: each begins and reads before the first writes. */
async function together<T>(cuentaId: string, changes: readonly (() => Promise<T>)[]): Promise<T[]> {
  const client = await t.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM miembro WHERE cuenta_id = $1 FOR UPDATE', [cuentaId]);
    const sent = changes.map((change) => change());
    await waitForLocks(t.db.pool, sent.length);
    await client.query('COMMIT');
    return await Promise.all(sent);
  } finally {
    client.release(true);
  }
}

describe('two owners of an account who at the same moment', () => {
  const equipo = () => createEquipo(t.db);
  type Of = (cuentaId: string, by: string, whom: string) => Promise<ResultadoEquipo>;
  const CHANGES: Readonly<Record<string, Of>> = {
    'remove each other': (cuentaId, quien, whom) => equipo().remove({ cuentaId, quien, ...autor }, whom),
    'degrade each other': (cuentaId, quien, whom) => equipo().setPapel({ cuentaId, quien, ...autor }, whom, 'CONTADOR'),
    leave: (cuentaId, quien) => equipo().leave(cuentaId, quien, autor),
  };

  it.each(Object.entries(CHANGES))('%s: one of them does, and one owns it', async (_name, change) => {
    const { cuentaId, a, b } = await cuentaWith(2);
    const results = await together(cuentaId, [() => change(cuentaId, a, b), () => change(cuentaId, b, a)]);
    expect(results.filter((result) => result === 'HECHO')).toHaveLength(1);
    expect(await ownersOf(cuentaId)).toHaveLength(1);
  });

  it('hand it over to each other: one owns it', async () => {
    const { cuentaId, a, b } = await cuentaWith(2);
    const hand = (quien: string, whom: string) => () =>
      equipo().transfer({ cuentaId, quien, ...autor }, whom, 'CONTADOR', Buffer.alloc(32));
    await together(cuentaId, [hand(a, b), hand(b, a)]);
    expect(await ownersOf(cuentaId)).toHaveLength(1);
  });

  it('hand it over to a member and remove that member: it keeps an owner in either order', async () => {
    const { cuentaId, a, b } = await cuentaWith(2);
    const { id: c } = await createUsuarios(t.db).register({
      nombre: 'x',
      email: `${randomUUID()}@example.com`,
      password,
      ip: '203.0.113.9',
    });
    await equipo().add({ cuentaId, ...autor }, c, 'CONTADOR');
    await together<unknown>(cuentaId, [
      () => equipo().transfer({ cuentaId, quien: a, ...autor }, c, 'CONTADOR', Buffer.alloc(32)),
      () => equipo().remove({ cuentaId, quien: b, ...autor }, c),
      () => equipo().leave(cuentaId, b, autor),
    ]);
    expect((await ownersOf(cuentaId)).length).toBeGreaterThan(0);
  });
});

test('a member who is no owner changes no member, and the operator cannot remove the last owner', async () => {
  const { cuentaId, a, b } = await cuentaWith(2);
  const equipo = createEquipo(t.db);
  expect(await equipo.setPapel({ cuentaId, quien: a, ...autor }, b, 'DESARROLLADOR')).toBe('HECHO');
  expect(await equipo.remove({ cuentaId, quien: b, ...autor }, a)).not.toBe('HECHO');
  expect(await equipo.remove({ cuentaId, quien: randomUUID(), ...autor }, b)).toBe('SIN_CAMBIO');
  expect(await equipo.remove({ cuentaId, quien: null, ...autor }, a)).toBe('SIN_PROPIETARIO');
  expect(await equipo.transfer({ cuentaId, quien: a, ...autor }, randomUUID(), 'CONTADOR', Buffer.alloc(32))).toBe(
    'SIN_CAMBIO',
  );
  expect(await ownersOf(cuentaId)).toEqual([{ usuario_id: a }]);
});

test('a session that is opened while its person is removed is in no account of theirs', async () => {
  const { cuentaId, b } = await cuentaWith(2);
  await t.sql`DELETE FROM miembro WHERE usuario_id = ${b} AND cuenta_id <> ${cuentaId}`;
  const sesiones = createSesiones(t.db);
  const huella = randomBytes(32);
  const nueva = { huella, id: randomUUID(), usuarioId: b, fase: 'COMPLETA' as const, agente: '', ip: '' };
  const client = await t.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DELETE FROM miembro WHERE usuario_id = $1 AND cuenta_id = $2', [b, cuentaId]);
    const opening = sesiones.open({ ...nueva, inactividad: 60, duracion: 60 }, null).then(
      () => 'opened',
      () => 'refused',
    );
    await waitForLocks(t.db.pool, 1);
    await client.query('COMMIT');
    expect(await opening).toBe('refused');
  } finally {
    client.release(true);
  }
  expect(await sesiones.load(huella, { inactividad: 60, ip: '' })).toBeNull();
  await sesiones.open({ ...nueva, inactividad: 60, duracion: 60 }, null);
  expect(await sesiones.load(huella, { inactividad: 60, ip: '' })).toMatchObject({
    usuario: { cuentaId: null, papel: null, cuentas: 0 },
  });
});

test('no invitation and no code for a password is good in a database that was restored: it may have been used or revoked since', async () => {
  const { db, sql, close } = await testDatabase();
  try {
    const usuarios = createUsuarios(db);
    const dueno = await usuarios.register({ nombre: 'x', email: 'dueno@example.com', password, ip: '203.0.113.9' });
    const invitaciones = createInvitaciones(db);
    const invitada = { cuentaId: dueno.cuentaId, usuarioId: dueno.id, email: 'otra@example.com' };
    await invitaciones.invite({ ...invitada, papel: 'PROPIETARIO', ...autor });
    const codigo = await usuarios.offerCodigo(dueno, 3_600, autor);
    await sql`INSERT INTO enlace_correo (huella, usuario_id, tipo, vence_en)
      VALUES (${Buffer.alloc(32)}, ${dueno.id}, 'password.restablecer', now() + interval '1 hour')`;
    await recover(db, autor);
    expect(await sql`SELECT FROM enlace_correo`).toEqual([]);
    expect(await invitaciones.list(dueno.cuentaId)).toEqual([]);
    expect(await usuarios.redeemCodigo(codigo, password, '203.0.113.9')).toBeNull();
    expect(await sql`SELECT papel FROM miembro`).toEqual([{ papel: 'PROPIETARIO' }]);
  } finally {
    await close();
  }
});
