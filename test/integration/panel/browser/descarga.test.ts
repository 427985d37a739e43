import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { toSeconds } from '@acuse/core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { issueEfirma } from '../../fixtures/efirma.ts';
import { ciecOf, waitFor } from '../../fixtures/servicio.ts';
import { readZip } from '../../fixtures/zip.ts';
import { CHROMIUM, expectSinQuejas } from './fixtures/browser.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';
import {
  agregarRfc,
  cambiar,
  comprarCreditos,
  crearCuenta,
  escribir,
  integrador,
  irAlInicio,
  oprimir,
  readLlave,
} from './fixtures/persona.ts';

const PERIODO = { desde: '2025-01-10', hasta: '2025-03-05' };
/** More looks than a test waits for: the request at the authority ends when the test says so. */
const NUNCA = 1_000_000;

describe.runIf(CHROMIUM !== null)('from an empty account to a checked ZIP', () => {
  let instalacion: Instalacion;
  let url: string;
  beforeAll(async () => {
    instalacion = await startInstalacion();
    url = instalacion.panel.url;
  });
  afterAll(() => instalacion?.close());

  let worker: Promise<unknown> | undefined;
  const ensureWorker = () => {
    worker ??= instalacion.servicio.startWorker();
    return worker;
  };

  /** What the authority has of this taxpayer, by its UUID. */
  const rowsOf = (rfc: string) =>
    [
      ...instalacion.servicio.simulador.world.taxpayers.rows(
        rfc,
        'recibidos',
        toSeconds(`${PERIODO.desde}T00:00:00`),
        toSeconds(`${PERIODO.hasta}T23:59:59`),
      ),
    ].map((row) => row.uuid.toUpperCase());

  /** Presses the button and reads the file that the browser keeps. */
  async function downloadZip(page: Page): Promise<Buffer> {
    const coming = page.waitForEvent('download');
    await oprimir(page, 'Descargar ZIP');
    const file = await coming;
    expect(file.suggestedFilename()).toMatch(/\.zip$/);
    return readFile(await file.path());
  }

  it('is watched live while the API works with an e.firma that was stored in the browser', async () => {
    const { servicio, browser } = instalacion;
    const pestana = await browser.abrir();
    const { page } = pestana;
    await crearCuenta(page, url);
    const rfc = newRfc();
    const llave = await agregarRfc(page, url, rfc);
    const call = integrador(servicio, llave);

    const efirma = await issueEfirma(servicio, { rfc, password: 'contraseña de la llave' });
    await page.goto(`${url}/rfcs/${rfc}/credenciales`);
    const form = page.locator('form[action$="/credenciales/efirma"]');
    await form.locator('input[name="cer"]').setInputFiles(fileOf('firma.cer', efirma.cer));
    await form.locator('input[name="key"]').setInputFiles(fileOf('firma.key', efirma.key));
    await form.locator('input[name="password"]').fill(efirma.password);
    await form.locator('input[name="api_key"]').fill(llave);
    await form.getByRole('button').last().click();
    await page.getByText(efirma.numero).first().waitFor();
    await comprarCreditos(page, url);

    servicio.simulador.world.settings.verificaciones_hasta_terminar = NUNCA;
    const asked = await call('tax/descarga-metadata', { rfc, tipo: 'recibidos', ...PERIODO });
    expect(asked).toMatchObject({ status: 200, codigo: 1, data: { estado: 'EN_PROCESO' } });
    const id = String(asked.data['solicitud_id']);
    await page.goto(`${url}/solicitudes/${id}`);
    await page.getByText('Se actualiza sola.').waitFor();
    const intentos = page.locator('[data-dato="intentos"]');
    expect(await intentos.textContent()).toBe('0');
    // Gone with the first reload: what changes while it is there came by the stream.
    await page.evaluate('document.body.dataset.sinRecargar = "si"');

    await ensureWorker();
    await waitFor(async () => (Number(await intentos.textContent()) >= 2 ? true : null));
    await expect.poll(() => page.locator('progress').getAttribute('value')).not.toBe('0');
    expect(await page.locator('body[data-sin-recargar="si"]').count()).toBe(1);

    servicio.simulador.world.settings.verificaciones_hasta_terminar = 2;
    await page.getByRole('button', { name: 'Descargar ZIP' }).waitFor();
    const zip = await downloadZip(page);
    const sha256 = createHash('sha256').update(zip).digest('hex');
    await page.goto(`${url}/solicitudes/${id}`);
    await page.getByRole('main').getByText(sha256).first().waitFor();
    const { csv, manifest } = await readZip(zip);
    expect(csv.map((row) => row['uuid'])).toEqual(rowsOf(rfc));
    expect(manifest).toMatchObject({ rfc });
    expectSinQuejas(pestana);
  });

  it('is reached by somebody new who only follows the panel, without scripts', async () => {
    await ensureWorker();
    const pestana = await instalacion.browser.abrir({ javaScriptEnabled: false });
    const { page } = pestana;
    const rfc = newRfc();
    await crearCuenta(page, url);

    /** Home tells what to do next, with one button that leads there. */
    const siguiente = async (boton: string) => {
      await irAlInicio(page);
      await page.getByRole('main').getByRole('link', { name: boton, exact: true }).first().click();
    };
    await siguiente('Agregar RFC');
    await escribir(page, 'RFC', rfc);
    await oprimir(page, 'Agregar RFC');
    const confirm = page.getByRole('button', { name: `Sí, agregar ${rfc}` });
    const generar = page.getByRole('button', { name: 'Generar API key' });
    await confirm.or(generar).first().waitFor();
    if (await confirm.isVisible()) await confirm.click();
    // Its page says that the key comes next, and shows the button.
    await oprimir(page, 'Generar API key');
    const llave = await readLlave(page);
    await siguiente('Guardar credencial');
    const form = page.getByRole('form', { name: 'Guardar la CIEC' });
    await form.getByLabel('Contraseña del SAT (CIEC)').fill(ciecOf(rfc));
    await form.getByLabel('API key del RFC').fill(llave);
    await oprimir(page, 'Guardar la CIEC');
    await page.getByText('La CIEC quedó guardada').waitFor();
    await siguiente('Comprar créditos');
    await oprimir(page, 'Revisar la compra');
    await oprimir(page, 'Comprar');
    await page.getByText('Se abonaron').first().waitFor();
    await siguiente('Pedir descarga');
    await page.getByLabel('Primer día').fill(PERIODO.desde);
    await page.getByLabel('Último día').fill(PERIODO.hasta);
    await page.getByLabel('CFDI', { exact: true }).selectOption('recibidos');
    await page.getByLabel('API key del RFC').fill(llave);
    await oprimir(page, 'Pedir');
    await page.getByRole('heading', { level: 1, name: /CFDI recibidos/ }).waitFor();
    await siguiente('Ver la solicitud');

    const actualizar = page.getByRole('link', { name: 'Actualizar' });
    const descargar = page.getByRole('button', { name: 'Descargar ZIP' });
    await waitFor(async () => {
      await actualizar.or(descargar).first().waitFor();
      if (await descargar.isVisible()) return true;
      await cambiar(page, () => actualizar.click());
      return null;
    });
    const zip = await downloadZip(page);
    expect((await readZip(zip)).csv.map((row) => row['uuid'])).toEqual(rowsOf(rfc));
    await page.goto(`${url}/inicio`);
    await page
      .getByRole('main')
      .getByRole('link', { name: /Ver y descargar|Ir a la descarga/ })
      .waitFor();
    expectSinQuejas(pestana);
  });
});

const fileOf = (name: string, base64: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(base64, 'base64'),
});
