import { randomBytes, randomUUID } from 'node:crypto';
import {
  createClaims,
  createLibro,
  createPagos,
  createSaldos,
  createSesiones,
  createUsuarios,
  ROLES_BASE,
} from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { uuidV7 } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
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
import { claimOf } from '../fixtures/features.ts';
import { urlAs } from '../fixtures/roles.ts';

const t = useDatabase();
const as = (rol: (typeof ROLES_BASE)[number]) =>
  duringTests(async () => openRecords({ ...t.db.settings, url: urlAs(t.url, rol), poolSize: 4 }));
const bases = { api: as('api'), panel: as('panel'), worker: as('worker') };
const autor = { actor: 'prueba', ip: null };

async function newPago(proveedor: string, cuentaId = found.cuentaId) {
  const pago = await createPagos(bases.panel).create(
    {
      id: uuidV7(),
      cuentaId,
      usuarioId: null,
      clave: randomUUID(),
      referencia: randomUUID(),
      proveedor,
      creditos: 7,
      subtotal: 700,
      iva: 112,
      total: 812,
      ...autor,
    },
    5,
  );
  if (pago === null) throw new Error('no payment');
  return pago;
}

/** Logs a user in to the panel. */
const openSesion = (usuarioId: string) =>
  createSesiones(bases.panel).open(
    {
      id: randomUUID(),
      huella: randomBytes(32),
      usuarioId,
      fase: 'COMPLETA',
      agente: '',
      ip: '',
      inactividad: 600,
      duracion: 600,
    },
    null,
  );

/** What an attacker finds who holds the login of one process: an account with a past. */
const found = duringTests(async () => {
  const taxpayer = await seedTaxpayer(t.db, { saldo: 50 });
  const { cuentaId, contribuyenteId } = taxpayer;
  const charge = async (plazoSegundos: number) => {
    const opId = randomUUID();
    const cargo = { cuentaId, contribuyenteId, operacion: 'tax/facturas', plazoSegundos };
    await createSaldos(t.db).charge({ ...cargo, opId });
    return opId;
  };
  const [old, open, settled] = [await charge(60), await charge(3_600), await charge(60)];
  for (const opId of [settled, old]) await createSaldos(t.db).settle(opId, null);
  await t.sql`ALTER TABLE movimiento DISABLE TRIGGER movimiento_inmutable`;
  await t.sql`UPDATE movimiento SET creado_en = creado_en - interval '1 hour' WHERE op_id = ${old}`;
  await t.sql`ALTER TABLE movimiento ENABLE TRIGGER movimiento_inmutable`;
  const ended = await newSolicitud(t.db, taxpayer);
  await createClaims(t.db).finish(await claimOf(t.db, ended), PAQUETE);
  const persona = await createUsuarios(t.db).add({
    cuentaId,
    email: `${randomUUID()}@example.com`,
    nombre: 'Ana',
    rol: 'CLIENTE',
    ...autor,
  });
  // A customer who is logged in: only the role tells such a session from that of an operator.
  await openSesion(persona.id);
  const pago = await newPago('transferencia', cuentaId);
  return { ...taxpayer, open, settled, old, ended, pago: pago.id, persona: persona.id, close: async () => {} };
});

/** All that money and power consist of. */
const state = async () =>
  (
    await t.sql<{ state: string }>`SELECT jsonb_build_array(
    (SELECT jsonb_agg(jsonb_build_array(id, saldo) ORDER BY id) FROM cuenta),
    (SELECT jsonb_agg(to_jsonb(m) ORDER BY id) FROM movimiento m),
    (SELECT jsonb_agg(jsonb_build_array(id, rol) ORDER BY id) FROM usuario),
    (SELECT jsonb_agg(jsonb_build_array(id, estado, costo, registros, confianza) ORDER BY id) FROM solicitud),
    (SELECT jsonb_agg(to_jsonb(p) ORDER BY id) FROM pago p),
    (SELECT jsonb_agg(to_jsonb(l) ORDER BY op_id) FROM llamada l),
    (SELECT jsonb_agg(to_jsonb(o) ORDER BY path) FROM operacion o))::text AS state`
  )[0]?.state;

type Orders = Readonly<Record<string, () => readonly string[]>>;
const lineOf = (tipo: string, importe: number, op = randomUUID()) =>
  `INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion)
   VALUES ('${found.cuentaId}', '${found.contribuyenteId}', '${op}', '${tipo}', ${importe}, 'tax/facturas')`;
const raise = (credits: number) => `UPDATE cuenta SET saldo = saldo + ${credits} WHERE id = '${found.cuentaId}'`;

const OF_ALL: Orders = {
  'raise a balance with a purchase to match': () => [raise(1_000), lineOf('compra', 1_000)],
  'raise a balance alone': () => [raise(1_000)],
  'lower a balance alone': () => [raise(-1)],
  'write a correction': () => [lineOf('ajuste', 5)],
  'write a refund of an old charge': () => [lineOf('reembolso', 1, found.old), raise(1)],
  'write a charge at a price of its own': () => [lineOf('cargo', -50), raise(-50)],
  'refund an old charge': () => [`SELECT libro_devuelve(ARRAY['${found.old}'::uuid], 'x')`],
  'refund a solicitud that ended well': () => [`SELECT libro_devuelve(ARRAY['${found.ended}'::uuid], 'x')`],
  'give credits by the function of the ledger': () => [
    `SELECT libro_abona('${found.cuentaId}', '${randomUUID()}', 'compra', 1000, 'x', 'x')`,
  ],
  'change a price': () => [`UPDATE operacion SET costo = 0`],
  'make an operator': () => [`UPDATE usuario SET rol = 'OPERADOR' WHERE id = '${found.persona}'`],
  'make a solicitud free of charge': () => [
    `INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, costo, rfc, tipo, desde, hasta, canal, deadline_at)
     VALUES ('${randomUUID()}', '${found.cuentaId}', '${found.contribuyenteId}', '${found.apiKeyId}', 0, '${found.rfc}',
       'emitidos', '2025-01-01', '2025-01-02', 'portal', now() + interval '1 day')`,
  ],
  'end what ended well, with its refund': () => [
    `UPDATE solicitud SET estado = 'EN_PROCESO' WHERE id = '${found.ended}'`,
    `SELECT * FROM solicitudes_terminan(ARRAY['${found.ended}'::uuid], 'ERROR', 'SAT_ERROR', NULL)`,
  ],
};

const FORBIDDEN: Readonly<Record<keyof typeof bases, Orders>> = {
  api: {
    ...OF_ALL,
    'open an old charge again': () => [
      `INSERT INTO llamada (op_id, cuenta_id, operacion, vence_en) VALUES ('${found.old}', '${found.cuentaId}', 'tax/facturas', now())`,
      `SELECT llamada_devuelve('${found.old}', 'x', false)`,
    ],
    'charge an old charge again, to open it': () => [
      `SELECT * FROM llamada_cobra('${found.old}', '${found.contribuyenteId}', 'tax/facturas', 60)`,
      `SELECT llamada_devuelve('${found.old}', 'x', false)`,
    ],
    'make a call abandoned': () => [`UPDATE llamada SET vence_en = now() - interval '1 day'`],
    'refund a settled call of an hour ago': () => [`SELECT llamada_devuelve('${found.old}', 'x', true)`],
    'refund a settled call as if it were open': () => [`SELECT llamada_devuelve('${found.settled}', 'x', false)`],
    'refund a solicitud as if it were a call': () => [`SELECT llamada_devuelve('${found.ended}', 'x', true)`],
    'charge for what costs nothing': () => [
      `SELECT * FROM llamada_cobra('${randomUUID()}', '${found.contribuyenteId}', 'usuario/saldo', 60)`,
    ],
    'give credits as the operator': () => [
      `SELECT cuenta_abona('${found.cuentaId}', '${randomUUID()}', 1000, 'x', 'x', 'operador:cli', NULL)`,
    ],
  },
  panel: {
    ...OF_ALL,
    'sign somebody up as an operator': () => [
      `INSERT INTO usuario (id, email, nombre, rol) VALUES ('${randomUUID()}', 'otro@example.com', 'Otro', 'OPERADOR')`,
    ],
    'give credits in the name of a customer': () => [
      `SELECT cuenta_abona('${found.cuentaId}', '${randomUUID()}', 1000, 'x', 'x', 'usuario:${found.persona}', NULL)`,
    ],
    'give credits in the name of the command line': () => [
      `SELECT cuenta_abona('${found.cuentaId}', '${randomUUID()}', 1000, 'x', 'x', 'operador:cli', NULL)`,
    ],
    'correct a balance in the name of a customer': () => [
      `SELECT cuenta_ajusta('${found.cuentaId}', '${randomUUID()}', 5, 'x', 'usuario:${found.persona}', NULL)`,
    ],
    'confirm a transfer that no operator saw': () => [
      `SELECT pago_acredita('${found.pago}', NULL, 'usuario:${found.persona}', NULL)`,
    ],
    'note a payment as credited': () => [
      `INSERT INTO pago (id, cuenta_id, clave, referencia, proveedor, creditos, subtotal, iva, total, estado, resuelto_en)
       VALUES ('${randomUUID()}', '${found.cuentaId}', '${randomUUID()}', 'x', 'x', 1000, 0, 0, 0, 'ACREDITADO', now())`,
    ],
  },
  worker: {
    ...OF_ALL,
    'refund a call that may still be answered': () => [`SELECT llamada_abandonada('${found.open}', 'x')`],
    'refund a settled call': () => [`SELECT llamada_abandonada('${found.settled}', 'x')`],
    'refund a package with rows': () => [`SELECT solicitud_devuelve_vacia('${found.ended}')`],
    'empty a package that was delivered, and refund it': () => [
      `UPDATE solicitud SET registros = 0, confianza = 'sin_confirmar' WHERE id = '${found.ended}'`,
      `SELECT solicitud_devuelve_vacia('${found.ended}')`,
    ],
    'take an old solicitud for the reading under way': () => [`UPDATE tramo SET solicitud_id = '${found.ended}'`],
    'give credits as the operator': () => [
      `SELECT cuenta_abona('${found.cuentaId}', '${randomUUID()}', 1000, 'x', 'x', 'operador:cli', NULL)`,
    ],
  },
};

describe.each(ROLES_BASE)('the database user of a process, in a committed transaction: %s', (rol) => {
  it.each(Object.entries(FORBIDDEN[rol]))('may not %s', async (_name, orders) => {
    const before = [await state(), await brokenInvariants(t.db)];
    const client = await bases[rol].pool.connect();
    try {
      await client.query('BEGIN');
      for (const order of orders()) await client.query(order);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      // Refused for want of a right, or by a rule of the table; never because the order is misspelt.
      expect(error).toMatchObject({ code: expect.stringMatching(/^(42501|23001|22023)$/) });
    } finally {
      client.release();
    }
    expect([await state(), await brokenInvariants(t.db)]).toEqual(before);
  });
});

describe('beside refused orders, in the same database', () => {
  const spent = async () => 50 - (await saldoDe(t, found));

  it('an API charges the price of the operation, once, and refunds an open charge, once', async () => {
    const [before, opId] = [await spent(), randomUUID()];
    const saldos = createSaldos(bases.api);
    const { cuentaId, contribuyenteId } = found;
    const cargo = { cuentaId, contribuyenteId, opId, operacion: 'tax/facturas', plazoSegundos: 60 };
    expect(await saldos.charge(cargo)).toEqual({ resultado: 'CARGADO', saldo: 50 - before - 1, importe: 1 });
    expect(await saldos.charge(cargo)).toMatchObject({ resultado: 'REPETIDO' });
    expect([await saldos.refund(opId, 'prueba'), await saldos.refund(opId, 'prueba')]).toEqual([true, false]);
    expect([await spent(), await saldos.charge(cargo)]).toMatchObject([before, { resultado: 'DEVUELTO' }]);
  });

  it('an API takes back what it settled just now and answered to no caller', async () => {
    const before = await spent();
    expect(await createSaldos(bases.api).undo(found.settled, 'prueba')).toBe(true);
    expect(await spent()).toBe(before - 1);
  });

  it.each([
    ['test', 0],
    ['live', 1],
  ] as const)('a solicitud that a %s key is to have for nothing costs %i', async (modo, costo) => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 5 });
    await t.sql`UPDATE api_key SET modo = ${modo} WHERE id = ${taxpayer.apiKeyId}`;
    const id = await newSolicitud(bases.api, taxpayer, { costo: 0 });
    expect(await t.sql`SELECT costo, modo FROM solicitud WHERE id = ${id}`).toEqual([{ costo, modo }]);
    expect(await saldoDe(t, taxpayer)).toBe(5 - costo);
  });

  it('an API accepts for the taxpayer of the key alone, whose account pays', async () => {
    const own = await seedTaxpayer(t.db, { saldo: 5 });
    const { contribuyenteId, cuentaId } = found;
    expect(await acceptSolicitud(bases.api, { ...own, contribuyenteId })).toEqual({ resultado: 'STALE_ACCESS' });
    const { resultado } = await acceptSolicitud(bases.api, { ...own, cuentaId });
    expect([resultado, await saldoDe(t, own)]).toEqual(['ACEPTADA', 4]);
  });

  it('a panel gives credits for an operator who has a session open, and not after it', async () => {
    const usuarios = createUsuarios(t.db);
    const { id } = await usuarios.add({
      cuentaId: found.cuentaId,
      email: `${randomUUID()}@example.com`,
      nombre: 'Eva',
      rol: 'OPERADOR',
      ...autor,
    });
    const operador = { actor: `usuario:${id}`, ip: null };
    const libro = createLibro(bases.panel);
    const { cuentaId } = found;
    const abonar = () => libro.credit({ cuentaId, creditos: 5, referencia: randomUUID(), detalle: 'x', ...operador });
    const ajustar = () => libro.adjust({ cuentaId, creditos: 3, opId: randomUUID(), motivo: 'x', ...operador });
    const confirmar = () => createPagos(bases.panel).confirmar({ id: found.pago, ...operador });
    for (const give of [abonar, ajustar, confirmar]) await expect(give()).rejects.toMatchObject({ code: '42501' });
    const before = await spent();
    await openSesion(id);
    expect([await abonar(), await ajustar(), await confirmar()]).toMatchObject([
      { resultado: 'ABONADO' },
      { resultado: 'AJUSTADO' },
      { resultado: 'HECHO' },
    ]);
    expect(await spent()).toBe(before - 15);
    await usuarios.setRol({ id }, 'CLIENTE', autor);
    for (const give of [abonar, ajustar]) await expect(give()).rejects.toMatchObject({ code: '42501' });
    expect(await brokenInvariants(t.db)).toEqual([]);
  });

  it('a panel credits what a provider says was paid, once', async () => {
    const before = await spent();
    const pagos = createPagos(bases.panel);
    const { id } = await newPago('demostracion');
    const confirmar = () => pagos.confirmar({ id, actor: 'proveedor:demostracion', ip: null });
    expect([(await confirmar()).resultado, (await confirmar()).resultado]).toEqual(['HECHO', 'REPETIDO']);
    expect(await spent()).toBe(before - 7);
  });

  it('a worker refunds abandoned calls, and empty unconfirmed results', async () => {
    const taxpayer = await seedTaxpayer(t.db, { saldo: 5 });
    await createSaldos(bases.api).charge({
      ...taxpayer,
      opId: randomUUID(),
      operacion: 'tax/facturas',
      plazoSegundos: -1,
    });
    expect(await createSaldos(bases.worker).refundAbandoned(100)).toBe(1);
    const empty = await claimOf(bases.worker, await newSolicitud(bases.api, taxpayer));
    await createClaims(bases.worker).finish(empty, { ...PAQUETE, registros: 0, confianza: 'sin_confirmar' });
    expect(await saldoDe(t, taxpayer)).toBe(5);
    expect(await brokenInvariants(t.db)).toEqual([]);
  });
});
