import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programEntry } from '@acuse/embedded';
import { describe, expect, inject, it } from 'vitest';
import { POSTMAN, REFERENCE, readPages, SITE, STATUS } from '../../../apps/api/src/site/pages.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { ciecOf, useServicio } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';
import { CHROMIUM, expectNoComplaints, lookAt, openBrowser } from '../panel/browser/fixtures/browser.ts';
import { openShell, ordenesOf } from './ordenes.ts';

/** Programs, and results of a search: the other pages are made of the same. */
const LOOKED_AT = ['/primera-descarga', '/buscar?q=ciec', '/operaciones', '/operaciones/tax/descarga-metadata'];
const pages = readPages();
const GUIDE = 'docs/integrators/es/primera-descarga.md';
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

const servicio = useServicio({}, {});

describe.runIf(CHROMIUM !== null)('the site, in a browser', () => {
  const browser = duringTests(openBrowser);

  /** Opens pages one after the other, and records requests to other hosts. */
  async function visit(paths: readonly string[]) {
    const tab = await browser.abrir({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = tab;
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== servicio.api.url) foreign.push(request.url());
    });
    for (const path of paths) {
      await page.goto(`${servicio.api.url}${path}`);
      await lookAt(tab, `sitio${path.replaceAll(/\W/g, '-')}`);
    }
    return { ...tab, foreign };
  }

  it('is accessible on a desk and a phone, light and dark, and asks no other host for anything', async () => {
    const tab = await visit([...LOOKED_AT.map((path) => `${SITE}${path}`), STATUS.es]);
    const { page } = tab;
    await page.goto(`${servicio.api.url}${SITE}`);
    await page
      .getByRole('navigation', { name: 'Documentación' })
      .getByRole('link', { name: /^Primera descarga/ })
      .click();
    await page.getByRole('heading', { level: 1, name: /^Primera descarga/ }).waitFor();
    await page.getByRole('searchbox').fill('ciec rechazada');
    await page
      .getByRole('search')
      .getByRole('link', { name: /CIEC_RECHAZADA/ })
      .first()
      .waitFor();
    await page.getByRole('searchbox').press('Enter');
    await page
      .getByRole('main')
      .getByRole('link', { name: /CIEC_RECHAZADA/ })
      .first()
      .click();
    await page.waitForURL(/#CIEC_RECHAZADA$/);
    await page.getByRole('searchbox').fill('roto mi llave');
    await page.getByRole('search').getByRole('link', { name: 'Rotar una API key', exact: true }).waitFor();
    await page.goto(`${servicio.api.url}${SITE}/primera-descarga`);
    await page.getByRole('button', { name: 'Copiar' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('export API=');
    expectNoComplaints(tab);
    expect(tab.foreign).toEqual([]);
    await tab.close();
  });

  it('folds its menu on a phone, and opens it from the header', async () => {
    const tab = await browser.abrir({ viewport: { width: 360, height: 740 } });
    const { page } = tab;
    const menu = page.getByRole('navigation', { name: 'Documentación' });
    for (const path of ['/primera-descarga', '/operaciones/tax/descarga-metadata']) {
      await page.goto(`${servicio.api.url}${SITE}${path}`);
      expect((await menu.boundingBox())?.height).toBeLessThan(100);
      await page.getByRole('link', { name: 'Menú' }).click();
      await menu.locator('a[aria-current="page"]').waitFor();
    }
    expectNoComplaints(tab);
    await tab.close();
  });

  it('is so on every page', { tags: ['slow'] }, async () => {
    const tab = await visit(pages.map(({ path }) => path));
    expectNoComplaints(tab);
    expect(tab.foreign).toEqual([]);
    await tab.close();
  });
});

it('the site is served by the program as it is built, with all that its pages name', async () => {
  const { url } = await servicio.startApiProcess();
  for (const path of [SITE, ...Object.values(REFERENCE), `${SITE}/buscar?q=ciec`, `${SITE}/indice.json`, POSTMAN]) {
    const answer = await fetch(`${url}${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    const named = (await answer.text()).matchAll(/(?:src|data-library)="(\/docs\/archivos\/[^"]+)"/g);
    for (const [, href] of named) expect([href, (await fetch(`${url}${href}`)).status]).toEqual([href, 200]);
  }
});

it.runIf(HAS_CURL)('“Primera descarga” leads from a key to the ZIP, by curl and by acuse', async () => {
  const { rfc, apiKey } = await servicio.newCaller({ rfc: 'ACU200101DB1', saldo: 10 });
  const own = { API: servicio.api.url, KEY: apiKey, RFC: rfc, CIEC: ciecOf(rfc) };
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: servicio.dir, ...own };
  env['XDG_CONFIG_HOME'] = servicio.dir;
  const shell = openShell(env);
  const zip = join(servicio.dir, 'marzo.zip');
  try {
    for (const { text } of ordenesOf(GUIDE)) {
      // The values of npm start are those of this service, and the program is the one that was built.
      if (text.startsWith('export API=')) continue;
      const here = text
        .replace(/npx acuse/, `"${process.execPath}" "${programEntry(inject('programs'), 'cli')}"`)
        .replaceAll('marzo.zip', zip);
      const { code, output } = await shell.run(here);
      expect([text, code, output]).toEqual([text, 0, output]);
      for (const [, codigo] of output.matchAll(/"cfdi_codigo":(\d+)/g)) expect([text, codigo]).toEqual([text, '1']);
      if (text.startsWith('curl') || text.startsWith('acuse descargar'))
        expect((await readZip(await readFile(zip))).manifest).toMatchObject({ rfc, desde: '2026-03-01' });
    }
  } finally {
    shell.close();
  }
});
