import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { ciecOf, waitFor } from '../../fixtures/servicio.ts';
import { readZip } from '../../fixtures/zip.ts';
import { CHROMIUM, expectSinQuejas, type Pestana } from './fixtures/browser.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';
import { crearCuenta, escribir, irAlInicio, oprimir, seguir } from './fixtures/persona.ts';

const HAS_CURL = ['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl'].some(existsSync);
const run = promisify(execFile);
const DIA_MS = 86_400_000;

describe.runIf(CHROMIUM !== null && HAS_CURL)('a new account that reads nothing but the panel', () => {
  let instalacion: Instalacion;
  let pestana: Pestana;
  beforeAll(async () => {
    instalacion = await startInstalacion();
    pestana = await instalacion.browser.abrir({ permissions: ['clipboard-read', 'clipboard-write'] });
    // The clock of the pages stands still: what they show for two seconds is there until a test lets them pass.
    await pestana.page.clock.install({ time: Date.now() });
    await pestana.page.clock.pauseAt(Date.now() + DIA_MS);
    await crearCuenta(pestana.page, instalacion.panel.url);
  });
  afterAll(() => instalacion?.close());

  /** Presses a copy button and gives what a paste would give. The button says for two seconds that it did. */
  async function copy(page: Page, etiqueta: string): Promise<string> {
    const box: Locator = page.getByRole('button', { name: `Copiar: ${etiqueta}` });
    await box.click();
    await expect.poll(() => box.textContent()).toBe('Copiado');
    const pasted = await page.evaluate<string>('navigator.clipboard.readText()');
    await page.clock.runFor(1_999);
    expect(await box.textContent()).toBe('Copiado');
    return pasted;
  }

  /** Pastes a command into a shell that has the key in the variable that the panel names. */
  async function paste(command: string, llave: string) {
    const { stdout } = await run('/bin/sh', ['-c', command], {
      env: { PATH: process.env['PATH'], ACUSE_API_KEY: llave },
    });
    return JSON.parse(stdout) as { cfdi_codigo: number; data?: Record<string, unknown> };
  }

  it('reaches its first finished download: its steps followed, its commands copied and run', async () => {
    const { servicio } = instalacion;
    const { page } = pestana;
    const rfc = newRfc();
    await servicio.startWorker();

    /** Home names one thing to do now, and its button leads there. */
    const siguiente = async (titulo: string) => {
      await irAlInicio(page);
      const paso = page.locator('[aria-current="step"]');
      expect(await paso.getByRole('heading').textContent()).toBe(titulo);
      await paso.getByRole('link').click();
    };

    await siguiente('Agregue un RFC');
    await escribir(page, 'RFC', rfc);
    await oprimir(page, 'Agregar RFC');
    const confirm = page.getByRole('button', { name: `Sí, agregar ${rfc}` });
    const generar = page.getByRole('button', { name: 'Generar API key' });
    await confirm.or(generar).first().waitFor();
    if (await confirm.isVisible()) await confirm.click();
    await generar.waitFor();

    await siguiente('Genere su API key');
    await oprimir(page, 'Generar API key');
    await page.getByText('Cópiela ahora').waitFor();
    const llave = await copy(page, 'API key');
    expect(llave).toMatch(/^acuse_(live|test)_[\w-]{62}$/);
    // The command to associate the RFC stands under the key.
    const asociar = await copy(page, 'Comando para asociar el RFC');
    expect(asociar).not.toContain(llave);
    expect(await paste(asociar, llave)).toMatchObject({ cfdi_codigo: 1 });

    await siguiente('Guarde la CIEC o la e.firma');
    const form = page.getByRole('form', { name: 'Guardar la CIEC' });
    await form.getByLabel('Contraseña del SAT (CIEC)').fill(ciecOf(rfc));
    await form.getByLabel('API key del RFC').fill(llave);
    await oprimir(page, 'Guardar la CIEC');
    await page.getByText('La CIEC quedó guardada').waitFor();

    await siguiente('Tenga un crédito');
    await oprimir(page, 'Revisar la compra');
    await oprimir(page, 'Comprar');
    await page.getByText('Se abonaron').first().waitFor();

    // The next step may be done from one's own system: the operation's page has the command, with this account's RFC.
    await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Probar' }).click();
    await seguir(page, 'Solicitud de descarga de metadata');
    const pedir = await copy(page, 'Llamada con curl');
    expect(pedir).toContain(rfc);
    const pedida = await paste(pedir, llave);
    expect(pedida).toMatchObject({ cfdi_codigo: 1, data: { estado: 'EN_PROCESO' } });

    await siguiente('Mire cómo avanza');
    expect(page.url()).toContain(String(pedida.data?.['solicitud_id']));
    const descargar = page.getByRole('button', { name: 'Descargar ZIP' });
    await waitFor(async () => ((await descargar.isVisible()) ? true : null));
    const coming = page.waitForEvent('download');
    await descargar.click();
    const { csv, manifest } = await readZip(await readFile(await (await coming).path()));
    expect(manifest).toMatchObject({ rfc });
    expect(csv.length).toBeGreaterThan(0);
    expectSinQuejas(pestana);
  });

  it('calls from the sandbox and takes the command from the answer, or from the selection without a clipboard', async () => {
    const { page } = pestana;
    await page.goto(`${instalacion.panel.url}/pruebas/vault/firma-estado`);
    await escribir(page, 'API key', `acuse_test_${'x'.repeat(62)}`);
    await oprimir(page, 'Llamar a la API');
    await page.getByText('HTTP 401').first().waitFor();
    // The button came with the answer, after the page was loaded.
    const command = await copy(page, 'Llamada con curl');
    expect(command).toContain('/api/v1/vault/firma-estado');

    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("denied"))');
    await page.evaluate('getSelection().removeAllRanges()');
    const box = page.getByRole('button', { name: 'Copiar: Llamada con curl' });
    const note = page.getByText('Quedó seleccionado: cópielo con el teclado');
    await box.click();
    await note.waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe(command);
    // The note of this press has its own two seconds, though those of the press before end now.
    expect(await box.textContent()).toBe('Copiar');
    await page.clock.runFor(1_999);
    expect(await note.count()).toBe(1);
    await page.clock.runFor(1);
    expect(await note.count()).toBe(0);
    expectSinQuejas(pestana);
  });

  it('makes a call of the sandbox once, though its answer gets lost, and says why one was not made', async () => {
    const { page } = pestana;
    const path = '**/pruebas/vault/firma-estado';
    await page.goto(`${instalacion.panel.url}/pruebas/vault/firma-estado`);
    let sent = 0;
    await page.route(path, async (route) => {
      sent += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await escribir(page, 'API key', `acuse_test_${'x'.repeat(62)}`);
    await oprimir(page, 'Llamar a la API');
    await page.getByText('antes de repetirla').waitFor();
    expect([sent, page.url()]).toEqual([1, `${instalacion.panel.url}/pruebas/vault/firma-estado`]);
    await page.unroute(path);

    // The browser lets it pass; the panel does not.
    await escribir(page, 'API key', 'no es una llave');
    await oprimir(page, 'Llamar a la API');
    await page.getByText('Pegue aquí la llave completa').waitFor();
    // What took the place of the form works as the form did.
    await escribir(page, 'API key', `acuse_test_${'x'.repeat(62)}`);
    await oprimir(page, 'Llamar a la API');
    await page.getByText('HTTP 401').first().waitFor();
    await page.context().clearCookies();
    await oprimir(page, 'Llamar a la API');
    await page.waitForURL('**/entrar*');
  });
});
