import { randomUUID } from 'node:crypto';
import { createLibro, createPagos } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../fixtures/database.ts';
import { BANCO, CLABE } from './fixtures/banco.ts';
import { type Panel, type Persona, startPanel } from './fixtures/panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel({
    env: { PAGOS_DEMOSTRACION: 'true', PAGOS_PAQUETES: '100:99,500:450.55', ...BANCO },
  });
});
afterAll(() => panel.close());

const saldoOf = async ({ cuentaId }: Persona) => (await createLibro(panel.db).summary(cuentaId))?.saldo;
const confirmPath = (forma: string, paquete = 100) => `/saldo/comprar/confirmar?paquete=${paquete}&forma=${forma}`;
const main = (html: string) => load(html)('main').text().replace(/\s+/g, ' ');

/** Buys by the pages; gives the path of the purchase. */
async function buy(ana: Persona, forma: string, paquete = 100): Promise<string> {
  const answer = await ana.enviar(confirmPath(forma, paquete), '/saldo/comprar');
  expect(answer.status, main(answer.text)).toBe(303);
  return answer.location ?? '';
}

describe('a demonstration purchase', () => {
  it('shows packages and prices with IVA, credits at once, and says that nothing was charged', async () => {
    const ana = await panel.registrar();
    const choose = main((await ana.get('/saldo/comprar')).text);
    expect(choose).toContain('100 créditos: $114.84 MXN');
    expect(choose).toContain('$450.55 MXN más 16 % de IVA');
    const review = main((await ana.get(confirmPath('demostracion', 500))).text);
    expect(review).toContain('no se cobra dinero');
    expect(review).toMatch(/Precio\s*\$450\.55 MXN\s*IVA \(16 %\)\s*\$72\.09 MXN\s*Total\s*\$522\.64 MXN/);
    const path = await buy(ana, 'demostracion', 500);
    const result = main((await ana.get(path)).text);
    expect(result).toContain('Se abonaron 500 créditos');
    expect(result).toContain('no se cobra dinero');
    expect(await saldoOf(ana)).toBe(500);
    expect(main((await ana.get('/saldo')).text)).toContain('500');
  });

  it('sent twice, also at once, buys once', async () => {
    const ana = await panel.registrar();
    const $ = load((await ana.get(confirmPath('demostracion'))).text);
    const form = $('form[action="/saldo/comprar"]').serializeArray();
    const campos = Object.fromEntries(form.map(({ name, value }) => [name, value]));
    const answers = await Promise.all(Array.from({ length: 6 }, () => ana.post('/saldo/comprar', campos)));
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
    expect(await saldoOf(ana)).toBe(100);
    expect(await brokenInvariants(panel.db)).toEqual([]);
  });

  it('buys nothing for another price, package, way to pay or without the key of a form', async () => {
    const ana = await panel.registrar();
    for (const change of [
      { total: '1' },
      { paquete: '1000000' },
      { paquete: '-100' },
      { forma: 'tarjeta' },
      { clave: 'x' },
    ]) {
      const answer = await ana.enviar(confirmPath('demostracion'), '/saldo/comprar', change);
      expect(answer.status).toBe(422);
      expect(main(answer.text)).toContain('No se compró nada');
    }
    expect(await saldoOf(ana)).toBe(0);
    expect(await createPagos(panel.db).list({ cuentaId: ana.cuentaId, limite: 10 })).toEqual([]);
  });

  it('that was interrupted before it was credited goes on with one click, once', async () => {
    const ana = await panel.registrar();
    const id = uuidV7();
    const precio = { creditos: 100, subtotal: 9_900, iva: 1_584, total: 11_484 };
    const quien = {
      cuentaId: ana.cuentaId,
      usuarioId: ana.usuarioId,
      clave: randomUUID(),
      actor: 'prueba',
      ip: null,
    };
    const nuevo = { id, ...quien, ...precio, referencia: `AC${id}`, proveedor: 'demostracion' };
    await createPagos(panel.db).create(nuevo, 10);
    const path = `/saldo/compras/${id}`;
    const token = await ana.csrf(path);
    await Promise.all([1, 2, 3].map(() => ana.post(`${path}/continuar`, { _csrf: token })));
    expect(await saldoOf(ana)).toBe(100);
    expect((await ana.get(path)).text).toContain('Se abonaron 100 créditos');
  });

  it('is not offered, nor taken from an old page, where it is switched off', async () => {
    const database = { db: panel.db, url: panel.databaseUrl, close: async () => {} };
    const off = await startPanel({ database, env: BANCO });
    try {
      const ana = await off.registrar();
      expect((await ana.get('/saldo/comprar')).text).not.toContain('demostracion');
      expect((await ana.get(confirmPath('demostracion'))).status).toBe(422);
      const answer = await ana.enviar(confirmPath('transferencia'), '/saldo/comprar', {
        forma: 'demostracion',
      });
      expect(answer.status).toBe(422);
      expect(await saldoOf(ana)).toBe(0);
    } finally {
      await off.close();
    }
  });
});

describe('a transfer', () => {
  it('shows reference and bank data, waits, and is credited when the operator confirms it', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    const page = main((await ana.get(path)).text);
    for (const text of [CLABE, 'Banco de Prueba', 'Acuse de Prueba', '$114.84 MXN', 'Pendiente'])
      expect(page).toContain(text);
    const [pago] = await createPagos(panel.db).list({ cuentaId: ana.cuentaId, limite: 2 });
    if (!pago) throw new Error('no payment');
    expect(page).toContain(pago.referencia);
    expect(await saldoOf(ana)).toBe(0);
    expect(main((await ana.get('/saldo')).text)).toContain('Hay una compra pendiente');
    expect(main((await ana.get('/saldo/compras')).text)).toContain(pago.referencia);
    await createPagos(panel.db).confirmar({ id: pago.id, actor: 'operador:prueba', ip: null });
    expect(main((await ana.get(path)).text)).toContain('Se abonaron 100 créditos');
    expect(await saldoOf(ana)).toBe(100);
    expect((await ana.get('/saldo/movimientos')).text).toContain(`href="${path}"`);
  });

  it('is cancelled by the buyer, and not credited afterwards', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    expect((await ana.enviar(path, `${path}/cancelar`)).location).toBe(path);
    const page = await ana.get(path);
    expect(main(page.text)).toContain('La compra se canceló');
    expect(page.text).not.toContain('/cancelar"');
    const { rows } = await panel.db.pool.query(
      'SELECT accion, actor, ip FROM auditoria WHERE cuenta_id = $1 ORDER BY id',
      [ana.cuentaId],
    );
    const quien = { actor: `usuario:${ana.usuarioId}`, ip: '127.0.0.1' };
    expect(rows.slice(1)).toEqual([
      { accion: 'crear-pago', ...quien },
      { accion: 'cancelar-pago', ...quien },
    ]);
    const id = path.split('/').at(-1) ?? '';
    await createPagos(panel.db).confirmar({ id, actor: 'operador:prueba', ip: null });
    expect(await saldoOf(ana)).toBe(0);
  });

  it('that was refused says why', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    const id = path.split('/').at(-1) ?? '';
    await createPagos(panel.db).rechazar({
      id,
      actor: 'operador:prueba',
      ip: null,
      motivo: '<b>no llegó</b>',
    });
    const page = await ana.get(path);
    expect(page.text).toContain('&lt;b&gt;no llegó&lt;/b&gt;');
  });

  it('can wait ten times, not more', async () => {
    const ana = await panel.registrar();
    for (let n = 0; n < 10; n += 1) await buy(ana, 'transferencia');
    const answer = await ana.enviar(confirmPath('transferencia'), '/saldo/comprar');
    expect(answer.status).toBe(422);
    expect(main(answer.text)).toContain('demasiadas compras pendientes');
  });

  it('is confirmed by no notification and no return', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    expect((await ana.get(`${path}/regreso?pagado=1`)).location).toBe(path);
    for (const proveedor of ['transferencia', 'demostracion', 'nadie']) {
      const answer = await ana.post(`/avisos-pago/${proveedor}`, { pago: path.split('/').at(-1) ?? '' });
      expect(answer.status).toBe(400);
    }
    expect(await saldoOf(ana)).toBe(0);
  });
});

it("answers the same 404 for another account's payment, a missing one and no id", async () => {
  const ana = await panel.registrar();
  const eva = await panel.registrar();
  const path = await buy(ana, 'transferencia');
  const paths = [path, `/saldo/compras/${uuidV7()}`, '/saldo/compras/x'];
  const token = await eva.csrf('/saldo');
  const bodies = new Set<string>();
  for (const each of paths) {
    const answers = [
      await eva.get(each),
      await eva.get(`${each}/regreso`),
      await eva.post(`${each}/cancelar`, { _csrf: token }),
      await eva.post(`${each}/continuar`, { _csrf: token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    for (const { text } of answers) bodies.add(main(text));
  }
  expect(bodies.size).toBe(1);
  expect(main((await ana.get(path)).text)).toContain('Pendiente');
});
