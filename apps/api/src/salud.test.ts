import { load } from 'cheerio';
import { expect, it } from 'vitest';
import { createKit, createKitWithAlta, type Kit } from '../test/kit.ts';
import { noteEsperas, noteLatido, noteTramo } from '../test/salud.ts';

const MINUTO_MS = 60_000;
const page = async (kit: Kit, path = '/estado') => {
  const answer = await kit.api.app.request(path);
  const $ = load(await answer.text());
  return {
    status: answer.status,
    headers: answer.headers,
    $,
    text: ($('article').html() ?? '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+([.:,]|$)/g, '$1')
      .replace(/\s+/g, ' '),
  };
};
const json = async (kit: Kit) => {
  const answer = await kit.api.app.request('/estado.json');
  return { status: answer.status, headers: answer.headers, data: (await answer.json()) as Record<string, unknown> };
};
const readings = ({ watch }: Kit) => watch.sent.filter((text) => text.includes('FROM espera_sat')).length;
const later = (kit: Kit, minutes: number) => kit.setNow(new Date(kit.now().getTime() + minutes * MINUTO_MS));

/** The SAT has been failing by web service since 17:40, downloads take an hour, and one role of workers is gone. */
async function failing() {
  const kit = await createKit();
  await noteTramo(kit, '2026-11-20T17:20:00Z', 0);
  for (const minuto of [40, 50]) await noteTramo(kit, `2026-11-20T17:${minuto}:00Z`, 90);
  await noteEsperas(kit, 'soap', 'recibidos');
  for (const rol of ['descargas', 'webhooks']) await noteLatido(kit, rol);
  return kit;
}

it('the page says in words how the SAT answers, since when, and how long downloads take, without a script', async () => {
  const kit = await failing();
  const { status, headers, $, text } = await page(kit);
  expect([status, headers.get('content-language')]).toEqual([200, 'es']);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  expect($('meta[http-equiv]').length).toBe(0);
  expect($('h1').text()).toBe('Estado del SAT');
  expect($('html').attr('lang')).toBe('es-MX');
  expect(text).toContain('Servicios web Con fallas desde 20 nov 2026, 11:40');
  expect(text).toContain('Portales Sin datos');
  expect(text).toMatch(
    /Recibidos por servicio web La mitad, en \d+ min o menos; nueve de cada diez, en \d+ min o menos \(50 descargas o más\)\./,
  );
  expect(text).toContain('Emitidos por servicio web Muy pocas para decirlo');
  expect(text).toContain('Las descargas avanzan');
  expect(text).toContain('Nadie prepara los ZIP en este momento');
  expect(text).toContain('falló una de cada 5 o más');
  expect(text).toContain('una de cada diez tardó 10 segundos o más');
  expect(text).toContain('hubo menos de 20 peticiones');
  expect(text).toContain('Cifras de 20 nov 2026, 12:00');
  for (const table of $('table')) {
    expect($(table).find('thead th[scope=col]').length).toBeGreaterThan(2);
    expect($(table).find('tbody th[scope=row]').length).toBe($(table).find('tbody tr').length);
  }
  const english = await page(kit, '/estado/en');
  expect(english.$('html').attr('lang')).toBe('en');
  expect(english.text).toContain('Web services Failing since 20 Nov 2026, 11:40');
  expect([$('header a.idioma').attr('href'), english.$('header a.idioma').attr('href')]).toEqual([
    '/estado/en',
    '/estado',
  ]);
  expect($('article a[href="/estado.json"]').length).toBe(1);
});

it('programs read the same by the operation and, without a key, as JSON from any page', async () => {
  const kit = await failing();
  const { status, headers, data } = await json(kit);
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(data).toMatchObject({
    modo: 'test',
    cifras_de: '2026-11-20T18:00:00.000Z',
    canales: [
      {
        canal: 'soap',
        estado: 'CON_FALLAS',
        desde: '2026-11-20T17:40:00.000Z',
        fallas: 0.9,
        mediana_ms: expect.any(Number),
      },
      { canal: 'portal', estado: 'SIN_DATOS', desde: null, fallas: null, mediana_ms: null, p90_ms: null },
      { canal: 'publico', estado: 'SIN_DATOS' },
    ],
    servicio: { estado: 'CON_FALLAS', descargas: true, ensambles: false },
  });
  const known = { mediana_minutos: expect.any(Number), p90_minutos: expect.any(Number), muestras: 50 };
  expect(data['descargas']).toEqual([
    { canal: 'soap', tipo: 'emitidos', a_esta_hora: null, ultimas_24_horas: null },
    { canal: 'soap', tipo: 'recibidos', a_esta_hora: known, ultimas_24_horas: known },
    { canal: 'portal', tipo: 'emitidos', a_esta_hora: null, ultimas_24_horas: null },
    { canal: 'portal', tipo: 'recibidos', a_esta_hora: null, ultimas_24_horas: null },
  ]);
  const { kit: other, a } = await createKitWithAlta({ beside: kit });
  const called = await other.call('estado/sat', {}, { key: a.key });
  expect([called.status, called.json.data]).toEqual([200, data]);
  expect(await kit.saldo(a)).toBe(10);
  const narrowed = (await other.call('estado/sat', { canal: 'portal' }, { key: a.key })).json.data;
  expect(narrowed).toMatchObject({
    canales: [{ canal: 'portal' }],
    descargas: [{ canal: 'portal' }, { canal: 'portal' }],
  });
});

it('shows a live key nothing of the sandbox, and a test key nothing of the others', async () => {
  const kit = await failing();
  const { kit: own, a } = await createKitWithAlta({ beside: kit }, { modo: 'live' });
  const { json } = await own.call('estado/sat', {}, { key: a.key });
  expect(json.data).toMatchObject({ modo: 'live' });
  const descargas = json.data?.['descargas'] as { a_esta_hora: unknown; ultimas_24_horas: unknown }[];
  for (const { a_esta_hora, ultimas_24_horas } of descargas)
    expect([a_esta_hora, ultimas_24_horas]).toEqual([null, null]);
});

it('however many ask, the database is asked once a minute', async () => {
  const kit = await failing();
  await Promise.all(Array.from({ length: 20 }, () => page(kit)));
  await json(kit);
  expect(readings(kit)).toBe(1);
  await later(kit, 1);
  const { headers } = await page(kit);
  expect(readings(kit)).toBe(2);
  const again = await kit.api.app.request('/estado', { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});

it('returns the last figures with their time while the database is away', async () => {
  const kit = await failing();
  await page(kit);
  kit.watch.fault = { kind: 'reject', only: /FROM espera_sat/ };
  await later(kit, 2);
  expect((await page(kit)).text).toContain('Cifras de 20 nov 2026, 12:00. Se cuentan cada minuto');
  await later(kit, 10);
  const { status, text } = await page(kit);
  expect(status).toBe(200);
  expect(text).toContain('Cifras de 20 nov 2026, 12:00. No se han podido leer cifras nuevas');
  expect(await json(kit)).toMatchObject({ status: 200, data: { cifras_de: '2026-11-20T18:00:00.000Z' } });
  kit.watch.fault = null;
  await later(kit, 1);
  expect((await page(kit)).text).toContain('Cifras de 20 nov 2026, 12:13. Se cuentan cada minuto');
});

it('without any figures it says so, with 503, and an operation with 503/5041', async () => {
  const { kit, a } = await createKitWithAlta();
  kit.watch.fault = { kind: 'reject', only: /FROM espera_sat/ };
  const { status, text } = await page(kit);
  expect([status, text]).toEqual([503, expect.stringContaining('Todavía no hay cifras')]);
  expect(await json(kit)).toMatchObject({ status: 503, data: { error: 'SIN_CIFRAS' } });
  expect(await kit.call('estado/sat', {}, { key: a.key })).toMatchObject({ status: 503, json: { cfdi_codigo: 5041 } });
});
