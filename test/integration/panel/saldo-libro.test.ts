import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createSaldos } from '@acuse/db';
import { load } from 'cheerio';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addRfc, type Panel, type Persona, startPanel } from './fixtures/panel.ts';

const HORA_MS = 3_600_000;
const DIA_MS = 24 * HORA_MS;

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.close());

const main = (html: string) => load(html)('main').text().replace(/\s+/g, ' ');

/** Charges one call of a new taxpayer of the account. */
async function charge({ cuentaId }: Persona, operacion = 'tax/facturas') {
  const { id: contribuyenteId, rfc } = await addRfc(panel.db, { cuentaId });
  const opId = randomUUID();
  await createSaldos(panel.db).charge({
    opId,
    cuentaId,
    contribuyenteId,
    operacion,
    importe: 1,
    plazoSegundos: 60,
  });
  return { opId, rfc };
}

describe('the ledger', () => {
  it('pages to the end and back with the balance of each row', async () => {
    const ana = await panel.registrar({ saldo: 200 });
    for (let n = 0; n < 120; n += 1) await charge(ana);
    const pages: string[][] = [];
    let path: string | undefined = '/saldo/movimientos';
    let $ = load('');
    while (path) {
      $ = load((await ana.get(path)).text);
      pages.push(
        $('tbody tr')
          .get()
          .map((row) => $(row).find('td').last().text().trim()),
      );
      path = $('.paginacion a')
        .filter((_, a) => $(a).text().includes('Siguientes'))
        .attr('href');
    }
    const expected = Array.from({ length: 121 }, (_, n) => String(80 + n));
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 21]);
    expect(pages.flat()).toEqual(expected);
    const back =
      $('.paginacion a')
        .filter((_, a) => $(a).text().includes('Anteriores'))
        .attr('href') ?? '';
    $ = load((await ana.get(back)).text);
    expect(
      $('tbody tr')
        .get()
        .map((row) => $(row).find('td').last().text().trim()),
    ).toEqual(pages[1]);
    expect($('.paginacion a').length).toBe(2);
  });

  it('shows refunds and filters; what cannot be read is named', async () => {
    const ana = await panel.registrar({ saldo: 10 });
    const { opId, rfc } = await charge(ana, 'tax/retenciones');
    await charge(ana);
    await createSaldos(panel.db).refund(opId, 'tax/retenciones: SAT_NO_DISPONIBLE');
    const types = (html: string) => {
      const $ = load(html);
      return $('tbody tr')
        .get()
        .map((row) => $(row).find('td').first().text().trim());
    };
    const read = async (query: string) => types((await ana.get(`/saldo/movimientos?${query}`)).text);
    expect(await read('')).toEqual(['Reembolso', 'Cargo', 'Cargo', 'Compra']);
    expect(await read(`rfc=${encodeURIComponent(rfc)}`)).toEqual(['Reembolso', 'Cargo']);
    expect(await read('operacion=tax/facturas')).toEqual(['Cargo']);
    expect(await read('tipo=compra')).toEqual(['Compra']);
    expect(await read('hasta=2020-01-01')).toEqual([]);
    expect(await read('desde=2020-01-01&tipo=reembolso')).toEqual(['Reembolso']);
    const bad = main((await ana.get('/saldo/movimientos?desde=2026-02-30&rfc=X&tipo=nada&operacion=%27&antes=x')).text);
    expect(bad).toContain('un día que exista');
    expect(bad).toContain('formato de un RFC');
    expect(main((await ana.get('/saldo/movimientos')).text)).toContain('El SAT no está disponible en este momento.');
  });

  it('is exported whole as CSV that says the same, without formulas, and only its own account', async () => {
    const ana = await panel.registrar({ saldo: 10 });
    const eva = await panel.registrar({ saldo: 10 });
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
      headers: { cookie: [...ana.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    const bytes = Buffer.from(await bom.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(parse(bytes, { columns: true, bom: true })).toHaveLength(1);
    expect((await eva.get('/saldo/movimientos.csv')).text).not.toContain(opId);
    expect((await panel.newCliente().get('/saldo/movimientos.csv')).location).toContain('/entrar');
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
    const $ = load((await ana.get('/saldo?dias=7')).text);
    expect($('figure.grafica svg').attr('aria-label')).toContain('3 créditos');
    expect($('figure.grafica tbody tr').length).toBe(7);
    const today = $('figure.grafica tbody tr').last();
    expect(
      today
        .find('td')
        .get()
        .map((cell) => $(cell).text()),
    ).toEqual(['2', '1']);
    expect($('section[aria-label="Totales por mes"] tbody tr').text().replace(/\s+/g, ' ')).toMatch(/10.*3.*3/);
  });

  it('tells that few credits are left, as the account wants it', async () => {
    const ana = await panel.registrar();
    expect(main((await ana.get('/saldo')).text)).toContain('No quedan créditos');
    const eva = await panel.registrar({ saldo: 12 });
    expect(main((await eva.get('/saldo')).text)).not.toContain('Quedan 12');
    await eva.enviar('/saldo', '/saldo/aviso', { umbral: '13' });
    expect(main((await eva.get('/saldo')).text)).toContain('Quedan 12 créditos');
    for (const umbral of ['-1', '12.5', '', '100000001']) {
      const refused = await eva.enviar('/saldo', '/saldo/aviso', { umbral });
      expect([umbral, refused.status]).toEqual([umbral, 422]);
      const $ = load(refused.text);
      expect($('[autofocus]').attr('name')).toBe('umbral');
      expect($('#campo-umbral').attr('value')).toBe(umbral);
      expect($('#campo-umbral-error').text()).toContain('de 0 a 100,000,000');
    }
    expect(load((await eva.get('/saldo')).text)('#campo-umbral').attr('value')).toBe('13');
    await eva.enviar('/saldo', '/saldo/aviso', { umbral: '0' });
    expect(main((await eva.get('/saldo')).text)).not.toContain('Quedan 12');
  });
});
