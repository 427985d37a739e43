import { load } from 'cheerio';
import { describe, expect, test } from 'vitest';
import { type Browser, createBrowser, readForm, tableRows, type Visit } from '../testing/browser.ts';
import { follow } from '../testing/idp-client.ts';
import { frameOf, visitByCiec, visitByFiel } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { formatWallTime } from '../world/wall-time.ts';
import { notificacionesDe } from './agr.ts';
import { createAperturas } from './llegadas.ts';

const NOW = new Date('2026-11-20T18:00:00Z');
const TABLE = 'formNotificaciones:tablaPendientes';
const simulador = await startForTests({}, NOW);
const base = simulador.url;

const of = (rfc: string) => notificacionesDe(simulador.world, rfc, createAperturas());
const application = () => `${base}/agr/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf`;

/** Taxpayers with at least two notifications that wait, each asked for once. */
const busy = (() => {
  let i = 0;
  return () => {
    for (; i < 2000; i++) {
      const rfc = `ROPL9009${String(10 + (i % 18))}${String(i).padStart(3, '0')}`;
      if (of(rfc).length >= 2) {
        i += 1;
        return rfc;
      }
    }
    throw new Error('no taxpayer with two notifications');
  };
})();

const rowsOf = ({ text }: Visit) => tableRows(text, `table[id="${TABLE}"]`);

async function opened(rfc: string): Promise<string[]> {
  const response = await fetch(`${base}/control/contribuyentes/${rfc}`);
  const body = (await response.json()) as { notificaciones_abiertas: { folio: string }[] };
  return body.notificaciones_abiertas.map(({ folio }) => folio);
}

async function inside(rfc: string): Promise<{ browser: Browser; page: Visit }> {
  const browser = createBrowser();
  return { browser, page: await visitByCiec(simulador, browser, application(), rfc) };
}

describe('the list', () => {
  test('shows what waits with its six columns, and opens nothing', async () => {
    const rfc = busy();
    const { page } = await inside(rfc);
    expect(page.text).toContain(`Destinatario: ${rfc}`);
    expect(page.text).toContain(`Total de notificaciones pendientes: ${of(rfc).length}`);
    expect(rowsOf(page)).toEqual(
      of(rfc).map(({ folio, autoridad, acto, aviso }) => ({
        'Folio del acto administrativo': folio,
        'Autoridad emisora': autoridad,
        'Acto administrativo': acto,
        'Fecha de aviso': formatWallTime(aviso).slice(0, 10).split('-').reverse().join('/'),
        Aviso: 'Ver aviso',
        Documento: 'Ver / Acto administrativo',
      })),
    );
    expect(await opened(rfc)).toEqual([]);
  });

  test('is reached through the access of the site under its own host, by either log-in', async () => {
    const gate = `${base}/agr/app/seg/cont/accesoC?url=/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf`;
    for (const visit of [visitByCiec, visitByFiel]) {
      const rfc = busy();
      expect(rowsOf(await visit(simulador, createBrowser(), gate, rfc))).toHaveLength(of(rfc).length);
    }
  });

  test('is reached by e.firma through the session broker, and from the frame of the site', async () => {
    const rfc = busy();
    const broker = `${base}/agr/app/seg/SessionBroker?url=/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf&parametro=c&idSessionBit=null`;
    const browser = createBrowser();
    expect(rowsOf(await visitByFiel(simulador, browser, broker, rfc))).toHaveLength(of(rfc).length);
    const framed = await follow(browser, await browser.get(`${base}/wwwmat/iniciar-expediente/mis-notificaciones`));
    const page = await follow(browser, await browser.get(frameOf(framed)));
    expect(rowsOf(page)).toHaveLength(of(rfc).length);
    expect(await opened(rfc)).toEqual([]);
  });
});

describe('opening', () => {
  test('by the plain link is on the record, which outlives the call log, and takes it off the list', async () => {
    const rfc = busy();
    const [first] = of(rfc);
    const { browser, page } = await inside(rfc);
    const href = load(page.text)(`table[id="${TABLE}"] tr[data-ri=0] td:last-child a`).attr('href') ?? '';
    const { text } = await browser.get(new URL(href, page.url).href);
    expect(text).toContain('ha quedado notificado');
    expect(simulador.world.log.list({ operation: 'AbrirNotificacion', rfc })).toMatchObject([
      { service: 'agr', detail: { folio: first?.folio } },
    ]);
    simulador.world.log.clear();
    expect(await opened(rfc)).toEqual([first?.folio]);
    const left = rowsOf(await browser.get(application()));
    expect(left.map((row) => row['Folio del acto administrativo'])).not.toContain(first?.folio);
    expect(left).toHaveLength(of(rfc).length - 1);
  });

  test('by the postback of a row is on the record too', async () => {
    const rfc = busy();
    const [, second] = of(rfc);
    const { browser, page } = await inside(rfc);
    const id = `${TABLE}:1:documento`;
    expect(load(page.text)(`a[id="${id}"]`).attr('onclick')).toContain(id);
    const { action, fields } = readForm(page, '#formNotificaciones');
    await browser.post(action, { ...fields, [id]: id });
    expect(await opened(rfc)).toEqual([second?.folio]);
  });

  test('needs a notification of the taxpayer itself', async () => {
    const rfc = busy();
    const other = busy();
    const { browser, page } = await inside(rfc);
    // Folios are short: two taxpayers may have the same one.
    const own = of(rfc).map(({ folio }) => folio);
    const folio = encodeURIComponent(of(other).find((each) => !own.includes(each.folio))?.folio ?? '');
    const address = new URL(`documentoNotificacion.jsf?folio=${folio}`, page.url).href;
    expect((await browser.get(address)).status).toBe(404);
    expect([await opened(rfc), await opened(other)]).toEqual([[], []]);
  });

  test('is not what the notice, a filter or a stale page does', async () => {
    const rfc = busy();
    const { browser, page } = await inside(rfc);
    const aviso = load(page.text)(`table[id="${TABLE}"] tr[data-ri=0] td:nth-child(5) a`).attr('href') ?? '';
    await browser.get(new URL(aviso, page.url).href);
    const { action, fields } = readForm(page, '#formNotificaciones');
    await browser.post(action, { ...fields, 'formNotificaciones:autoridad': '1' });
    const id = `${TABLE}:1:documento`;
    await browser.post(action, { ...fields, [id]: id });
    expect(await opened(rfc)).toEqual([]);
  });
});
