import { randomBytes, randomUUID } from 'node:crypto';
import { createBuzones, createCorreos } from '@acuse/correo/db';
import {
  createAccessSnapshots,
  createIntentos,
  createInvitaciones,
  createLlavesRecordadas,
  createSesiones,
  createUsuarios,
} from '@acuse/db';
import { beforeAll, expect, test } from 'vitest';
import { newLlave, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';

const autor = { actor: 'prueba', ip: null };
const t = useDatabase();
let ana: Taxpayer;
let usuarioId: string;
const email = `${randomUUID()}@example.com`;
beforeAll(async () => {
  ana = await seedTaxpayer(t.db);
  const usuario = { cuentaId: ana.cuentaId, email, nombre: 'Ana', rol: 'CLIENTE', ...autor } as const;
  ({ id: usuarioId } = await createUsuarios(t.db).add(usuario));
});

test('attempts are forgotten when their time is over', async () => {
  await t.sql`INSERT INTO intento (clave, tat) VALUES ('vieja', now() - interval '1 second'), ('nueva', now() + interval '1 hour')`;
  await createIntentos(t.db).purge();
  expect(await t.sql`SELECT clave FROM intento`).toEqual([{ clave: 'nueva' }]);
});

test('invitations are deleted 30 days after their end', async () => {
  const invitaciones = createInvitaciones(t.db);
  for (const invitado of ['vieja@example.com', 'nueva@example.com'])
    await invitaciones.invite({ cuentaId: ana.cuentaId, usuarioId, email: invitado, papel: 'CONTADOR', ...autor });
  await t.sql`UPDATE invitacion SET vence_en = now() - interval '30 days 1 second' WHERE email = 'vieja@example.com'`;
  await t.sql`UPDATE invitacion SET vence_en = now() - interval '29 days' WHERE email = 'nueva@example.com'`;
  await invitaciones.purge();
  expect(await t.sql`SELECT email FROM invitacion`).toEqual([{ email: 'nueva@example.com' }]);
});

test('links of mails are deleted when they expire', async () => {
  for (const segundos of [-1, 3_600])
    await t.sql`INSERT INTO enlace_correo (huella, usuario_id, tipo, vence_en)
      VALUES (${randomBytes(32)}, ${usuarioId}, 'password.restablecer', now() + make_interval(secs => ${segundos}))`;
  await createBuzones(t.db).purge();
  expect(await t.sql`SELECT vence_en > now() AS sirve FROM enlace_correo`).toEqual([{ sirve: true }]);
});

test('typed keys of a session are deleted when they expire', async () => {
  const [id, huella] = [randomUUID(), randomBytes(32)];
  const sesion = { huella, id, usuarioId, fase: 'COMPLETA', agente: '', ip: '203.0.113.9' } as const;
  await createSesiones(t.db).open({ ...sesion, inactividad: 60, duracion: 60 }, null);
  const llaves = createLlavesRecordadas(t.db);
  const { contribuyenteId, apiKeyId } = ana;
  const llave = { sesionId: id, contribuyenteId, apiKeyId, sobre: Buffer.alloc(9) };
  await llaves.keep({ ...llave, segundos: 60 });
  await llaves.purge();
  expect(await llaves.use(id, contribuyenteId, 60)).toEqual(llave.sobre);
  await llaves.keep({ ...llave, segundos: -1 });
  await llaves.purge();
  expect(await t.sql`SELECT FROM llave_recordada`).toEqual([]);
});

test('mails that no server will send are deleted, but not one in the hands of a worker', async () => {
  for (const tomado of [null, new Date(Date.now() + 60_000)])
    await t.sql`INSERT INTO correo (usuario_id, para, tipo, urgente, due_at, desde, vence_en, tomado_hasta)
      VALUES (${usuarioId}, ${email}, 'solicitud.fallida', false, now(), now(), now() + interval '1 day', ${tomado})`;
  expect(await createCorreos(t.db).discard(10)).toBe(1);
  expect(await t.sql`SELECT tomado_hasta > now() AS tomado FROM correo`).toEqual([{ tomado: true }]);
});

test('a newer hash replaces that of a key or password, but not one that was changed meanwhile', async () => {
  const snapshots = createAccessSnapshots(t.db);
  const hashes = () => t.sql<{ hash: Buffer }>`SELECT hash FROM api_key WHERE id = ${ana.apiKeyId}`;
  const [antes] = await hashes();
  if (antes === undefined) throw new Error('no key');
  const nueva = { ...newLlave(), pepperVersion: 2 };
  await snapshots.rehash(ana.apiKeyId, antes.hash, nueva);
  await snapshots.rehash(ana.apiKeyId, antes.hash, newLlave());
  expect(await hashes()).toEqual([{ hash: nueva.hash }]);

  const usuarios = createUsuarios(t.db);
  await t.sql`UPDATE usuario SET password_hash = 'a', password_kid = 'k1' WHERE id = ${usuarioId}`;
  await usuarios.rehash(usuarioId, { hash: 'a', kid: 'k1' }, { hash: 'b', kid: 'k2' });
  await usuarios.rehash(usuarioId, { hash: 'a', kid: 'k1' }, { hash: 'c', kid: 'k3' });
  expect((await usuarios.findByEmail(email))?.password).toEqual({ hash: 'b', kid: 'k2' });
});
