import { createEntregas, createWebhooks } from '@acuse/webhooks/db';
import { describe, expect, it } from 'vitest';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { examine } from '../fixtures/planes.ts';
import { createEmisor } from './fixtures/destinos.ts';

const t = useDatabase();
const entregas = () => createEntregas(t.db);
const hecho = { ms: 5, status: 500, error: null, respuesta: 'no' };
const despues = {
  enSegundos: 60,
  deNuevoEnSegundos: 60,
  esperaSegundos: null,
  isNoMore: false,
  diasFallando: 3,
  maxPendientes: 5,
} as const;
const TODAS = { limite: 50, porDestino: 8, porCuenta: 25, dudosas: 25, leaseSeconds: 60 };

/** An account with so many endpoints, each with so many messages that are due. */
async function newCuenta(endpoints: number, mensajes: number) {
  const { cuentaId } = await seedTaxpayer(t.db);
  const ids: string[] = [];
  for (let n = 0; n < endpoints; n += 1)
    ids.push((await createEmisor(t).newWebhook(cuentaId, `http://127.0.0.1:9/${ids.length}`)).id);
  await t.sql`SELECT webhook_anota(${ids}, ${cuentaId}, NULL, 'prueba', NULL, '{}') FROM generate_series(1, ${mensajes}::int)`;
  return { cuentaId, ids };
}

describe('an account', () => {
  it('that has many receivers which hang has no more than its share under way, and others come first in each round', async () => {
    const many = await newCuenta(10, 10);
    const few = await newCuenta(1, 10);
    const byCuenta = (taken: readonly { webhookId: string }[], { ids }: { ids: readonly string[] }) =>
      taken.filter(({ webhookId }) => ids.includes(webhookId)).length;
    const first = await entregas().claim({ ...TODAS, limite: 12 });
    expect([byCuenta(first, many), byCuenta(first, few)]).toEqual([6, 6]);
    const rest = await entregas().claim(TODAS);
    expect([byCuenta(rest, many), byCuenta(rest, few)]).toEqual([25 - 6, 8 - 6]);
    // Its receivers hold what they have: nothing more goes to it, and whatever another has to tell does.
    const nueva = await newCuenta(1, 1);
    const last = await entregas().claim(TODAS);
    expect([byCuenta(last, many), byCuenta(last, nueva)]).toEqual([0, 1]);
    await t.sql`UPDATE webhook_entrega SET estado = 'ENTREGADA', tomada_hasta = NULL`;
  });

  it('that is suspended is sent nothing, and what waited when it is reopened', async () => {
    const { cuentaId } = await newCuenta(1, 2);
    await t.sql`UPDATE cuenta SET suspendida_en = now(), suspension_motivo = 'abuso' WHERE id = ${cuentaId}`;
    expect(await entregas().claim(TODAS)).toEqual([]);
    await t.sql`UPDATE cuenta SET suspendida_en = NULL, suspension_motivo = NULL WHERE id = ${cuentaId}`;
    expect(await entregas().claim(TODAS)).toHaveLength(2);
    await t.sql`UPDATE webhook_entrega SET estado = 'ENTREGADA', tomada_hasta = NULL`;
  });

  it('whose receivers fail sends first to those that are well', async () => {
    const { ids } = await newCuenta(4, 1);
    const [healthy = '', ...fallan] = [...ids].reverse();
    await t.sql`UPDATE webhook SET fallos_seguidos = 10 WHERE id = ANY (${fallan})`;
    const [first] = await entregas().claim({ ...TODAS, porCuenta: 1 });
    expect(first?.webhookId).toBe(healthy);
    await t.sql`UPDATE webhook_entrega SET estado = 'ENTREGADA', tomada_hasta = NULL`;
  });
});

describe('a receiver that fails', () => {
  it('is switched off when too much waits for it, with what waits kept; one that fails now and then is not', async () => {
    const { cuentaId, ids } = await newCuenta(2, 6);
    const [muerto = '', otro = ''] = ids;
    await t.sql`UPDATE webhook SET fallos_seguidos = 10, fallando_desde = now() WHERE id = ${muerto}`;
    for (const tomada of await entregas().claim({ ...TODAS, porDestino: 1 }))
      await entregas().failed(tomada, hecho, despues);
    const find = (id: string) => createWebhooks(t.db).find({ cuentaId }, id);
    expect(await find(muerto)).toMatchObject({ estado: 'APAGADO', motivo: 'MUCHOS_PENDIENTES', pendientes: 6 });
    expect(await find(otro)).toMatchObject({ estado: 'ACTIVO', motivo: null, pendientes: 6 });

    // Switched on again it has ten failures before it, and what waited goes.
    const autor = { actor: 'prueba', ip: null };
    await createWebhooks(t.db).update({ cuentaId }, muerto, { estado: 'ACTIVO', ...autor });
    const again = (await entregas().claim(TODAS)).filter(({ webhookId }) => webhookId === muerto);
    expect(again).toHaveLength(5);
    for (const tomada of again) await entregas().failed(tomada, hecho, despues);
    expect(await find(muerto)).toMatchObject({ estado: 'ACTIVO', pendientes: 6 });
  });
});

it('tells the time of the first delivery that a receiver may get, and counts none that it may not', async () => {
  const rest = () => entregas().restSeconds();
  await t.sql`UPDATE webhook_entrega SET estado = 'ENTREGADA', tomada_hasta = NULL`;
  expect(await rest()).toBe(Number.POSITIVE_INFINITY);
  const { cuentaId, ids } = await newCuenta(2, 1);
  const [uno = '', otro = ''] = ids;
  // In the past by more than the millisecond to which the column rounds up.
  await t.sql`UPDATE webhook_entrega SET due_at = due_at - interval '1 second' WHERE webhook_id = ANY (${ids})`;
  expect(await rest()).toBeLessThanOrEqual(0);
  for (const tomada of await entregas().claim(TODAS))
    if (tomada.webhookId === uno) await entregas().failed(tomada, hecho, { ...despues, enSegundos: 20 });
  // One waits for its next attempt, the other is under way until its lease ends.
  expect(Math.round((await rest()) / 10)).toBe(2);
  await t.sql`UPDATE webhook SET espera_hasta = now() + interval '40 seconds' WHERE id = ${uno}`;
  expect(Math.round((await rest()) / 10)).toBe(4);
  await t.sql`UPDATE webhook SET estado = 'APAGADO', motivo = 'USUARIO', apagado_en = now() WHERE id = ${uno}`;
  expect(Math.round((await rest()) / 10)).toBe(6);
  await t.sql`UPDATE webhook_entrega SET due_at = now() - interval '1 second' WHERE webhook_id = ${otro}`;
  expect(await rest()).toBeLessThanOrEqual(0);
  await t.sql`UPDATE cuenta SET suspendida_en = now(), suspension_motivo = 'abuso' WHERE id = ${cuentaId}`;
  expect(await rest()).toBe(Number.POSITIVE_INFINITY);
  await t.sql`UPDATE webhook_entrega SET estado = 'ENTREGADA', tomada_hasta = NULL`;
});

it('what failed is found among much that arrived without reading that', async () => {
  const { cuentaId, ids } = await newCuenta(1, 3_000);
  const [id = ''] = ids;
  await t.sql`UPDATE webhook_entrega SET estado = CASE secuencia WHEN 7 THEN 'FALLIDA' ELSE 'ENTREGADA' END WHERE webhook_id = ${id}`;
  await t.sql`ANALYZE webhook_entrega`;
  const found: number[] = [];
  const plans = await examine(async () => {
    const page = await createWebhooks(t.db).entregas({ cuentaId }, id, { estado: 'FALLIDA', limite: 25 });
    found.push(...page.map(({ secuencia }) => secuencia));
  });
  expect(found).toEqual([7]);
  for (const { nodes } of plans)
    for (const { table, read } of nodes) if (table === 'webhook_entrega') expect(read).toBeLessThan(100);
  expect(plans.length).toBeGreaterThan(0);
});

it('as many secrets sign as were told to, the newest first; no more than four, and one alone when that is asked for', async () => {
  const { cuentaId, ids } = await newCuenta(1, 0);
  const [id = ''] = ids;
  const emisor = createEmisor(t);
  const inOrder = async () => {
    await createWebhooks(t.db).ping({ cuentaId }, id);
    const tomada = (await entregas().claim(TODAS)).find(({ webhookId }) => webhookId === id);
    await t.sql`UPDATE webhook_entrega SET estado = 'ENTREGADA', tomada_hasta = NULL WHERE webhook_id = ${id}`;
    const rows = await t.sql<{
      id: string;
    }>`SELECT id FROM webhook_secreto WHERE webhook_id = ${id} ORDER BY creado_en DESC`;
    return [tomada?.secretos.map((each) => each.id), rows.map((each) => each.id)];
  };
  const fines = [];
  for (const seconds of [86_400, 7_200, 3_600]) fines.push((await emisor.rotate(cuentaId, id, seconds)).until);
  const [signing, newestFirst] = await inOrder();
  expect(signing).toHaveLength(4);
  expect(signing).toEqual(newestFirst);
  const anteriores = async () => (await createWebhooks(t.db).find({ cuentaId }, id))?.secretosAnteriores;
  expect(await anteriores()).toEqual([...fines].reverse());
  expect((await emisor.rotate(cuentaId, id, 60)).until).toBe('SECRETOS_DEMASIADOS');
  expect(await anteriores()).toEqual([...fines].reverse());
  expect((await emisor.rotate(cuentaId, id, 0)).until).toBeInstanceOf(Date);
  expect(await anteriores()).toEqual([]);
  expect((await inOrder())[0]).toHaveLength(1);
});

it('what costs nothing fills no table: ten messages for trying a minute, and a hundred tries of a delivery are kept', async () => {
  const { cuentaId, ids } = await newCuenta(1, 0);
  const [id = ''] = ids;
  const webhooks = createWebhooks(t.db);
  const ping = () => webhooks.ping({ cuentaId }, id);
  for (let n = 0; n < 10; n += 1) expect(await ping()).toMatchObject({ entrega: expect.any(String) });
  expect(await ping()).toBe('PRUEBAS_DEMASIADAS');
  await t.sql`UPDATE webhook_entrega SET creada_en = now() - interval '61 seconds' WHERE webhook_id = ${id} AND secuencia = 1`;
  const prueba = await ping();
  const entrega = prueba !== null && typeof prueba === 'object' ? prueba.entrega : '';
  expect(await ping()).toBe('PRUEBAS_DEMASIADAS');

  await t.sql`INSERT INTO webhook_intento (entrega_id, ms, status) SELECT ${entrega}, n, 500 FROM generate_series(1, 150) n`;
  expect(await webhooks.resend({ cuentaId }, entrega)).toBe(true);
  const left = await t.sql<{
    n: number;
    first: number;
  }>`SELECT count(*)::int AS n, min(ms) AS first FROM webhook_intento WHERE entrega_id = ${entrega}`;
  expect(left).toEqual([{ n: 99, first: 52 }]);
});
