import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  createClaims,
  createSaldos,
  createSolicitudes,
  inspectDatabase,
  migrate,
  openDatabase,
  ROLES_BASE,
} from '@acuse/db';
import { createDatabase, dropDatabase } from '@acuse/embedded';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it, test } from 'vitest';
import {
  acceptSolicitud,
  brokenInvariants,
  newSolicitud,
  PAQUETE,
  saldoDe,
  seedTaxpayer,
  useDatabase,
} from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { claimOf, writesOf } from '../fixtures/features.ts';
import { keepAnteriores, letUsersIn, urlAs } from '../fixtures/roles.ts';

const t = useDatabase();
const as = (rol: (typeof ROLES_BASE)[number]) =>
  duringTests(async () => openDatabase({ ...t.db.settings, url: urlAs(t.url, rol), poolSize: 4 }));
const bases = { api: as('api'), panel: as('panel'), worker: as('worker') };

beforeAll(() => letUsersIn(t));

const DENIED = { code: '42501' };
const autor = { actor: 'prueba', ip: null };

/** An id without a row: rights are checked before rows are searched. */
const NOBODY = `'${randomUUID()}'`;

const OF_NOBODY = [
  `UPDATE movimiento SET importe = 0 WHERE id = 0`,
  `DELETE FROM movimiento WHERE id = 0`,
  `INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, saldo) VALUES (${NOBODY}, ${NOBODY}, 'cargo', -1, 1000)`,
  `INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id) VALUES (${NOBODY}, ${NOBODY}, 'compra', 1, 'x')`,
  `SELECT setval('movimiento_id_seq', 1)`,
  `UPDATE uso_dia SET importe = 0`,
  `INSERT INTO uso_dia (cuenta_id, dia, tipo, operacion, movimientos, importe) VALUES (${NOBODY}, now(), 'cargo', '', 1, 1)`,
  `UPDATE auditoria SET actor = 'otro'`,
  `DELETE FROM auditoria`,
  `DELETE FROM cuenta`,
  `DELETE FROM solicitud`,
  `UPDATE solicitud SET cuenta_id = ${NOBODY}`,
  `UPDATE solicitud SET rfc = 'x'`,
  `UPDATE webhook SET secuencia = 0`,
  `INSERT INTO webhook_evento (id, cuenta_id, tipo, datos) VALUES (${NOBODY}, ${NOBODY}, 'x', '{}')`,
  `SELECT webhook_emite(${NOBODY}, 'x', 'x', NULL, '{}')`,
  `INSERT INTO operacion (path) VALUES ('otra')`,
  `SELECT * FROM _prisma_migrations`,
  ...['movimiento', 'cuenta', 'credencial_sellada', 'solicitud', 'auditoria', 'outbox'].map(
    (table) => `TRUNCATE ${table}`,
  ),
  'CREATE TABLE mia (n int)',
  'CREATE FUNCTION mia() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  'CREATE SCHEMA mio',
  'DROP TRIGGER movimiento_inmutable ON movimiento',
  'ALTER TABLE movimiento DISABLE TRIGGER ALL',
  'DROP TABLE cuenta',
  `CREATE OR REPLACE FUNCTION movimiento_inmutable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$`,
  'ALTER FUNCTION libro_abona SECURITY INVOKER',
  'ALTER TABLE usuario OWNER TO CURRENT_USER',
  'SET ROLE pg_read_all_data',
  'SET session_replication_role = replica',
  'CREATE ROLE mia',
  `COPY cuenta (id) TO PROGRAM 'true'`,
  `SELECT pg_read_file('/etc/passwd')`,
];

const OF_PEOPLE = [
  'SELECT password_hash FROM usuario',
  'SELECT email FROM usuario',
  "UPDATE usuario SET rol = 'OPERADOR'",
  'SELECT secreto FROM segundo_factor',
  'SELECT huella FROM codigo_recuperacion',
  'SELECT papel FROM miembro',
  "UPDATE miembro SET papel = 'PROPIETARIO'",
  'SELECT huella FROM invitacion',
  'SELECT huella FROM codigo_acceso',
  'SELECT huella FROM sesion',
  'SELECT sobre FROM llave_recordada',
  'SELECT * FROM pago',
  `UPDATE pago SET estado = 'ACREDITADO'`,
  'SELECT * FROM auditoria',
  `UPDATE cuenta SET suspendida_en = NULL, suspension_motivo = NULL`,
  `INSERT INTO cuenta (id, nombre, email) VALUES (${NOBODY}, 'x', 'x')`,
  `INSERT INTO contribuyente (id, cuenta_id, rfc) VALUES (${NOBODY}, ${NOBODY}, 'x')`,
  `INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4) VALUES ('x', ${NOBODY}, 'test', '', 1, 'x')`,
  `UPDATE api_key SET estado = 'ACTIVA'`,
  'DELETE FROM operacion_deshabilitada',
  'DELETE FROM ip_permitida',
  "UPDATE captcha_pendiente SET respuesta = 'x'",
  `SELECT libro_abona(${NOBODY}, ${NOBODY}, 'compra', 1, NULL, 'x')`,
];

const REFUSED = {
  api: [
    'SELECT sobre FROM credencial_sellada',
    'SELECT kid FROM credencial_sellada',
    'SELECT c.* FROM credencial_sellada c',
    'DELETE FROM credencial_sellada',
    'SELECT folios FROM capsula',
    `INSERT INTO credencial_sellada (solicitud_id, tipo, kid, sobre, expira_en) VALUES (${NOBODY}, 'ciec', 'k', '', now()) RETURNING sobre`,
    'UPDATE solicitud SET epoch = 0',
    'DELETE FROM outbox',
    'DELETE FROM evento',
    'SELECT * FROM evento',
    'DELETE FROM contribuyente',
    'UPDATE contribuyente SET cuenta_id = NULL',
    'SELECT email FROM cuenta',
    'SELECT auditoria_poda(1, 365)',
    ...OF_PEOPLE,
  ],
  panel: [
    `INSERT INTO movimiento (cuenta_id, op_id, tipo, importe) VALUES (${NOBODY}, ${NOBODY}, 'ajuste', 1)`,
    'UPDATE cuenta SET saldo = 1000',
    `INSERT INTO cuenta (id, nombre, email, saldo) VALUES (${NOBODY}, 'x', 'x', 1000)`,
    'SELECT sobre FROM credencial_sellada',
    'DELETE FROM credencial_sellada',
    'SELECT sobre FROM capsula',
    "SELECT libro_devuelve(ARRAY[]::uuid[], 'x')",
    `SELECT libro_abona(${NOBODY}, ${NOBODY}, 'cargo', -1, NULL, 'x')`,
    `SELECT libro_abona(${NOBODY}, ${NOBODY}, 'reembolso', 1, NULL, 'x')`,
    `SELECT * FROM solicitudes_terminan(ARRAY[]::uuid[], 'TERMINADA', 'x', NULL)`,
    `INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, deadline_at)
     VALUES (${NOBODY}, ${NOBODY}, ${NOBODY}, 'x', 'x', 'recibidos', now(), now(), 'soap', now())`,
    `UPDATE solicitud SET object_key = 'de-otro'`,
    'SELECT cookies FROM sesion_portal',
    'DELETE FROM captcha_pendiente',
    'SELECT cuerpo_hash FROM idempotencia',
    'DELETE FROM llamada',
    'SELECT auditoria_poda(1, 365)',
  ],
  worker: [
    'UPDATE cuenta SET saldo = 1000',
    'SELECT email FROM cuenta',
    'SELECT importe FROM movimiento',
    `INSERT INTO movimiento (cuenta_id, op_id, tipo, importe) VALUES (${NOBODY}, ${NOBODY}, 'reembolso', 1)`,
    'SELECT sobre FROM credencial',
    'SELECT c.* FROM credencial c',
    `UPDATE credencial SET sobre = ''`,
    'SELECT llave FROM efirma_shred',
    'SELECT hash FROM api_key',
    `UPDATE api_key SET hash = ''`,
    `INSERT INTO credencial_sellada (solicitud_id, tipo, kid, sobre, expira_en) VALUES (${NOBODY}, 'ciec', 'k', '', now())`,
    'UPDATE credencial_sellada SET expira_en = NULL',
    'UPDATE solicitud SET capsula = true',
    `UPDATE contribuyente SET id_cif = 'x'`,
    'SELECT sobre FROM idempotencia',
    `INSERT INTO auditoria (actor, accion) VALUES ('x', 'x')`,
    `UPDATE webhook SET url = 'https://otro.example'`,
    `UPDATE webhook_secreto SET sobre = ''`,
    ...OF_PEOPLE,
  ],
};

describe.each(ROLES_BASE)('the user of a process: %s', (rol) => {
  it.each([...OF_NOBODY, ...REFUSED[rol]])('may not %s', async (statement) => {
    await expect(bases[rol].pool.query(statement)).rejects.toMatchObject(DENIED);
  });

  it('is no owner of anything, and may make no role and no database', async () => {
    const { rows } = await bases[rol].pool.query(
      `SELECT r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls AS may,
         EXISTS (SELECT FROM pg_class c WHERE pg_has_role(c.relowner, 'MEMBER')) AS owns FROM pg_roles r WHERE rolname = current_user`,
    );
    expect(rows).toEqual([{ may: false, owns: false }]);
  });
});

test('an API accepts with its sealed copy, which a worker reads, and neither does the work of the other', async () => {
  const taxpayer = await seedTaxpayer(t.db);
  const id = await newSolicitud(bases.api, taxpayer);
  await expect(writesOf(bases.api, await claimOf(bases.worker, id))[0]?.()).rejects.toMatchObject(DENIED);
  await expect(acceptSolicitud(bases.worker, taxpayer, { desde: '2024-01-01' })).rejects.toMatchObject(DENIED);
  expect(await brokenInvariants(t.db)).toEqual([]);
});

test('workers end what failed with its refund, and write no line of the ledger themselves', async () => {
  const taxpayer = await seedTaxpayer(t.db, { saldo: 10 });
  const claimed = await claimOf(bases.worker, await newSolicitud(bases.api, taxpayer));
  const [, , , , , fail] = writesOf(bases.worker, claimed);
  await fail?.();
  expect(await saldoDe(t, taxpayer)).toBe(10);
  const empty = await claimOf(bases.worker, await newSolicitud(bases.api, taxpayer));
  await createClaims(bases.worker).finish(empty, { ...PAQUETE, registros: 0, confianza: 'sin_confirmar' });
  expect(await saldoDe(t, taxpayer)).toBe(10);
  expect(await brokenInvariants(t.db)).toEqual([]);
});

test('a panel cancels a solicitud with its refund', async () => {
  const taxpayer = await seedTaxpayer(t.db, { saldo: 10 });
  const id = await newSolicitud(bases.api, taxpayer);
  expect(await createSolicitudes(bases.panel).cancel(taxpayer.contribuyenteId, id, { autor })).toEqual({
    resultado: 'CANCELADA',
  });
  expect(await saldoDe(t, taxpayer)).toBe(10);
  expect(await brokenInvariants(t.db)).toEqual([]);
});

test('a charge is refunded once, by its API or by the worker that finds it abandoned', async () => {
  const { cuentaId, contribuyenteId } = await seedTaxpayer(t.db, { saldo: 10 });
  const cargo = { cuentaId, contribuyenteId, operacion: 'tax/facturas', plazoSegundos: 0 };
  const [mine, left] = [randomUUID(), randomUUID()];
  await createSaldos(bases.worker).refundAbandoned(100);
  for (const opId of [mine, left]) await createSaldos(bases.api).charge({ ...cargo, opId });
  expect(await createSaldos(bases.api).refund(mine, 'prueba')).toBe(true);
  expect(await createSaldos(bases.worker).refundAbandoned(100)).toBe(1);
  for (const opId of [mine, left]) expect(await createSaldos(bases.api).undo(opId, 'prueba')).toBe(false);
  expect(await saldoDe(t, { cuentaId })).toBe(10);
});

test('prisma/permisos.sql names every table of a migrated database', async () => {
  const text = await readFile(new URL('../../../prisma/permisos.sql', import.meta.url), 'utf8');
  const tables = await t.sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')`;
  expect(tables.map(({ name }) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test('what runs with the rights of the owner finds nothing but ours by name, and is for those who are named', async () => {
  const functions = await t.sql<{ name: string; config: string[] | null; all: boolean; trigger: boolean }>`
    SELECT proname AS name, proconfig AS config, has_function_privilege('pg_read_all_data', oid, 'EXECUTE') AS all,
      prorettype = 'trigger'::regtype AS trigger
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef`;
  expect(functions.length).toBeGreaterThan(5);
  for (const { name, config, all, trigger } of functions)
    expect([name, config, all && !trigger]).toEqual([name, ['search_path=public, pg_temp'], false]);
});

test('the next migration revokes a right that was granted by hand', async () => {
  await t.sql`GRANT SELECT ON usuario TO acuse_worker`;
  await t.sql`GRANT UPDATE (saldo) ON cuenta TO acuse_panel`;
  expect(await migrate(t.url)).toMatchObject({ aplicadas: [], anteriores: false });
  await expect(bases.worker.pool.query('SELECT email FROM usuario')).rejects.toMatchObject(DENIED);
  await expect(bases.panel.pool.query('UPDATE cuenta SET saldo = 1')).rejects.toMatchObject(DENIED);
});

/** As the version before charges and refunds. */
const OF_BEFORE = {
  api: `WITH cargo AS (UPDATE cuenta SET saldo = saldo - 1 WHERE id = $1 RETURNING id)
    INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, operacion) SELECT id, $2, 'cargo', -1, 'tax/facturas' FROM cargo`,
  worker: `SELECT $1::uuid FROM libro_devuelve(ARRAY[$2::uuid], 'prueba')`,
};

test('statements of the version before go on while an installation is updated, until the next run of migrate', async () => {
  const { cuentaId } = await seedTaxpayer(t.db, { saldo: 10 });
  const order = (rol: 'api' | 'worker', opId: string) => bases[rol].pool.query(OF_BEFORE[rol], [cuentaId, opId]);
  const opId = randomUUID();
  await expect(order('api', opId)).rejects.toMatchObject(DENIED);
  await keepAnteriores(t);
  await order('api', opId);
  await order('worker', opId);
  expect([await saldoDe(t, { cuentaId }), await brokenInvariants(t.db)]).toEqual([10, []]);
  const facts = () => inspectDatabase(t.url, { timeoutMs: 10_000, now: Date.now });
  expect(await facts()).toMatchObject({ keepsAnteriores: true });
  expect(await migrate(t.url)).toMatchObject({ aplicadas: [], anteriores: false });
  for (const rol of ['api', 'worker'] as const) await expect(order(rol, randomUUID())).rejects.toMatchObject(DENIED);
  expect(await facts()).toMatchObject({ keepsAnteriores: false });
});

test('after migrate only granted logins connect, and logins made by hand go on', async () => {
  const admin = inject('postgresUrl');
  const base = `c_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(admin, base);
  const [stranger, ours, elsewhere] = ['ajeno', 'nuestro', 'vecino'].map((name) => `${name}_${base}`);
  const enter = (user = '') => {
    const address = new URL(url);
    [address.username, address.password] = [user, 'solo-para-las-pruebas'];
    const client = new pg.Client({ connectionString: address.href });
    return client.connect().finally(() => client.end().catch(() => {}));
  };
  const make = (user = '', role = '') =>
    t.db.pool.query(`CREATE ROLE ${user} LOGIN PASSWORD 'solo-para-las-pruebas' ${role}`);
  try {
    await make(stranger);
    for (const user of [ours, elsewhere]) await make(user, 'IN ROLE acuse_api');
    await t.db.pool.query(`GRANT CONNECT ON DATABASE template1 TO ${elsewhere}`);
    for (const user of [stranger, ours, elsewhere]) await enter(user);
    await migrate(url);
    await enter(ours);
    for (const user of [stranger, elsewhere]) await expect(enter(user)).rejects.toMatchObject({ code: '42501' });
  } finally {
    await dropDatabase(admin, base);
    await t.db.pool.query(`REVOKE CONNECT ON DATABASE template1 FROM ${elsewhere}`);
    await t.db.pool.query(`DROP ROLE IF EXISTS ${stranger}, ${ours}, ${elsewhere}`);
  }
});
