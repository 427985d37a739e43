import { load } from 'cheerio';
import { describe, expect, test } from 'vitest';
import { type Browser, createBrowser, readForm, type Visit } from '../testing/browser.ts';
import { follow } from '../testing/idp-client.ts';
import { frameOf, visitByCiec } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { wallTimeOf } from '../world/wall-time.ts';
import { type Comunicado, comunicadosDe, shortDate, UNFOLD } from './aplicacionesc.ts';
import { createAperturas } from './llegadas.ts';

const NOW = new Date('2026-11-20T18:00:00Z');
const simulador = await startForTests({}, NOW);
const base = simulador.url;

const of = (some: string) => comunicadosDe(simulador.world, some, createAperturas());
const wrapper = () => `${base}/wwwmat/iniciar-expediente/mis-comunicados/`;
const application = () => `${base}/aplicacionesc/WebComunicados/Comunicados.aspx`;

/** A taxpayer with the wanted messages; each call finds another one, so that tests share none. */
const search = (() => {
  let i = 0;
  return (isWanted: (found: Comunicado[]) => boolean): string => {
    for (; i < 2000; i++) {
      const some = `GOMA8505${String(10 + (i % 18))}${String(i).padStart(3, '0')}`;
      if (!isWanted(of(some))) continue;
      i += 1;
      return some;
    }
    throw new Error('no such taxpayer');
  };
})();

const hasBothKinds = (found: Comunicado[]) =>
  found.length >= 8 && found.some((c) => c.isLeido) && found.some((c) => !c.isLeido);
const rfc = search(hasBothKinds);

/** Lines of the section under a heading. */
function linesOf({ text }: Visit, heading: string): string[] {
  const $ = load(text);
  const section = $('h2')
    .filter((_, element) => $(element).text() === heading)
    .parent();
  return Array.from(section.find('div.message > span'), (span) => $(span).text());
}

const line = ({ cuando, asunto }: Comunicado) => `${shortDate(cuando)} ${asunto}`;
const both = (page: Visit) => [...linesOf(page, 'Mensajes no leídos'), ...linesOf(page, 'Mensajes leídos')];

async function listed(browser: Browser, some = rfc): Promise<Visit> {
  const framed = await visitByCiec(simulador, browser, wrapper(), some);
  await follow(browser, await browser.get(frameOf(framed)));
  return browser.get(application());
}

describe('the list', () => {
  test('shows unread and read messages, each as day, hour and subject', async () => {
    const page = await listed(createBrowser());
    const expected = of(rfc);
    expect(linesOf(page, 'Mensajes no leídos')).toEqual(expected.filter((c) => !c.isLeido).map(line));
    expect(linesOf(page, 'Mensajes leídos')).toEqual(expected.filter((c) => c.isLeido).map(line));
    expect(both(page)[0]).toMatch(/^\d{2}\/[a-z]{3}\/\d{4} \d{2}:\d{2} hrs \S/);
    expect(page.text).toContain('Mensajes de inter');
  });

  test('escapes the markup of a subject, and keeps it out of the hidden detail', async () => {
    const some = search((found) => found.some(({ asunto }) => asunto.includes('<script>')));
    const page = await listed(createBrowser(), some);
    expect(load(page.text)('script')).toHaveLength(0);
    expect(both(page).some((text) => text.endsWith('<script>alert(1)</script>'))).toBe(true);
    expect(both(page).join()).not.toContain('haga clic');
  });
});

test('unfolding a message moves it to those read, for good and on the record', async () => {
  const some = search(hasBothKinds);
  const [first, ...others] = of(some).filter((c) => !c.isLeido);
  if (!first) throw new Error('nothing to open');
  const browser = createBrowser();
  const { action, fields } = readForm(await listed(browser, some), '#form1');
  const open = { ...fields, __EVENTTARGET: UNFOLD, __EVENTARGUMENT: first.id };
  const after = await browser.post(action, open);
  expect(linesOf(after, 'Mensajes leídos')).toContain(line(first));
  expect(linesOf(after, 'Mensajes no leídos')).toEqual(others.map(line));
  const control = await fetch(`${base}/control/contribuyentes/${some}`);
  expect(await control.json()).toMatchObject({ comunicados_leidos: [first.id] });
});

describe('the gateway', () => {
  const sso = () => `${base}/loginc/nidp/idff/sso`;
  const bring = (location: string) => createBrowser().raw(location);
  const cookieOf = async (location: string) => (await bring(location)).headers.get('set-cookie');

  test('gives artifacts that are good once and for a minute', async () => {
    const browser = createBrowser();
    await listed(browser);
    const artifact = async () => (await browser.raw(sso())).headers.get('location') ?? '';
    const once = await artifact();
    expect(await cookieOf(once)).toContain('IPCZQX03APLICC=');
    expect(await cookieOf(once)).toBeNull();
    const late = await artifact();
    simulador.world.clock.advance(61_000);
    expect(await cookieOf(late)).toBeNull();
  });

  test.each(['http://example.com/', '//example.com/WebComunicados/', "javascript:'x'"])(
    'sends nobody to %s',
    async (target) => {
      const browser = createBrowser();
      await listed(browser);
      const location = (await browser.raw(`${sso()}?target=${encodeURIComponent(target)}`)).headers.get('location');
      expect(new URL(location ?? '').searchParams.get('target')).toBe(application());
    },
  );
});

describe('generated data', () => {
  test('is at most 12 messages of the last year, newest first, and some taxpayers have none', () => {
    const counts = Array.from({ length: 60 }, (_, i) =>
      of(`XYZ9001${String(10 + (i % 18))}A${String(i % 10)}${i % 7}`),
    );
    const now = wallTimeOf(NOW);
    for (const found of counts) {
      expect(found.length).toBeLessThanOrEqual(12);
      for (const { cuando } of found) expect(now - cuando).toBeLessThan(365 * 86_400);
      expect(found.map(({ cuando }) => cuando)).toEqual(found.map(({ cuando }) => cuando).sort((a, b) => b - a));
    }
    expect(counts.some((found) => found.length === 0)).toBe(true);
    expect(counts.some((found) => found.some(({ cuando }) => now - cuando < 30 * 86_400))).toBe(true);
  });

  test('gives the taxpayer of the README one in any thirty days', () => {
    for (let day = 0; day < 3 * 365; day += 1) {
      const at = new Date(NOW.getTime() + day * 86_400_000);
      simulador.world.clock.set(at);
      const [newest] = of('ACU200101DB1');
      expect([day, wallTimeOf(at) - (newest?.cuando ?? 0) < 30 * 86_400]).toEqual([day, true]);
    }
  });

  test('only grows when the clock moves on', () => {
    const before = of(rfc);
    simulador.world.clock.advance(40 * 86_400_000);
    const ids = of(rfc).map(({ id }) => id);
    const newest = before.slice(0, 6);
    expect(newest.length).toBe(6);
    expect(ids).toEqual(expect.arrayContaining(newest.map(({ id }) => id)));
  });
});
