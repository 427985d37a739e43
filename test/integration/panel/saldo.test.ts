import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createPagos, createSaldos } from '@acuse/db';
import type { CheerioAPI } from 'cheerio';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { brokenInvariants, saldoDe } from '../fixtures/database.ts';
import { BANCO, CLABE, newPago } from './fixtures/pagos.ts';
import { addRfc, cookieOf, type Persona, presetOf, usePanel } from './fixtures/panel.ts';

const HORA_MS = 3_600_000;
const DIA_MS = 24 * HORA_MS;

const panel = usePanel({ env: { PAGOS_DEMOSTRACION: 'true', PAGOS_PAQUETES: '100:99,500:450.55', ...BANCO } });

const confirmPath = (forma: string, paquete = 100) => `/saldo/comprar/confirmar?paquete=${paquete}&forma=${forma}`;

/** Buys by the pages; gives the path of the purchase. */
async function buy(ana: Persona, forma: string, paquete = 100): Promise<string> {
  const answer = await ana.submit(confirmPath(forma, paquete), '/saldo/comprar');
  expect(answer.status, answer.main).toBe(303);
  return answer.location ?? '';
}

describe('a demonstration purchase', () => {
  it('shows packages and prices with IVA, credits at once, and says that nothing was charged', async () => {
    const ana = await panel.registrar();
    const choose = (await ana.get('/saldo/comprar')).main;
    expect(choose).toContain('100 créditos: $114.84 MXN');
    expect(choose).toContain('$450.55 MXN más 16 % de IVA');
    const review = (await ana.get(confirmPath('demostracion', 500))).main;
    expect(review).toContain('no se cobra dinero');
    expect(review).toMatch(/Precio\s*\$450\.55 MXN\s*IVA \(16 %\)\s*\$72\.09 MXN\s*Total\s*\$522\.64 MXN/);
    const path = await buy(ana, 'demostracion', 500);
    const result = (await ana.get(path)).main;
    expect(result).toContain('Se abonaron 500 créditos');
    expect(result).toContain('no se cobra dinero');
    expect(await saldoDe(panel, ana)).toBe(500);
    expect((await ana.get('/saldo')).main).toContain('500');
  });

  it('sent twice, also at once, buys once', async () => {
    const ana = await panel.registrar();
    const { $ } = await ana.get(confirmPath('demostracion'));
    const campos = presetOf($('form[action="/saldo/comprar"]'));
    const answers = await Promise.all(Array.from({ length: 6 }, () => ana.post('/saldo/comprar', campos)));
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
    expect(await createPagos(panel.db).list({ cuentaId: ana.cuentaId, limite: 10 })).toHaveLength(1);
    expect(await saldoDe(panel, ana)).toBe(100);
    expect(await brokenInvariants(panel.db)).toEqual([]);
  });

  it('buys nothing for another price, package, way to pay or without the key of a form', async () => {
    const ana = await panel.registrar();
    const changes = [{ total: '1' }, { paquete: '1000000' }, { paquete: '-100' }, { forma: 'tarjeta' }, { clave: 'x' }];
    for (const change of changes) {
      const answer = await ana.submit(confirmPath('demostracion'), '/saldo/comprar', change);
      expect(answer.status).toBe(422);
      expect(answer.main).toContain('No se compró nada');
    }
    expect(await saldoDe(panel, ana)).toBe(0);
    expect(await createPagos(panel.db).list({ cuentaId: ana.cuentaId, limite: 10 })).toEqual([]);
  });

  it('that was interrupted before it was credited goes on with one click, once', async () => {
    const ana = await panel.registrar();
    const { id } = await newPago(panel.db, ana.cuentaId, { usuarioId: ana.usuarioId, proveedor: 'demostracion' });
    const path = `/saldo/compras/${id}`;
    const token = await ana.csrf(path);
    await Promise.all([1, 2, 3].map(() => ana.post(`${path}/continuar`, { _csrf: token })));
    expect(await saldoDe(panel, ana)).toBe(100);
    expect((await ana.get(path)).text).toContain('Se abonaron 100 créditos');
  });

  it('is not offered, nor taken from an old page, where it is switched off', async () => {
    const off = await panel.another({ env: BANCO });
    const ana = await off.registrar();
    expect((await ana.get('/saldo/comprar')).text).not.toContain('demostracion');
    expect((await ana.get(confirmPath('demostracion'))).status).toBe(422);
    const answer = await ana.submit(confirmPath('transferencia'), '/saldo/comprar', { forma: 'demostracion' });
    expect(answer.status).toBe(422);
    expect(await saldoDe(panel, ana)).toBe(0);
  });
});

describe('a transfer', () => {
  it('shows reference and bank data, waits, and is credited when the operator confirms it', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    const page = (await ana.get(path)).main;
    for (const text of [CLABE, 'Banco de Prueba', 'Acuse de Prueba', '$114.84 MXN', 'Pendiente'])
      expect(page).toContain(text);
    const [pago] = await createPagos(panel.db).list({ cuentaId: ana.cuentaId, limite: 2 });
    if (!pago) throw new Error('no payment');
    expect(page).toContain(pago.referencia);
    expect(await saldoDe(panel, ana)).toBe(0);
    expect((await ana.get('/saldo')).main).toContain('Hay una compra pendiente');
    expect((await ana.get('/saldo/compras')).main).toContain(pago.referencia);
    await createPagos(panel.db).confirmar({ id: pago.id, actor: 'operador:prueba', ip: null });
    expect((await ana.get(path)).main).toContain('Se abonaron 100 créditos');
    expect(await saldoDe(panel, ana)).toBe(100);
    expect((await ana.get('/saldo/movimientos')).text).toContain(`href="${path}"`);
  });

  it('is cancelled by the buyer, and not credited afterwards', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    expect((await ana.submit(path, `${path}/cancelar`)).location).toBe(path);
    const page = await ana.get(path);
    expect(page.main).toContain('La compra se canceló');
    expect(page.text).not.toContain('/cancelar"');
    const rows = await panel.sql`SELECT accion, actor, ip FROM auditoria WHERE cuenta_id = ${ana.cuentaId} ORDER BY id`;
    const quien = { actor: `usuario:${ana.usuarioId}`, ip: '127.0.0.1' };
    expect(rows.slice(1)).toEqual([
      { accion: 'crear-pago', ...quien },
      { accion: 'cancelar-pago', ...quien },
    ]);
    const id = path.split('/').at(-1) ?? '';
    await createPagos(panel.db).confirmar({ id, actor: 'operador:prueba', ip: null });
    expect(await saldoDe(panel, ana)).toBe(0);
  });

  it('that was refused says why', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    const id = path.split('/').at(-1) ?? '';
    await createPagos(panel.db).refuse({ id, actor: 'operador:prueba', ip: null, motivo: '<b>no llegó</b>' });
    const page = await ana.get(path);
    expect(page.text).toContain('&lt;b&gt;no llegó&lt;/b&gt;');
  });

  it('can wait ten times, not more', async () => {
    const ana = await panel.registrar();
    for (let n = 0; n < 10; n += 1) await buy(ana, 'transferencia');
    const answer = await ana.submit(confirmPath('transferencia'), '/saldo/comprar');
    expect(answer.status).toBe(422);
    expect(answer.main).toContain('demasiadas compras pendientes');
  });

  it('is confirmed by no notification and no return', async () => {
    const ana = await panel.registrar();
    const path = await buy(ana, 'transferencia');
    expect((await ana.get(`${path}/regreso?pagado=1`)).location).toBe(path);
    for (const proveedor of ['transferencia', 'demostracion', 'nadie']) {
      const answer = await ana.post(`/avisos-pago/${proveedor}`, { pago: path.split('/').at(-1) ?? '' });
      expect(answer.status).toBe(400);
    }
    expect(await saldoDe(panel, ana)).toBe(0);
  });
});

/** Charges one call of a new taxpayer of the account. */
async function charge({ cuentaId }: Persona, operacion = 'tax/facturas') {
  const { id: contribuyenteId, rfc } = await addRfc(panel.db, { cuentaId });
  const opId = randomUUID();
  const cargo = { opId, cuentaId, contribuyenteId, operacion, plazoSegundos: 60 };
  await createSaldos(panel.db).charge(cargo);
  return { opId, rfc };
}

/** The rows of the table of a page. */
const rowsOf = ($: CheerioAPI) =>
  $('tbody tr')
    .get()
    .map((row) => $(row));
/** The address of a page's neighbour. */
const linkTo = ($: CheerioAPI, text: string) =>
  $('.paginacion a')
    .filter((_, a) => $(a).text().includes(text))
    .attr('href');

describe('the ledger', () => {
  it('pages to the end and back with the balance of each row', async () => {
    const ana = await panel.registrar({ saldo: 200 });
    for (let n = 0; n < 120; n += 1) await charge(ana);
    const pages: string[][] = [];
    const balances = () => rowsOf($).map((row) => row.find('td').last().text().trim());
    let $ = (await ana.get('/saldo/movimientos')).$;
    for (pages.push(balances()); linkTo($, 'Siguientes'); pages.push(balances()))
      $ = (await ana.get(linkTo($, 'Siguientes') ?? '')).$;
    expect(pages.map(({ length }) => length)).toEqual([25, 25, 25, 25, 21]);
    expect(pages.flat()).toEqual(Array.from({ length: 121 }, (_, n) => String(80 + n)));
    $ = (await ana.get(linkTo($, 'Anteriores') ?? '')).$;
    expect(balances()).toEqual(pages.at(-2));
    expect($('.paginacion a').length).toBe(2);
  });

  it('shows refunds and filters; what cannot be read is named', async () => {
    const ana = await panel.registrar({ saldo: 10 });
    const { opId, rfc } = await charge(ana, 'tax/retenciones');
    await charge(ana);
    await createSaldos(panel.db).refund(opId, 'tax/retenciones: SAT_NO_DISPONIBLE');
    const read = async (query: string) =>
      rowsOf((await ana.get(`/saldo/movimientos?${query}`)).$).map((row) => row.find('td').first().text().trim());
    expect(await read('')).toEqual(['Reembolso', 'Cargo', 'Cargo', 'Compra']);
    expect(await read(`rfc=${encodeURIComponent(rfc)}`)).toEqual(['Reembolso', 'Cargo']);
    expect(await read('operacion=tax/facturas')).toEqual(['Cargo']);
    expect(await read('tipo=compra')).toEqual(['Compra']);
    expect(await read('hasta=2020-01-01')).toEqual([]);
    expect(await read('desde=2020-01-01&tipo=reembolso')).toEqual(['Reembolso']);
    const bad = (await ana.get('/saldo/movimientos?desde=2026-02-30&rfc=X&tipo=nada&operacion=%27&antes=x')).main;
    expect(bad).toContain('un día que exista');
    expect(bad).toContain('formato de un RFC');
    expect((await ana.get('/saldo/movimientos')).main).toContain('El SAT no está disponible en este momento.');
  });

  it('is exported whole as CSV that says the same, without formulas', async () => {
    const ana = await panel.registrar({ saldo: 10 });
    const { opId, rfc } = await charge(ana);
    await createSaldos(panel.db).refund(opId, '=HYPERLINK("http://x","a, b")');
    const answer = await ana.get('/saldo/movimientos.csv');
    expect(answer.headers.get('content-type')).toContain('text/csv');
    expect(answer.headers.get('content-disposition')).toMatch(
      /attachment; filename="movimientos-\d{4}-\d\d-\d\d\.csv"/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const rows: Record<string, string>[] = parse(answer.text, { columns: true });
    expect(rows).toMatchObject([
      { tipo: 'compra', creditos: '10', saldo: '10' },
      { tipo: 'cargo', operacion: 'tax/facturas', rfc, creditos: '-1', saldo: '9', llamada: opId },
      { tipo: 'reembolso', creditos: '1', saldo: '10', detalle: `'=HYPERLINK("http://x","a, b")` },
    ]);
    const bom = await fetch(`${panel.url}/saldo/movimientos.csv?bom=1&tipo=cargo`, {
      headers: { cookie: cookieOf(ana) },
    });
    const bytes = Buffer.from(await bom.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(parse(bytes, { columns: true, bom: true })).toHaveLength(1);
  });
});

/** Lets midnight of central Mexico (06:00 UTC) pass when it is near, so that what follows is of one day. */
async function onOneDay(): Promise<void> {
  const left = DIA_MS - ((Date.now() - 6 * HORA_MS) % DIA_MS);
  if (left < 60_000) await setTimeout(left + 1_000);
}

describe('the summary', () => {
  it('draws usage by day and operation with its numbers as a table, and totals by month', async () => {
    await onOneDay();
    const ana = await panel.registrar({ saldo: 10 });
    for (const operacion of ['tax/facturas', 'tax/facturas', 'tax/retenciones']) await charge(ana, operacion);
    const { $ } = await ana.get('/saldo?dias=7');
    expect($('figure.grafica svg').attr('aria-label')).toContain('3 créditos');
    expect($('figure.grafica tbody tr').length).toBe(7);
    const today = $('figure.grafica tbody tr').last().find('td').get();
    expect(today.map((cell) => $(cell).text())).toEqual(['2', '1']);
    expect($('section[aria-label="Totales por mes"] tbody tr').text().replace(/\s+/g, ' ')).toMatch(/10.*3.*3/);
  });

  it('tells that few credits are left, as the account wants it', async () => {
    const ana = await panel.registrar();
    expect((await ana.get('/saldo')).main).toContain('No quedan créditos');
    const eva = await panel.registrar({ saldo: 12 });
    expect((await eva.get('/saldo')).main).not.toContain('Quedan 12');
    await eva.submit('/saldo', '/saldo/aviso', { umbral: '13' });
    expect((await eva.get('/saldo')).main).toContain('Quedan 12 créditos');
    for (const umbral of ['-1', '12.5', '', '100000001']) {
      const refused = await eva.submit('/saldo', '/saldo/aviso', { umbral });
      expect([umbral, refused.status]).toEqual([umbral, 422]);
      const { $ } = refused;
      expect($('[autofocus]').attr('name')).toBe('umbral');
      expect($('#campo-umbral').attr('value')).toBe(umbral);
      expect($('#campo-umbral-error').text()).toContain('de 0 a 100,000,000');
    }
    expect((await eva.get('/saldo')).$('#campo-umbral').attr('value')).toBe('13');
    await eva.submit('/saldo', '/saldo/aviso', { umbral: '0' });
    expect((await eva.get('/saldo')).main).not.toContain('Quedan 12');
    const rows = await panel.sql`SELECT count(*)::integer AS n FROM auditoria
      WHERE cuenta_id = ${eva.cuentaId} AND accion = 'cambiar-aviso-saldo'`;
    expect(rows).toEqual([{ n: 2 }]);
  });
});
