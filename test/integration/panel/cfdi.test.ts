import { randomUUID } from 'node:crypto';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvOf, type FilaCfdi } from '../almacen/csv.ts';
import { publish } from '../almacen/listar.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { ciecOf, expectOk, useServicio } from '../fixtures/servicio.ts';
import { addCaller, startPanel } from './fixtures/panel.ts';
import { hrefRfc } from './fixtures/rfcs.ts';

const servicio = useServicio();
const panel = duringTests(() =>
  startPanel({ database: servicio.database, env: { API_PUBLIC_URL: servicio.api.url, S3_BUCKET: servicio.bucket } }),
);

/** A user with a subscription to received CFDI, and a function that merges readings. */
async function owner() {
  const persona = await panel.registrar({ saldo: 5 });
  const caller = await addCaller(servicio, persona);
  const { rfc } = caller;
  await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
  await expectOk(caller.call('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-01-01' }));
  const almacenId = (await createSincronizaciones(servicio.db).find(caller.contribuyenteId, null))?.almacenId ?? 0;
  const read = (filas: readonly FilaCfdi[]) =>
    createAlmacenes(servicio.db).merge(
      {
        almacenId,
        solicitudId: randomUUID(),
        tipo: 'recibidos',
        pedidaEn: new Date(),
        isConfirmada: true,
        desde: '2026-01-01',
        hasta: '2026-03-31',
      },
      csvOf(filas),
      new AbortController().signal,
    );
  const get = (query = '', sub: '/cfdi' | '/cfdi.xlsx' = '/cfdi') => persona.get(`${hrefRfc(rfc, sub)}${query}`);
  return { persona, caller, rfc, read, get };
}

const PELIGRO = '=HYPERLINK("http://x")';

const cfdi = (rfc: string, n: number, rest: Partial<FilaCfdi> = {}): FilaCfdi => ({
  uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  emisor: n % 2 === 0 ? ['PRO010101AB1', PELIGRO] : ['PRO020202AB2', '<b>Dos</b>'],
  receptor: [rfc, 'Yo'],
  emitida: `2026-0${1 + (n % 3)}-10T10:00:${String(n % 60).padStart(2, '0')}`,
  monto: '1000.10',
  ...rest,
});

test('the page shows sums by state, counterparties, a chart and each CFDI, page by page, of what its address filters', async () => {
  const { rfc, read, get } = await owner();
  const filas = Array.from({ length: 120 }, (_, n) =>
    cfdi(rfc, n, { efecto: n === 3 ? 'E' : 'I', cancelada: n === 4 ? '2026-05-01T00:00:00' : null }),
  );
  await read(filas);
  await read(filas.filter((_, n) => n !== 5));
  const first = await get();
  expect(first.status).toBe(200);
  // 118 in force, one of them an egreso; one cancelled, one missing since.
  expect(first.main).toMatch(/Vigentes\s*118\s*117,011\.70\s*1,000\.10/);
  expect(first.main).toMatch(/Cancelados\s*1\s*1,000\.10/);
  expect(first.main).toMatch(/Ya no aparecen en el SAT\s*1\s*1,000\.10/);
  expect(first.$('figure svg').attr('aria-label')).toMatch(/Gastos por mes de emisión: 118,0\d\d pesos en total/);
  expect(first.text).not.toContain('<b>Dos</b>');
  const seen: string[] = [];
  for (let page = first; ; ) {
    seen.push(
      ...page
        .$('tbody code')
        .map((_, each) => page.$(each).text())
        .get(),
    );
    const next = page
      .$('.paginacion a')
      .filter((_, each) => page.$(each).text().includes('Siguientes'))
      .attr('href');
    if (next === undefined) break;
    page = await get(next.slice(next.indexOf('?')));
  }
  expect(seen).toHaveLength(120);
  expect(new Set(seen).size).toBe(120);
  const filtered = await get('?contraparte_rfc=pro010101ab1&estado=CANCELADO&desde=2026-01-01&monto_min=1,000');
  expect(filtered.$('tbody code').text()).toBe(filas[4]?.uuid);
  const faulty = await get('?desde=ayer&monto_max=mucho&uuid=1&contraparte_rfc=x&despues=2026-99-99T10:00:00_x');
  expect([faulty.status, faulty.$('.falta').length]).toEqual([200, 4]);
});

test('a supplier on a list has its badge in the list of CFDI and among the greatest suppliers', async () => {
  const { rfc, read, get } = await owner();
  await read([0, 1].map((n) => cfdi(rfc, n)));
  expect((await get()).main).not.toContain('69-B Definitivo');
  await publish(servicio, [
    { rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' },
    { rfc: 'PRO020202AB2', situacion: 'DESVIRTUADO' },
  ]);
  const { $ } = await get();
  const marked = [...$('tbody th:has(.estado.error)')].map((each) => $(each).text());
  expect(marked).toHaveLength(2);
  for (const text of marked) expect(text).toMatch(/^PRO010101AB1 69-B Definitivo/);
});

test('the page shows periods that are read again, CFDI that are not with their last reading, and a pause', async () => {
  const { caller, rfc, read, get } = await owner();
  await read([0, 1, 2].map((n) => cfdi(rfc, n)));
  const states = async () => {
    const { $ } = await get();
    return $('tbody tr:has(code)')
      .map((_, row) => $(row).text().includes('leído el'))
      .get();
  };
  expect((await get()).main).toContain('Se vuelven a leer los emitidos desde el 1 ene 2026');
  expect(await states()).toEqual([false, false, false]);
  await expectOk(caller.call('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-02-10' }));
  expect(await states()).toEqual([false, false, true]);
  expect((await get('?desde=2026-02-10')).main).not.toContain('Se vuelven a leer');
  await expectOk(caller.call('sincronizacion/pausar', { rfc }));
  expect((await get()).main).toContain('está en pausa y nada de esto se vuelve a leer');
  expect(await states()).toEqual([true, true, true]);
});

test('an Excel has the filtered CFDI; a page refuses too many, with the number and the remedy', async () => {
  const { caller, rfc, read, get, persona } = await owner();
  await read([1, 2, 3].map((n) => cfdi(rfc, n)));
  const file = await get('?contraparte_rfc=PRO020202AB2', '/cfdi.xlsx');
  expect([file.status, file.headers.get('content-type'), file.text.slice(0, 2)]).toEqual([
    ...[200, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
  ]);
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; filename="cfdi-recibidos-\d{4}-\d\d-\d\d\.xlsx"$/,
  );
  await servicio.sql`INSERT INTO cfdi (emitida, uuid, almacen_id, contraparte_id, primera, recibido, vigente, efecto, monto)
    SELECT timestamp '2026-01-01' + n * interval '1 second', gen_random_uuid(), almacen_id, contraparte_id, primera, true, true, 'I', 1
    FROM generate_series(1, 100000) n, (SELECT x.* FROM cfdi x JOIN almacen a ON a.id = x.almacen_id WHERE a.contribuyente_id = ${caller.contribuyenteId} LIMIT 1) x`;
  const much = await get('', '/cfdi.xlsx');
  expect([much.status, much.main]).toEqual([
    422,
    expect.stringMatching(/Son 100,003 CFDI, y un Excel lleva a lo más 100,000/),
  ]);
  expect((await persona.get(`${hrefRfc(rfc, '/cfdi')}?desde=2026-02-01`)).main).toContain('Vigentes');
});

test('the changes of some days are a CSV in which no name is a formula', async () => {
  const { rfc, read, persona } = await owner();
  await read([1, 2].map((n) => cfdi(rfc, n)));
  await read([1, 2].map((n) => cfdi(rfc, n, { cancelada: '2026-04-01T00:00:00' })));
  const page = hrefRfc(rfc, '/al-dia');
  const form = (await persona.get(page)).$('form[method="get"]');
  expect(form.attr('action')).toBe(`${page}/cambios.csv`);
  const file = await persona.get(`${page}/cambios.csv?desde=2000-01-01&hasta=2099-12-31`);
  expect(file.headers.get('content-type')).toMatch(/^text\/csv/);
  const rows = parse(file.text, { columns: true }) as Record<string, string>[];
  expect(rows.map(({ secuencia, cambio, monto }) => [secuencia, cambio, monto])).toEqual([
    ...[
      ['1', 'nuevo', '1000.10'],
      ['2', 'nuevo', '1000.10'],
      ['3', 'cancelado', '1000.10'],
      ['4', 'cancelado', '1000.10'],
    ],
  ]);
  expect(new Set(rows.map(({ contraparte_nombre }) => contraparte_nombre))).toEqual(
    new Set([`'${PELIGRO}`, '<b>Dos</b>']),
  );
  const none = await persona.get(`${page}/cambios.csv?desde=2001-01-01&hasta=2001-12-31`);
  expect(parse(none.text, { columns: true })).toEqual([]);
  expect(none.text).toMatch(/^secuencia,cambio,/);
  expect((await persona.get(`${page}/cambios.csv?desde=2026-02-01&hasta=2026-01-01`)).status).toBe(303);
});

test('a page without CFDI says why: the first load goes on or is paused, the SAT has none, or a filter leaves none', async () => {
  const { rfc, get } = await owner();
  const loading = await get();
  expect(loading.main).toMatch(/La primera carga no ha terminado: faltan \d+ meses por leer/);
  expect(loading.main).toContain('Todavía no se ha leído nada');
  expect(loading.main).toMatch(/Todavía no hay CFDI.*Vuelva más tarde/s);
  expect((await get('?estado=CANCELADO')).main).toMatch(/Ningún CFDI coincide.*Quitar el filtro/s);
  await servicio.sql`UPDATE sincronizacion SET estado = 'PAUSADA', motivo = 'PEDIDA', pausada_en = now() WHERE rfc = ${rfc}`;
  expect((await get()).main).toMatch(/Todavía no hay CFDI.*está en pausa/s);
  await servicio.sql`UPDATE tramo SET lecturas = 1 WHERE sincronizacion_id = (SELECT id FROM sincronizacion WHERE rfc = ${rfc})`;
  const done = await get();
  expect(done.main).toContain('El SAT no tiene CFDI de estos');
  expect(done.main).not.toContain('Quitar el filtro');
});

test('an RFC without a subscription shows how to begin, and no account sees CFDI of another', async () => {
  const { rfc, read } = await owner();
  await read([cfdi(rfc, 1)]);
  const eva = await panel.registrar();
  for (const sub of ['/cfdi', '/cfdi.xlsx', '/al-dia/cambios.csv'] as const)
    expect((await eva.get(hrefRfc(rfc, sub))).status).toBe(404);
  const otro = await addCaller(servicio, eva);
  expect((await eva.get(hrefRfc(otro.rfc, '/cfdi'))).main).toMatch(/no se mantienen al día.*Mantener al día/s);
});
