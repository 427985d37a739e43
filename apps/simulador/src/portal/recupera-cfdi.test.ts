import { load } from 'cheerio';
import { beforeEach, expect, test } from 'vitest';
import { emitidos, logIn, recibidos, rowsOf, search } from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { parseWallTime } from '../world/wall-time.ts';

const RFC = 'EKU9003173C9';
const NOON = new Date('2026-11-20T12:00:00-06:00');
const simulador = await startForTests({}, NOON);
const { url: base, world } = simulador;
const MAYO = recibidos('2026-05-00');

beforeEach(() => {
  world.settings.max_xml_por_dia = 2000;
});

/** UUID of each row to the address behind its icon, or to undefined. */
function linksOf(html: string): Map<string, string | undefined> {
  const $ = load(html);
  const spans = $('#ctl00_MainContent_tblResult > tbody > tr').slice(1).get();
  const uuids = rowsOf(html).map((row) => row['Folio Fiscal'] ?? '');
  return new Map(
    spans.map((row, n) => {
      const click = $(row).find('span#BtnDescarga').attr('onclick') ?? '';
      return [uuids[n] ?? '', /^return AccionCfdi\('(.+)','Recuperacion'\);$/.exec(click)?.[1]];
    }),
  );
}

async function open() {
  const browser = await logIn(base, RFC);
  const find = async (pagina = 'ConsultaReceptor.aspx', change = MAYO) =>
    (await search(base, browser, pagina, change)).html;
  const fetchXml = (link = '') => browser.get(`${base}/portalcfdi/${link}`);
  return { browser, find, fetchXml };
}

test('each valid received row leads to its XML, a cancelled one has no icon', async () => {
  const { find, fetchXml } = await open();
  const links = linksOf(await find());
  const at = (day: string) => parseWallTime(day) ?? 0;
  const rows = [...world.taxpayers.rows(RFC, 'recibidos', at('2026-05-01'), at('2026-05-31') + 86_399)];
  expect([...links].map(([uuid, link]) => [uuid, link !== undefined])).toEqual(
    rows.map(({ uuid, estatus }) => [uuid, estatus === 'Vigente']),
  );
  expect([...links.values()]).toContain(undefined);
  const [row] = rows.filter(({ estatus }) => estatus === 'Vigente');
  const visit = await fetchXml(links.get(row?.uuid ?? ''));
  expect([visit.status, visit.headers.get('content-disposition')]).toEqual([
    ...[200, `attachment; filename=${row?.uuid}.xml`],
  ]);
  expect(visit.text).toBe(row && world.cfdis.xmlOf(row));
  expect(visit.text).toContain(`UUID="${row?.uuid}"`);
  // The portal leaves the base64 of its links as it is; clients may escape it.
  const raw = [...links.values()].filter((link) => link !== undefined && /[+/]/.test(link.slice(23)));
  expect(raw.length).toBeGreaterThan(0);
  for (const link of raw.slice(0, 3)) {
    const [page, datos = ''] = link?.split('Datos=') ?? [];
    for (const each of [link, `${page}Datos=${encodeURIComponent(datos)}`])
      expect((await fetchXml(each)).text).toContain('UUID="');
  }
});

test('issued rows have an icon when they are cancelled, too, and an earlier search stays good', async () => {
  const { find, fetchXml } = await open();
  const links = linksOf(await find('ConsultaEmisor.aspx', emitidos('01/05/2026 0:0:0', '31/05/2026 23:59:59')));
  expect([...links.values()]).not.toContain(undefined);
  await find();
  for (const [uuid, link] of [...links].slice(0, 5)) expect((await fetchXml(link)).text).toContain(`UUID="${uuid}"`);
});

test('a link of another session, a made-up one and one of a row cancelled since get HTML without XML', async () => {
  const [mine, other] = [await open(), await open()];
  const valid = [...linksOf(await mine.find())].filter(([, link]) => link);
  const [[uuid, link] = []] = valid;
  for (const visit of [await other.fetchXml(link), await mine.fetchXml('RecuperaCfdi.aspx?Datos=abc')]) {
    expect([visit.status, visit.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(visit.text).not.toContain('UUID=');
  }
  const row = world.taxpayers.find(RFC, 'recibidos', uuid ?? '');
  if (row) world.taxpayers.cancel(row);
  expect((await mine.fetchXml(link)).text).toContain('no se encuentra disponible');
});

test('a browser without a session is led to the log-in', async () => {
  const response = await fetch(`${base}/portalcfdi/RecuperaCfdi.aspx?Datos=abc`, { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toContain('/cfdiau/');
});

test('the quota counts XML of a taxpayer and day of central Mexico; beyond it there is HTML', async () => {
  world.clock.set(new Date('2026-11-22T23:50:00-06:00'));
  world.settings.max_xml_por_dia = 2;
  const { find, fetchXml } = await open();
  const html = await find();
  const quotaOf = (text: string) => load(text)('#hfDescarga').attr('value');
  const links = [...linksOf(html).values()].filter((link) => link !== undefined);
  expect(quotaOf(html)).toBe('CuotaParcial');
  world.settings.max_xml_por_dia = links.length;
  expect(quotaOf(await find())).toBeUndefined();
  world.settings.max_xml_por_dia = 2;
  await fetchXml('RecuperaCfdi.aspx?Datos=abc');
  for (const link of links.slice(0, 2)) expect((await fetchXml(link)).text).toContain('UUID="');
  const refused = await fetchXml(links[2]);
  expect([refused.status, refused.text.includes('diario de descargas')]).toEqual([200, true]);
  expect(quotaOf(await find())).toBe('CuotaCompleta');
  world.clock.advance(11 * 60_000);
  expect((await fetchXml(links[2])).text).toContain('UUID="');
});
