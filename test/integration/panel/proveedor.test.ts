import { randomUUID } from 'node:crypto';
import { createPagos } from '@acuse/db';
import { silentLogger, uuidV7 } from '@acuse/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCatalogo } from '../../../apps/panel/src/pagos/catalogo.ts';
import { createCheckout } from '../../../apps/panel/src/pagos/checkout.ts';
import { brokenInvariants, saldoDe, useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { createProveedorFirmado } from './fixtures/pagos.ts';
import { type Persona, startPanel } from './fixtures/panel.ts';

const gateway = createProveedorFirmado(randomUUID());
const database = useDatabase();
const panel = duringTests(() => {
  const checkout = createCheckout({
    log: silentLogger,
    pagos: createPagos(database.db),
    catalogo: createCatalogo([{ creditos: 100, centavos: 9_900 }], 16),
    proveedores: [gateway.proveedor],
  });
  return startPanel({ database, deps: { checkout } });
});
beforeEach(() => gateway.setDown(false));

const CONFIRM = '/saldo/comprar/confirmar?paquete=100&forma=firmado';

async function buy(ana: Persona) {
  const { location } = await ana.submit(CONFIRM, '/saldo/comprar');
  const id = location?.split('/').at(-1) ?? '';
  const pago = await createPagos(database.db).findAny(id);
  if (!pago) throw new Error('no payment');
  return { path: `/saldo/compras/${id}`, pago };
}
const paid = (pagoId: string, proveedorRef: string, total = 11_484) =>
  ({ tipo: 'PAGADO', pagoId, proveedorRef, total }) as const;
const notesOf = async (pagoId: string) => {
  const rows = await database.sql<{ motivo: string }>`SELECT detalle->>'motivo' AS motivo FROM auditoria
    WHERE accion = 'pago-sin-acreditar' AND detalle->>'pago' = ${pagoId} ORDER BY id`;
  return rows.map(({ motivo }) => motivo);
};

describe('a provider with a page of its own', () => {
  it('is gone to, notifies many times at once, and the payment is credited once', async () => {
    const ana = await panel.registrar();
    const { path, pago } = await buy(ana);
    expect((await ana.get(path)).text).toContain(`href="https://pagos.example.com/${pago.proveedorRef}"`);
    const notice = paid(pago.id, pago.proveedorRef ?? '');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => gateway.notify(panel.url, notice)));
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await saldoDe(panel, ana)).toBe(100);
    expect((await ana.get(path)).text).toContain('Se abonaron 100 créditos');
    expect(await notesOf(pago.id)).toEqual([]);
    expect(await brokenInvariants(database.db)).toEqual([]);
  });

  it('is not believed without its signature, or late', async () => {
    const ana = await panel.registrar();
    const { pago } = await buy(ana);
    const notice = paid(pago.id, pago.proveedorRef ?? '');
    expect(await gateway.notify(panel.url, notice, { firma: 'x' })).toBe(400);
    expect(await gateway.notify(panel.url, notice, { firma: '0'.repeat(64) })).toBe(400);
    expect(await gateway.notify(panel.url, notice, { time: Date.now() - 3_600_000 })).toBe(400);
    expect(await saldoDe(panel, ana)).toBe(0);
  });

  it('that was paid another amount, or for another of its charges, credits nothing and is written down', async () => {
    const ana = await panel.registrar();
    const { pago } = await buy(ana);
    expect(await gateway.notify(panel.url, paid(pago.id, pago.proveedorRef ?? '', 1))).toBe(200);
    expect(await notesOf(pago.id)).toEqual(['se pagaron 1 centavos']);
    const { pago: other } = await buy(ana);
    expect(await gateway.notify(panel.url, paid(pago.id, other.proveedorRef ?? ''))).toBe(200);
    expect(await notesOf(pago.id)).toHaveLength(2);
    expect(await saldoDe(panel, ana)).toBe(0);
  });

  it('that was paid twice is credited once, and the second charge is written down', async () => {
    const ana = await panel.registrar();
    const { pago } = await buy(ana);
    const first = paid(pago.id, pago.proveedorRef ?? '');
    for (const notice of [first, first, paid(pago.id, `c_${randomUUID()}`)])
      expect(await gateway.notify(panel.url, notice)).toBe(200);
    expect(await saldoDe(panel, ana)).toBe(100);
    expect(await notesOf(pago.id)).toEqual(['otro cobro de un pago que ya se acreditó']);
    expect(await createPagos(database.db).findAny(pago.id)).toMatchObject({ proveedorRef: pago.proveedorRef });
  });

  it('that pays after the purchase was given up credits nothing and is written down', async () => {
    const ana = await panel.registrar();
    const { path, pago } = await buy(ana);
    await ana.submit(path, `${path}/cancelar`);
    expect(gateway.cobroOf(pago.id)?.isCancelled).toBe(true);
    expect(await gateway.notify(panel.url, paid(pago.id, pago.proveedorRef ?? ''))).toBe(200);
    expect(await saldoDe(panel, ana)).toBe(0);
    expect(await notesOf(pago.id)).toEqual(['el pago ya había terminado']);
  });

  it('that was paid already does not let the purchase be given up', async () => {
    const ana = await panel.registrar();
    const { path, pago } = await buy(ana);
    const cobro = gateway.cobroOf(pago.id);
    if (cobro) cobro.isPaid = true;
    await ana.submit(path, `${path}/cancelar`);
    expect(await createPagos(database.db).findAny(pago.id)).toMatchObject({ estado: 'PENDIENTE' });
    // The buyer comes back before the notification: the provider itself is asked.
    expect((await ana.get(`${path}/regreso?cobro=${pago.proveedorRef}`)).location).toBe(path);
    expect(await saldoDe(panel, ana)).toBe(100);
    await gateway.notify(panel.url, paid(pago.id, pago.proveedorRef ?? ''));
    expect(await saldoDe(panel, ana)).toBe(100);
  });

  it('is not believed about a return that it does not know', async () => {
    const ana = await panel.registrar();
    const { path, pago } = await buy(ana);
    await ana.get(`${path}/regreso?cobro=${pago.proveedorRef}&estado=pagado`);
    expect(await saldoDe(panel, ana)).toBe(0);
  });

  it('that refuses the payment ends it with its reason', async () => {
    const ana = await panel.registrar();
    const { path, pago } = await buy(ana);
    await gateway.notify(panel.url, { tipo: 'NO_PAGADO', pagoId: pago.id, motivo: 'fondos insuficientes' });
    expect((await ana.get(path)).text).toContain('fondos insuficientes');
  });

  it('that does not answer leaves the purchase pending; it goes on later with one charge', async () => {
    const ana = await panel.registrar();
    gateway.setDown(true);
    const { path, pago } = await buy(ana);
    expect(pago).toMatchObject({ estado: 'PENDIENTE', proveedorRef: null });
    expect((await ana.get(path)).text).toContain('no contesta en este momento');
    await ana.submit(path, `${path}/cancelar`);
    expect(await createPagos(database.db).findAny(pago.id)).toMatchObject({ estado: 'PENDIENTE' });
    gateway.setDown(false);
    await ana.submit(path, `${path}/continuar`);
    const again = await createPagos(database.db).findAny(pago.id);
    expect(again?.proveedorRef).toBe(gateway.cobroOf(pago.id)?.ref);
    expect((await ana.get(path)).text).toContain('Ir a pagar');
  });

  it('sends what is none of ours, or too long, in vain', async () => {
    expect(await gateway.notify(panel.url, paid(uuidV7(), 'c_1'))).toBe(200);
    expect(await gateway.notify(panel.url, paid("'; DROP TABLE pago", 'c_1'))).toBe(200);
    // The panel closes the connection of a body that it does not read.
    const headers = { connection: 'close' };
    const post = (path: string, body: string) => fetch(panel.url + path, { method: 'POST', body, headers });
    expect((await post('/avisos-pago/otro', '{}')).status).toBe(400);
    expect((await fetch(`${panel.url}/avisos-pago/firmado`)).status).toBe(404);
    expect((await post('/avisos-pago/firmado', 'x'.repeat(300_000))).status).toBe(413);
  });
});
