import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgram } from '@acuse/cli';
import { OPERACIONES } from '@acuse/contract';
import { createCaptchas } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import { acuse as acuseRows, everyCommand, runOrder, UNSEEN } from '../fixtures/cli.ts';
import { acceptSolicitud, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { newPago } from './fixtures/pagos.ts';

const BIN = fileURLToPath(new URL('../../../apps/cli/bin/acuse.mjs', import.meta.url));
const PEPPERS = `1:${Buffer.alloc(32, 1).toString('base64')}`;
const RFC = 'ACU200101DB1';

const database = useDatabase();

const config = () => ({ DATABASE_URL: database.url, API_KEY_PEPPERS: PEPPERS });
const acuse = (...args: string[]) => runOrder(config(), args);
/** The objects that an order prints which can be read. */
const rowsOf = (...args: string[]) => acuseRows(config(), ...args);

async function newCuenta() {
  const email = `${randomUUID()}@example.com`;
  await acuse('cuenta', 'crear', '--nombre', 'Mi empresa', '--email', email);
  await acuse('rfc', 'agregar', '--cuenta', email, '--rfc', RFC);
  return email;
}

/** Runs the program as it is installed. */
function run(args: readonly string[], env: Record<string, string>) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env: { PATH: process.env['PATH'], ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

describe('the command line', () => {
  it('refuses an operation that does not exist, and names where to see all', async () => {
    const email = await newCuenta();
    const { said } = await acuse('operacion', 'deshabilitar', 'tax/inventada', '--cuenta', email, '--rfc', RFC);
    expect(said).toBe(
      'Error: «tax/inventada» no sirve para <operacion>: no existe esa operación. Vea todas con: acuse operador operacion listar\n',
    );
    const near = await acuse('operacion', 'deshabilitar', 'tax/factura', '--cuenta', email, '--rfc', RFC);
    expect(near.said).toContain('no existe esa operación. ¿Quiso decir tax/facturas? Vea');
  });

  it('lists the operations, with those switched off for an RFC', async () => {
    const email = await newCuenta();
    expect((await acuse('operacion', 'listar')).rows.map(({ operacion }) => operacion)).toEqual(
      OPERACIONES.map(({ path }) => path),
    );
    await acuse('operacion', 'deshabilitar', 'tax/facturas', '--cuenta', email, '--rfc', RFC);
    const { rows } = await acuse('operacion', 'listar', '--cuenta', email, '--rfc', RFC);
    expect(rows.filter(({ habilitada }) => habilitada === false).map(({ operacion }) => operacion)).toEqual([
      'tax/facturas',
    ]);
  });

  it('stores the network of a block that is typed with one of its addresses, once', async () => {
    const email = await newCuenta();
    const fijar = (...cidrs: string[]) =>
      acuse(...['ips', 'fijar', '--cuenta', email, '--rfc', RFC], ...cidrs.flatMap((one) => ['--permitir', one]));
    expect((await fijar('10.1.2.3/8', '10.9.9.9/8', '2001:DB8:0::5/32', '::ffff:192.0.2.1')).rows).toEqual([
      { rfc: RFC, ips: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32'] },
    ]);
    const rows = await database.sql`SELECT cidr
      FROM ip_permitida i JOIN contribuyente c ON c.id = i.contribuyente_id JOIN cuenta q ON q.id = c.cuenta_id
       WHERE q.email = ${email} ORDER BY cidr`;
    expect(rows.map(({ cidr }) => cidr)).toEqual(['10.0.0.0/8', '192.0.2.1/32', '2001:db8::/32']);
    expect((await fijar('010.0.0.1')).said).toContain('debe ser una dirección IP o un bloque CIDR');
  });

  it('notes every change of an account in the audit log with that account and its author, a repetition not', async () => {
    const email = await newCuenta();
    const suya = ['--cuenta', email, '--rfc', RFC];
    for (const _ of ['once', 'and again']) {
      await acuse('operacion', 'deshabilitar', 'tax/facturas', ...suya);
      await acuse('ips', 'fijar', ...suya, '--permitir', '203.0.113.0/24');
    }
    await acuse('operacion', 'habilitar', 'tax/facturas', ...suya);
    const rows = await database.sql`SELECT a.accion, a.actor, a.contribuyente_id IS NOT NULL AS de_rfc
      FROM auditoria a JOIN cuenta q ON q.id = a.cuenta_id
       WHERE q.email = ${email} ORDER BY a.id`;
    expect(rows.map(({ accion, actor, de_rfc }) => [accion, actor, de_rfc])).toEqual([
      ['crear-cuenta', 'operador:cli', false],
      ['agregar-rfc', 'operador:cli', true],
      ['deshabilitar-operacion', 'operador:cli', true],
      ['cambiar-ips', 'operador:cli', true],
      ['habilitar-operacion', 'operador:cli', true],
    ]);
  });

  it('notes credits, captchas and orders to the workers in the audit log as the panel does', async () => {
    const email = await newCuenta();
    const pago = randomUUID();
    const agregar = (cuenta: string, creditos: string) =>
      acuse('saldo', 'agregar', '--cuenta', cuenta, '--creditos', creditos, '--pago', pago);
    expect((await agregar(email, '10')).rows).toEqual([{ saldo: 10, abonado: true }]);
    expect((await agregar(email, '10')).rows).toEqual([{ saldo: 10, abonado: false }]);
    await expect(agregar(email, '11')).rejects.toThrow('a otra cuenta o por otra cantidad');
    await expect(agregar(await newCuenta(), '10')).rejects.toThrow('a otra cuenta o por otra cantidad');
    const captcha = await createCaptchas(database.db).ask(Buffer.from('image'), 60_000);
    await acuse('captchas', 'contestar', captcha, 'ABC12');
    await acuse('efos', 'cargar');
    const rows = await database.sql`SELECT a.accion, q.email, a.detalle
      FROM auditoria a LEFT JOIN cuenta q ON q.id = a.cuenta_id
       WHERE a.actor = 'operador:cli' AND (q.email = ${email} AND a.accion = 'abonar-creditos' OR a.cuenta_id IS NULL) ORDER BY a.id`;
    const detalle = { creditos: 10, referencia: pago, detalle: 'abono del operador' };
    expect(rows).toEqual([
      { accion: 'abonar-creditos', email, detalle },
      { accion: 'contestar-captcha', email: null, detalle: { captcha } },
      { accion: 'pedir-lista-69b', email: null, detalle: { forzar: false } },
    ]);
  });

  it('lists solicitudes of all accounts, of one, of an RFC and of a state, page by page', async () => {
    const [ana, beto] = [await seedTaxpayer(database.db), await seedTaxpayer(database.db)];
    for (const [taxpayer, desde] of [
      [ana, '2024-01-01'],
      [beto, '2024-01-01'],
      [ana, '2024-02-01'],
    ] as const)
      await acceptSolicitud(database.db, taxpayer, { desde });
    const ids = async (...filter: string[]) =>
      (await acuse('solicitudes', 'listar', ...filter)).rows.map((row) => row['solicitud_id']);
    const { rows } = await acuse('solicitudes', 'listar', '--rfc', ana.rfc);
    expect(rows).toEqual([
      expect.objectContaining({ rfc: ana.rfc, canal: 'portal', estado: 'EN_PROCESO', motivo: null }),
      expect.objectContaining({ rfc: ana.rfc, hasta: '2025-03-31', intentos: 0, registros: null }),
    ]);
    const all = await ids();
    expect(all).toHaveLength(3);
    expect(all).toEqual([...all].sort().reverse());
    const [newest] = await ids('--limite', '1');
    expect(await ids('--antes', String(newest))).toEqual(all.slice(1));
    expect(await ids('--estado', 'VENCIDA')).toEqual([]);
    const cuentas = await database.sql`SELECT email FROM cuenta WHERE id = ${beto.cuentaId}`;
    expect(await ids('--cuenta', String(cuentas[0]?.['email']))).toEqual(await ids('--rfc', beto.rfc));
  });

  it('shows an account, and adjusts its balance once for an id, never below zero', async () => {
    const email = await newCuenta();
    await acuse('saldo', 'agregar', '--cuenta', email, '--creditos', '10', '--pago', randomUUID());
    const id = randomUUID();
    const adjust = (creditos: string, ...rest: string[]) =>
      acuse('saldo', 'ajustar', '--cuenta', email, `--creditos=${creditos}`, '--motivo', 'cortesía', ...rest);
    expect((await adjust('-3', '--id', id)).rows).toEqual([{ id, saldo: 7, ajustado: true }]);
    expect((await adjust('-3', '--id', id)).rows).toEqual([{ id, saldo: 7, ajustado: false }]);
    await expect(adjust('-8')).rejects.toThrow('menos de cero');
    const { rows } = await acuse('cuenta', 'ver', '--cuenta', email);
    expect(rows).toEqual([expect.objectContaining({ email, saldo: 7, rfcs: [RFC], suspendida_en: null })]);
  });

  it('suspends an account and opens it again', async () => {
    const email = await newCuenta();
    await acuse('cuenta', 'suspender', '--cuenta', email, '--motivo', 'falta de pago');
    expect((await acuse('cuenta', 'ver', '--cuenta', email)).rows[0]?.['suspendida_en']).not.toBeNull();
    expect((await acuse('cuenta', 'reabrir', '--cuenta', email)).rows[0]).toMatchObject({ cambio: true });
    expect((await acuse('cuenta', 'ver', '--cuenta', email)).rows[0]?.['suspendida_en']).toBeNull();
  });

  it('lists the keys of an RFC without anything that opens', async () => {
    const email = await newCuenta();
    const generate = () => acuse('llave', 'generar', '--cuenta', email, '--rfc', RFC);
    const keys = [(await generate()).rows[0], (await generate()).rows[0]];
    const { rows } = await acuse('llave', 'listar', '--cuenta', email, '--rfc', RFC);
    expect(rows.map(({ id, estado }) => [id, estado])).toEqual([
      [keys[1]?.['id'], 'ACTIVA'],
      [keys[0]?.['id'], 'REEMPLAZADA'],
    ]);
    for (const key of keys) expect(JSON.stringify(rows)).not.toContain(String(key?.['api_key']).slice(-20));
  });

  it('makes live keys only where the SAT itself answers', async () => {
    const order = ['llave', 'generar', '--cuenta', await newCuenta(), '--rfc', RFC];
    const made = async (env: { readonly SAT_BASE_URL?: string; readonly SAT_PRUEBAS_URL?: string }) =>
      String((await acuseRows({ ...config(), ...env }, ...order))[0]?.['api_key']).slice(0, 11);
    expect(await made({ SAT_BASE_URL: 'http://127.0.0.1:9' })).toBe('acuse_test_');
    expect(await made({})).toBe('acuse_live_');
    expect(await made({ SAT_PRUEBAS_URL: 'http://127.0.0.1:9' })).toBe('acuse_live_');
    order.push('--pruebas');
    expect(await made({ SAT_PRUEBAS_URL: 'http://127.0.0.1:9' })).toBe('acuse_test_');
    await expect(made({})).rejects.toThrow(/SAT_PRUEBAS_URL/);
  });

  it.each([
    [['cuentas'], 'Error: no existe la orden «cuentas»\n¿Quiso decir cuenta?\n'],
    [['cuenta', 'crear', '--nombre', 'x'], 'Error: falta la opción --email <email>\n'],
    [['llave', 'revocar'], 'Error: falta el argumento <id>\n'],
    [['cuenta', 'listar', '--todo'], 'Error: no existe la opción --todo\n'],
    [['cuenta', 'ver', '--cuenta'], 'Error: la opción --cuenta <email> va con un valor\n'],
    [
      ['solicitudes', 'listar', '--limite', 'x'],
      'Error: la opción --limite <n> no admite «x»: debe ser un número entero\n',
    ],
    [
      ['solicitudes', 'listar', '--antes', 'x'],
      'Error: la opción --antes <id> no admite «x»: debe ser el solicitud_id con el que terminó la página anterior\n',
    ],
  ])('says in Spanish what is wrong with %j', async (args, expected) => {
    expect((await acuse(...args)).said).toBe(expected);
  });

  it('has no English in the help of any command', async () => {
    const program = createProgram(
      () => {
        throw new Error('the help needs no database');
      },
      () => {},
      UNSEEN,
    );
    for (const command of everyCommand(program))
      expect(command.helpInformation()).not.toMatch(
        /\b(?:Usage|Options|Commands|Arguments|display|default|choices|output|help for)\b/,
      );
  });

  it('is installed as acuse, tells its version, and explains a database that is away without a stack', async () => {
    const version = await run(['--version'], {});
    expect([version.code, version.out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    const away = await run(['operador', 'cuenta', 'listar'], { DATABASE_URL: 'postgres://acuse:x@127.0.0.1:9/acuse' });
    expect([away.code, away.err]).toEqual([
      1,
      expect.stringMatching(/^Nadie contesta en la dirección de DATABASE_URL\..*\n$/),
    ]);
  });

  it('runs every order that docs/operators/containers.md shows, one after the other', async () => {
    const text = await readFile(new URL('../../../docs/operators/containers.md', import.meta.url), 'utf8');
    const orders = [...text.matchAll(/^docker compose run --rm operador (.+?)(?:\s+#.*)?$/gm)].map(([, order = '']) =>
      (order.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, '')),
    );
    expect(orders.length).toBeGreaterThan(4);
    const email = `${randomUUID()}@example.com`;
    const folder = await mkdtemp(join(tmpdir(), 'acuse-secretos-'));
    await acuse('secretos', '--carpeta', folder);
    const own = new Map([
      ['yo@example.com', email],
      ['factura-1', email],
      ['/run/acuse', folder],
    ]);
    for (const order of orders) {
      const args = order.map((word) => own.get(word) ?? word);
      expect([order, (await acuse(...args)).said]).toEqual([order, '']);
    }
    await rm(folder, { recursive: true });
  });
});

describe('payments at the command line', () => {
  const transfer = async () => {
    const { cuentaId } = await seedTaxpayer(database.db, { saldo: 0 });
    return newPago(database.db, cuentaId, { referencia: `AC${randomUUID().slice(0, 8).toUpperCase()}` });
  };

  it('lists what waits, with whose it is', async () => {
    const { id, referencia } = await transfer();
    const rows = await rowsOf('pagos', 'listar');
    expect(rows.find((row) => row['pago_id'] === id)).toMatchObject({
      referencia,
      creditos: 100,
      total_mxn: '114.84',
      estado: 'PENDIENTE',
      cuenta: 'Prueba',
      email: expect.stringContaining('@'),
    });
    const later = await rowsOf('pagos', 'listar', '--despues', id);
    expect(later.map((row) => row['pago_id'])).not.toContain(id);
  });

  it('confirms by the reference as it stands in a statement, once', async () => {
    const { referencia } = await transfer();
    expect(await rowsOf('pagos', 'confirmar', ` ${referencia.toLowerCase()}`)).toMatchObject([
      { estado: 'ACREDITADO', saldo: 100, abonado: true },
    ]);
    expect(await rowsOf('pagos', 'confirmar', referencia)).toMatchObject([{ saldo: 100, abonado: false }]);
    await expect(rowsOf('pagos', 'rechazar', referencia, '--motivo', 'tarde')).rejects.toThrow('ya estaba ACREDITADO');
  });

  it('refuses by id with a reason; a confirmation afterwards credits nothing and says what to do', async () => {
    const { id } = await transfer();
    expect(await rowsOf('pagos', 'rechazar', id, '--motivo', 'no llegó')).toMatchObject([
      { estado: 'RECHAZADO', motivo: 'no llegó', saldo: 0, rechazado: true },
    ]);
    await expect(rowsOf('pagos', 'confirmar', id)).rejects.toThrow('saldo agregar');
    const rows = await rowsOf('pagos', 'listar', '--estado', 'RECHAZADO');
    expect(rows.map((row) => row['pago_id'])).toContain(id);
  });

  it('names what it does not know', async () => {
    await expect(rowsOf('pagos', 'confirmar', uuidV7())).rejects.toThrow('No existe un pago');
    await expect(rowsOf('pagos', 'confirmar', 'ACNADA')).rejects.toThrow('No existe un pago');
    await expect(rowsOf('pagos', 'listar', '--despues', 'x')).rejects.toThrow('pago_id');
  });
});
